// How well slowdown models predict what was measured: as a table, as JSON, as a page with
// calibration plots.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/interference/slowdown_fit.h"

namespace fairlead {

// What was predicted.
enum class SlowdownSubject : std::uint8_t { kLayers, kNetworks };

struct SlowdownResult {
  SlowdownSubject subject;
  std::string model;
  std::string what;  // was predicted, in words
  std::vector<Judged> judged;
  double us_per_prediction = 0;  // of real time; 0: not measured
};

// The same by partition, or by partition and who runs beside it.
struct NamedAccuracy {
  std::string name;  // "p0", "p0 beside p1 p2"
  Accuracy accuracy;
};
std::vector<NamedAccuracy> ByPartition(std::span<const Judged> judged);
std::vector<NamedAccuracy> ByCase(std::span<const Judged> judged);

std::string SlowdownsAsTable(std::span<const SlowdownResult> results);
// The first result of each subject stands at the top: accuracy, accuracy_slowed, predict_us and
// per_partition of layers, mix_accuracy of networks; null where there is none.
std::string SlowdownsAsJson(std::span<const SlowdownResult> results);
std::string SlowdownsAsHtml(std::span<const SlowdownResult> results);

}  // namespace fairlead
