// What a service has done so far, as Prometheus reads it: text format 0.0.4.
//
// Written from the service's own figures whenever somebody asks; nothing is counted for it.
// docs/guide/monitor.md lists the metrics. Labels are bounded: agreements beyond
// kMostAgreementsShown are summed under the tenant "(others)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/serving/inference.h"

namespace fairlead {

inline constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
inline constexpr int kMostAgreementsShown = 200;

std::string MetricsText(const InferenceService& service);

// What the doors know of themselves.
struct DoorMetrics {
  std::int64_t memory_total = 0;
  std::int64_t memory_used = 0;
  std::uint64_t memory_refusals = 0;
  std::uint64_t stalls = 0;
  Duration stalled{};
};
std::string DoorMetricsText(const DoorMetrics& doors);

}  // namespace fairlead
