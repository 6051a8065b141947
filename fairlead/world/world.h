// A scenario made into objects: names resolved, costs tabled, deadlines and rates computed.
// Everything is resolved here, before anything runs.
//
// A World does not change once it is built and may be shared by threads; what depends on the seed
// (targets that are dealt, errors of beliefs, arrivals) is made for each run: seeded_world.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/profile.h"
#include "fairlead/domain/platform.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/interference/segment_slowdowns.h"
#include "fairlead/interference/slowdown_model.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {

// One agreement as the scenario describes it, before targets are dealt.
struct PlannedAgreement {
  ServiceAgreement agreement;
  std::size_t group = 0;  // of the scenario's tenants
  ArrivalOptions arrivals;
  bool levelled = true;  // its deadline is a factor, which the scenario's levels multiply
  int priority = 1;
  Instant joins{};
  Instant leaves = kNever;
};

// When a segment may begin.
enum class SegmentOrder : std::uint8_t {
  kAsNeeded,         // when those are done whose results it reads
  kOneAfterAnother,  // when the one before it is: executors keep a job in one place at a time
};

// How to make other traffics out of the requests that a world lists: running/resampled_requests.h.
struct Resampling {
  Duration length{};  // of a traffic
  Duration block{};
  std::uint64_t as_recorded = 0;  // the seed whose traffic is the recording itself
  // The part of the recorded requests that comes, by agreement. Agreements beyond these are not
  // recorded: what they ask for is described.
  std::vector<double> kept;
};

struct World {
  Scenario scenario;
  SegmentOrder segment_order = SegmentOrder::kAsNeeded;
  Platform platform;
  std::vector<NetworkGraph> networks;
  // Per network: the layers at which its segments begin, and how many layers there are.
  std::vector<std::vector<std::size_t>> bounds;
  std::optional<CostTable> truth;
  std::shared_ptr<const SlowdownModel> true_slowdowns;      // null: bandwidth is shared
  std::shared_ptr<const SlowdownModel> believed_slowdowns;  // null: none
  std::shared_ptr<SlowdownMemory>
      true_memory;  // of what these say; null: none, as runs may share a world
  std::shared_ptr<SlowdownMemory> believed_memory;
  std::vector<Duration> isolated;            // per network: one job alone under fcfs-h
  std::vector<Tenant> tenants;               // in order of joining
  std::vector<PlannedAgreement> agreements;  // in order of joining
  std::vector<Request> requests;             // from a requests file; else empty
  std::optional<Resampling> resampling;      // of these; none: they come as they are
  std::optional<FixedPlan> plan;
  DecisionCharge charge;
  std::vector<TimedInput> changes;    // that the scenario names, in order of time
  std::vector<std::string> warnings;  // about what was read; one line each
  std::vector<std::string> notes;     // about what is not known; one line each
  double capacity_per_s = 0;          // requests per second at load 1; 0 if not computed
  double offered_load = 0;            // of the fluid bound; 0 if not computed

  bool listed() const { return !scenario.requests.empty(); }
};

// Policies that the scenario names are known and may stand where they are named; spells them
// canonically. BuildWorld does so first.
Status CheckPolicies(Scenario& scenario);

// Paths in the scenario are relative to its file.
Result<std::unique_ptr<const World>> BuildWorld(Scenario scenario, const FileReader& read,
                                                SegmentOrder order = SegmentOrder::kAsNeeded);

// The world of `simulate --profile P --requests R [--plan PLAN]`: one accelerator for each kind
// that the profile names.
struct BareWorldOptions {
  std::string profile;
  std::string requests;
  std::string plan;  // may be empty
  std::int64_t bandwidth = 0;
  Sharing sharing = Sharing::kProportional;
};
Result<std::unique_ptr<const World>> BuildBareWorld(const BareWorldOptions& options,
                                                    const FileReader& read);

}  // namespace fairlead
