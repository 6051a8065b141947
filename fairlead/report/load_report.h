// What a load on a server came to, agreement by agreement, and beside it what the simulator made
// of the same requests.
//
//   tenant  network        requests  hits %  (95 %: from to)  target  p50 ms  p99 ms
//   ada     squeezenet1-1       500    99.2   98.0     99.8     95.0    12.1    30.2
//           late 4: deadline-passed 3, answered-late 1
//
// Requests that their contract refused are told apart: hits are shares of the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fairlead {

// What one agreement got.
struct LoadOutcome {
  std::uint64_t requests = 0;
  std::uint64_t hits = 0;       // well, and in time as the client counts
  std::uint64_t late = 0;       // after the deadline: with a result, or told so
  std::uint64_t refused = 0;    // at once: no capacity, out of reach, draining
  std::uint64_t uncovered = 0;  // refused by the contract
  std::uint64_t failed = 0;
  double p50_ms = 0;  // of those with a result, from when they should have been sent
  double p99_ms = 0;

  // That the promise is about.
  std::uint64_t covered() const { return requests - uncovered; }
  // None without requests.
  std::optional<double> hit_rate() const {
    if (covered() == 0) return std::nullopt;
    return static_cast<double>(hits) / static_cast<double>(covered());
  }
};

struct LoadRow {
  std::string tenant;
  std::string network;
  std::optional<double> target;
  LoadOutcome live;
  std::map<std::string, std::uint64_t> reasons;  // of what were no hits
  std::optional<LoadOutcome> beside;             // what the simulation says
  // Between which hit rates that would lie if all costs were a little less, or a little more
  // (kCostDoubt): where a policy must choose whom to disappoint, little decides whom.
  double beside_least = 1;
  double beside_most = 0;
};

// How far off the costs of a simulation may be that was set beside: measured twice, networks are
// about that far apart.
inline constexpr double kCostDoubt = 0.05;

struct LoadFigures {
  std::string scenario;
  std::string url;
  std::string policy;  // of the simulation; empty where there is none
  std::uint64_t seed = 1;
  double seconds = 0;     // from the first to the last that was counted
  double lag_p99_ms = 0;  // how much later than they should calls were handed to the client
  double lag_max_ms = 0;
  std::uint64_t connections = 0;  // the most at once
  bool interrupted = false;
  std::vector<LoadRow> rows;
};

std::string FormatLoad(const LoadFigures& figures);
std::string LoadJson(const LoadFigures& figures);

}  // namespace fairlead
