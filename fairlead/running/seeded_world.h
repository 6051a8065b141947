// What one seed makes of a world: the order in which the run meets what is listed, dealt targets,
// errors of beliefs, requests, who joins and leaves; and with that, all that a run needs. It serves
// one run and outlives it.
//
// Ids of the run are places in its arrangement (world/arrangement.h), not those of the world.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/recording/books_file.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"
#include "fairlead/world/arrangement.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {

// The requests that a seed draws, or those that the world lists, as they are or resampled. What an
// agreement asks for depends on the seed and its names alone, not on who else is there. The world
// must outlive it.
std::unique_ptr<RequestSource> DrawRequests(const World& world, std::uint64_t seed);

// Files that a policy was made from go along with recordings, under this name.
inline std::string KeptFile(const std::string& path) { return "file " + path; }

class SeededWorld {
 public:
  enum class Order : std::uint8_t { kDrawn, kAsListed };
  SeededWorld(const World& world, std::uint64_t seed, Order order = Order::kDrawn);
  SeededWorld(const SeededWorld&) = delete;
  SeededWorld& operator=(const SeededWorld&) = delete;

  // Lets agreements go on from books, by the names of tenant and network. Before Setup.
  void Continue(std::span<const KeptAgreement> books);
  // Everything but a listener, a recorder and, for the guard, the name of the policy.
  SimulationSetup Setup();
  Result<std::unique_ptr<SchedulingPolicy>> Policy(std::string_view spec) const {
    return MakePolicy(spec, context_);
  }
  // What policies have been made from so far, by path, but for a plan. Each is read once.
  const std::map<std::string, std::string>& files_read() const { return files_->read; }
  // From here on policies are made from files that were read before. For who lets others name
  // policies: a recording has the files of its beginning, and this machine's are none of theirs.
  void ReadNoMoreFiles() { files_->closed = true; }

  // The world as the run meets it, and who stands where.
  const World& world() const { return world_; }
  const Arrangement& arrangement() const { return arrangement_; }
  // How segments are believed to slow each other. From any thread.
  std::unique_ptr<InterferenceModel> BelievedInterference() const;
  const CostTable& beliefs() const { return beliefs_; }
  // Targets dealt, by place.
  const std::vector<ServiceAgreement>& agreements() const { return agreements_; }
  // What its policies' own thinking has taken so far, in picojoules.
  double thinking_pj() const { return thinking_pj_; }
  // The requests of the run, for those who want to see them pass.
  std::unique_ptr<RequestSource>& requests() { return requests_; }

 private:
  void ArrangeJoining();
  void SortTimeline();

  const Arrangement arrangement_;
  const World world_;
  double thinking_pj_ = 0;
  struct PolicyFiles {
    std::map<std::string, std::string> read;  // by path
    bool closed = false;
  };
  static PolicyContext ContextOf(const World& world, std::uint64_t seed, PolicyFiles& files);

  const std::shared_ptr<PolicyFiles> files_ = std::make_shared<PolicyFiles>();
  PolicyContext context_;
  std::vector<ServiceAgreement> agreements_;  // by id, targets dealt
  CostTable beliefs_;
  std::unique_ptr<InterferenceModel> interference_;
  std::unique_ptr<RequestSource> requests_;
  EngineWorld initial_;               // who is there at the start
  std::vector<TimedInput> timeline_;  // who joins and leaves, what fails and returns
};

}  // namespace fairlead
