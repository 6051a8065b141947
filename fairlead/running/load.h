// `fairlead load`: the tenants of a scenario call a server that runs, as they would in a
// simulation: the same requests at the same times.
//
// The loop is open: a request is sent when it arrives, whatever became of those before it, and its
// latency counts from when it should have been sent. A server that is slow is so seen as its
// clients see it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/execution/live_clock.h"
#include "fairlead/report/load_report.h"
#include "fairlead/serving/load_client.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct LoadSetup {
  const World* world = nullptr;
  std::uint64_t seed = 1;
  std::map<std::string, std::string> keys;  // by tenant; others say their names
  LoadClient* client = nullptr;
  const LiveClock* clock = nullptr;
  std::stop_token stop{};                    // sends no more, and waits for what is under way
  std::function<void(double)> progressed{};  // the share of the horizon that has passed
};

// Everything but names and the simulation.
Result<LoadFigures> RunLoad(const LoadSetup& setup);

// Simulates the same requests under a policy and sets what came of them beside the live ones. The
// world should drop late jobs, as a server does.
Status SimulateBeside(const World& world, std::string_view policy, LoadFigures& figures);

}  // namespace fairlead
