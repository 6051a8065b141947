// A scenario as its author wrote it: typed, checked, and with all defaults filled in, but with
// names instead of objects. world.h makes a world of it.
//
// docs/guide/write-a-scenario.md explains every key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/auto_segments.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/report/objective.h"
#include "fairlead/scenario/agreement_text.h"
#include "fairlead/scenario/serve_config.h"
#include "fairlead/scenario/yaml_reader.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/guard.h"
#include "fairlead/workload/arrivals.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {

struct AcceleratorsConfig {
  std::string kind;    // its name, once the world was built
  std::string file{};  // that describes it, as the scenario names it; empty: built in
  int count = 1;
  int units = 0;         // 0: the most that the costs name for this kind
  Duration switching{};  // to begin where another network ran before
  // Of this machine, in equal parts for each accelerator: where networks really run. Empty:
  // nowhere.
  std::vector<int> cores;
  std::string instructions;  // the most that they may use: "avx2"; empty: all
  Place place;
};

struct PlatformConfig {
  std::string ready;           // the name of a ready platform, if it is one
  bool measured = false;       // a ready platform whose costs were measured
  std::int64_t bandwidth = 0;  // 0: no limit
  Sharing sharing = Sharing::kProportional;
  std::vector<AcceleratorsConfig> accelerators;
};

struct SegmentsConfig {
  enum class Unit : std::uint8_t { kLayers, kBlocks, kWhole, kAuto } unit = Unit::kLayers;
  int layers_per_block = 1;
  AutoSegments automatic;
};

struct NetworksConfig {
  std::string profile;            // a file; empty: the built-in networks, or measurements
  std::vector<std::string> onnx;  // files with more networks, or those of the profile, to be run
  std::vector<int> batches;       // that models compute costs for; empty: 1
  SegmentsConfig segments;
  Place place;
};

// What it costs to go on with jobs: a file that names kinds, or the same for all kinds.
struct HandOversConfig {
  std::string file;
  Duration hand_over{};
  Duration take_over{};
  MoveCost move;
  bool given = false;
  Place place;
};

// A model of how co-runners slow each other: world_slowdowns.h.
struct SlowdownName {
  std::string text;  // a file, or words; empty: not given
  Place place;
};
struct InterferenceConfig {
  SlowdownName truth;   // what the world obeys; empty: the platform's shared bandwidth
  SlowdownName belief;  // what policies expect; empty: latencies alone
};

// Targets that are dealt to the tenants of a group by Zipf's law.
struct ZipfTargets {
  std::vector<double> rates;
  double exponent = 1;
};

// A number of tenants that are alike.
struct TenantsConfig {
  std::string name = "tenant";
  int count = 1;
  std::vector<std::string> networks;
  Place networks_place;
  int networks_each = 0;  // dealt in turn; 0: every tenant asks for all of them
  double weight = 1;
  double share = 1;                 // of the load, relative to other agreements
  std::optional<double> rate;       // requests per second of each agreement, instead of load
  double qos_factor = 0;            // 0: the scenario's
  StatedTerms terms;                // of each agreement; a deadline instead of a factor
  std::optional<ZipfTargets> zipf;  // instead of a target
  int priority = 1;
  Instant joins{};
  Instant leaves = kNever;
  std::optional<ArrivalOptions> arrivals;
  Place place;
};

// What tenants of a requests file are promised: those that an entry names, or all. The deadline is
// for requests without one.
struct PromiseConfig {
  std::vector<std::string> tenants;   // empty: all
  std::vector<std::string> networks;  // empty: all
  StatedTerms terms;
  double weight = 1;
  bool expected = true;  // that the file has requests of whom it names
  Place place;
};

// A policy as the scenario names it; once the world was built, spelt canonically.
struct NamedPolicy {
  std::string spec;
  Place place{};
};

struct ChargeConfig {
  Duration fixed{};
  Duration per_ready{};
  std::string accelerator;
  std::int64_t bytes_per_ready = 0;
  std::int64_t energy_pj_per_ready = 0;
  Place place;
};

// Something that happens to the world at a given time: to an accelerator, to a promise, or to the
// policy and its guard.
struct ChangeConfig {
  Instant at{};
  std::string accelerator;  // goes away or comes back
  bool away = false;
  std::string policy;
  std::optional<GuardOptions> guard;
  Place guard_place;   // of its policy
  std::string tenant;  // with network: gets other terms
  std::string network;
  StatedTerms terms;
  Place place;
};

// What must come out under a policy: world/objective_text.h.
struct RequireConfig {
  NamedPolicy policy;
  std::string text;
  Place place;
};

struct Scenario {
  std::string file;
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  std::vector<NamedPolicy> policies;
  Duration horizon{};
  Place horizon_place;
  Duration warm_up{};
  Duration period{};
  Place period_place;
  LateJobs late = LateJobs::kFinish;
  PlatformConfig platform;
  NetworksConfig networks;
  HandOversConfig hand_overs;
  InterferenceConfig interference;
  double qos_factor = 4;
  DeadlineLevels levels;
  ArrivalOptions arrivals = ParetoArrivals{.mean_gap = std::chrono::seconds{1}};
  std::optional<double> load;
  Place load_place;
  std::vector<TenantsConfig> tenants;
  std::string requests;  // a file, instead of tenants
  Place requests_place;
  std::vector<PromiseConfig> promises;  // beside requests: the first that fits an agreement counts
  std::string promises_file;            // with more of them
  BeliefError beliefs;
  ChargeConfig charge;
  std::optional<GuardOptions> guard;
  Place guard_place;  // of its policy
  std::vector<ChangeConfig> changes;
  std::vector<RequireConfig> require;
  std::optional<ServeConfig> serve;
};

// An objective, split at its comparison, but not looked at any further.
struct ObjectiveParts {
  std::string figure;
  Comparison comparison = Comparison::kAtLeast;
  std::string bound;
};
Result<ObjectiveParts> SplitObjective(std::string_view text);

// Settings stand in the place of what the text says (yaml_reader.h).
Result<Scenario> ParseScenario(std::string_view file, const std::string& text,
                               std::span<const Setting> settings = {});

// The list under `agreements:`, or a file that is such a list.
Result<std::vector<PromiseConfig>> ParsePromises(std::string_view file, const std::string& text);

// A group of `tenants` on a command line: `fairlead quote --agreement '{networks: [resnet50], rate:
// 20/s}'`. Complaints name the place as "--agreement:line:column".
Result<TenantsConfig> ParseAgreement(const std::string& text);

// Requests of a file instead of those that tenants ask for: what these were promised stays. An
// error says what does not go together. `path` is as seen from here.
Status ReplaceRequests(Scenario& scenario, const std::string& path);

// Somebody watches the policy, from the beginning or later.
bool IsGuarded(const Scenario& scenario);

// The scenario as JSON, all defaults resolved: it stands first in every result.
std::string ScenarioJson(const Scenario& scenario);

}  // namespace fairlead
