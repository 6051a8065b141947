// What a run is made of in every world, simulated or live, and what every world counts.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/scheduling/advisor.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/guard.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {

// Something that happens to the world at a given time.
struct TimedInput {
  Instant at{};
  Input input;
};

// Nothing that is pointed to is owned; all of it outlives the run.
struct RunSetup {
  EngineWorld world;
  EngineOptions engine;
  const CostTable* truth = nullptr;
  RequestSource* requests = nullptr;         // optional in a live world
  std::vector<TimedInput> timeline;          // in order of time
  SchedulingEngine::PolicyFactory policies;  // for policy changes
  // With a guard, from the start or by GuardRules, the factory makes the fallback, and anew the
  // policy, which goes by the name `policy`; with one from the start wrong plans must not stop the
  // run.
  std::optional<GuardOptions> guard;
  std::string policy;                // name and options
  PolicyAdvisor* advisor = nullptr;  // optional
  RunListener* listener = nullptr;   // optional
  RunRecorder* recorder = nullptr;   // optional
  std::stop_token stop{};            // asked for: the run ends, with what has ended by then
};

// How long an accelerator was busy with something else than work, in nanoseconds.
struct HandOverTimes {
  double boundaries = 0;  // `hand_over` of every segment
  double take_overs = 0;
  double moves = 0;
  double switching = 0;  // between networks

  double sum() const { return boundaries + take_overs + moves + switching; }
};

// What the world counted.
struct RunTotals {
  Instant end{};                // of the last event
  double energy_pj = 0;         // of segments
  double policy_energy_pj = 0;  // of decisions that were charged for
  double traffic_bytes = 0;
  std::vector<double> busy;               // per accelerator: nanoseconds, by the share of its units
  std::vector<HandOverTimes> hand_overs;  // likewise, as if nothing else ran; part of `busy`
  bool interrupted = false;               // it was asked to stop before its end
};

}  // namespace fairlead
