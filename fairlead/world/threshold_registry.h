// How agents choose thresholds, by name: fixed:0.3, hedge, actor-critic, own-actor-critics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/scenario/option_table.h"
#include "fairlead/sharing/thresholds.h"

namespace fairlead {

struct ThresholdsChoice {
  std::string canonical;
  // A mechanism that cannot be copied has no use for hedge: it takes fixed:0 then.
  std::function<std::unique_ptr<ThresholdChooser>(const Market&, const SharingMechanism&,
                                                  std::uint64_t seed)>
      make;
  int episodes = 0;  // to be run with it on other arrivals before the run that counts
};

struct ThresholdsEntry {
  std::string_view name;
  std::string_view description;
  std::vector<OptionInfo> options;
};

std::span<const ThresholdsEntry> ThresholdRules();

// "fixed:0.3", "hedge:sign=text".
Result<ThresholdsChoice> ChooseThresholds(std::string_view text);

}  // namespace fairlead
