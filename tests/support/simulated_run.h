// A simulated run for tests: a world, a policy and a seed, with the timeline that came out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/world/world.h"

namespace fairlead::testing {

// A change of units while a segment ran.
struct Resize {
  Instant at{};
  int before = 0;
  int after = 0;
};

// One stay of a segment (or a batch) on an accelerator. Ids are those of the world as listed.
struct Stay {
  std::vector<RequestNumber> requests;
  NetworkId network;
  SegmentId segment;
  AcceleratorId accelerator;
  int units = 1;  // at its end
  std::vector<Resize> resizes;
  std::int64_t bandwidth_cap = 0;
  int version = 0;
  Instant start{};
  Instant end{};

  int FirstUnits() const { return resizes.empty() ? units : resizes.front().before; }
};

struct End {
  RequestNumber request = 0;
  AgreementId agreement;
  Outcome outcome{};
  Reason reason{};
  Instant arrival{};
  Instant start = kNever;
  Instant end{};
  Instant deadline{};
  bool covered = true;
};

class SimulatedRun : private RunListener {
 public:
  // The world outlives the run.
  SimulatedRun(const World& world, std::string_view policy, std::uint64_t seed);

  Status Run() { return simulator_->Run(); }

  const Simulator& simulator() const { return *simulator_; }
  const std::vector<Stay>& stays() const { return stays_; }
  const std::vector<End>& ends() const { return ends_; }
  const CostTable& beliefs() const { return seeded_.beliefs(); }

  // "npu 0..10 3/0": accelerator, time, request/segment; by start, then accelerator. Followed by
  // " on 2 units, 4 from 5" where it is not all units, and by " capped at 100MB/s".
  std::string Timeline() const;
  // "3 hit 0..10": request, outcome, first start and end; by request.
  std::string Outcomes() const;
  // "8 strike: slow-decision": instant and what the guard did; in order.
  const std::string& GuardActs() const { return guard_acts_; }
  // "8 sacrificed t's net": instant and whose promise was given up, or restored; in order.
  const std::string& Sacrifices() const { return sacrifices_; }

 private:
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& assignment, Instant now) override;
  void SegmentResized(const Assignment& assignment, int units_before, Instant now) override;
  void GuardActed(const GuardAct& act, Instant now) override;
  void PromiseSacrificed(AgreementId agreement, Instant now) override;
  void PromiseRestored(AgreementId agreement, Instant now) override;
  void NotePromise(AgreementId agreement, std::string_view what, Instant now);

  const World& world_;
  SeededWorld seeded_;
  std::unique_ptr<Simulator> simulator_;
  std::vector<std::vector<Resize>> resizes_;  // per assignment slot: of what runs there
  std::vector<Stay> stays_;
  std::vector<End> ends_;
  std::string guard_acts_;
  std::string sacrifices_;
};

// A world whose files are texts: `scenario` is YAML that may name the profile "profile" and the
// requests "requests".
Result<std::unique_ptr<const World>> WorldOfTexts(const std::string& scenario,
                                                  const std::string& profile,
                                                  const std::string& requests);
// The world of simulate --profile --requests [--plan].
Result<std::unique_ptr<const World>> BareWorldOfTexts(const std::string& profile,
                                                      const std::string& requests,
                                                      const std::string& plan);

}  // namespace fairlead::testing
