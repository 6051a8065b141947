// What a server that runs looks like just now, from two looks at its metrics: `fairlead top`.
//
//   fairlead at http://127.0.0.1:8000: ready, up 3 min 20 s, 4 calls under way
//   cpu.0  57 % busy   cpu.1  49 % busy   decisions 812/s, 99 % within 9.1 us
//
//   tenant  network        calls/s  hits %  target  in all  windows  beyond  given up
//   ada     squeezenet1-1     12.5    99.2    95.0    4000        0      12  -
//
// Those who are farthest below their target stand first. Rates are of the time between the two
// looks; with one look alone, since the server began.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// Reads metrics in Prometheus' text format (0.0.4): what a server says of itself.
//
// Comments are left out, and times behind the values too. Labels keep their order.
struct MetricLabel {
  std::string name;
  std::string value;
};

struct MetricSample {
  std::string name;
  std::vector<MetricLabel> labels;
  double value = 0;

  // Empty where it has none of that name.
  std::string_view Label(std::string_view label) const;
};

// Fails with the number of the line that it cannot read.
Result<std::vector<MetricSample>> ReadMetrics(std::string_view text);

struct AcceleratorUse {
  std::string name;
  bool online = true;
  double busy = 0;  // share of the time
};

struct NetworkUse {
  std::string name;
  bool ready = true;
  double calls_per_s = 0;
  double failed_per_s = 0;  // all that did not end well
  double queue_p50_ms = 0;  // of all since the server began, as are the next three
  double queue_p99_ms = 0;
  double execution_p50_ms = 0;
  double execution_p99_ms = 0;
  std::optional<double> slowdown;  // by co-runners; none without segments
};

struct AgreementUse {
  std::string tenant;
  std::string network;
  double per_s = 0;  // covered requests that ended
  double requests = 0;
  double hits = 0;
  double indicator = 0;
  std::optional<double> target;
  double violations = 0;
  double uncovered = 0;
  bool sacrificed = false;
};

struct ServerFigures {
  std::string url;
  std::string policy;
  bool ready = false;
  double up_s = 0;
  double over_s = 0;  // the time that rates are of
  double under_way = 0;
  double decisions_per_s = 0;
  double decision_p99_us = 0;
  double plan_faults = 0;
  double fallbacks = 0;
  std::vector<AcceleratorUse> accelerators;
  std::vector<NetworkUse> networks;
  std::vector<AgreementUse> agreements;  // farthest below the target first
};

// `before` may be empty. Fails where this is no server of ours.
Result<ServerFigures> FiguresOfServer(const std::vector<MetricSample>& before,
                                      const std::vector<MetricSample>& now);

// At most so many agreements.
std::string FormatServer(const ServerFigures& figures, std::size_t most_agreements);
// On one line: there may be many of them.
std::string ServerJson(const ServerFigures& figures);

}  // namespace fairlead
