// Reads metrics in Prometheus' text format (0.0.4): what a server says of itself.
//
// Comments are left out, and times behind the values too. Labels keep their order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

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

}  // namespace fairlead
