// The table of sharing mechanisms: names, descriptions, options, factories.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/scenario/option_table.h"
#include "fairlead/sharing/mechanism.h"
#include "fairlead/sharing/thresholds.h"

namespace fairlead {

// How agents choose thresholds, by name: fixed:0.3, hedge, actor-critic, own-actor-critics.
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

struct MechanismChoice {
  std::string canonical;  // the name with its options in the table's order, defaults left out
  std::function<Result<std::unique_ptr<SharingMechanism>>(const Market&)> make;
};

struct MechanismEntry {
  std::string_view name;
  std::string_view description;
  std::vector<OptionInfo> options;
  std::function<Result<MechanismChoice>(std::optional<std::string_view> options)> choose;
};

std::span<const MechanismEntry> Mechanisms();

// `spec` is a name, optionally with options: "gandiva-fair:scope=pool".
Result<MechanismChoice> ChooseMechanism(std::string_view spec);

// The specs in "A,B,...", in canonical form; "all" stands for every mechanism as it is.
Result<std::vector<std::string>> ParseMechanismList(std::string_view text);

}  // namespace fairlead
