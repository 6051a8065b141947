// What a search over assignments is to make large: a figure of a run, or a weighted mix of some.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

enum class GoalKind : std::uint8_t {
  kGoodput,     // hits per second
  kSlo99,       // the requests per second at which 99 % are hits
  kThroughput,  // requests finished per second, in time or not, when there are more than enough
  kFairness,    // the hit rate of the worst agreement
  kEnergy,      // hits per joule
};

struct SearchGoal {
  struct Part {
    GoalKind kind = GoalKind::kGoodput;
    double weight = 1;
  };
  // Of several, each is taken over its value under ratios that follow speeds.
  std::vector<Part> parts = {{}};
};

// "goodput", "slo99-throughput", "throughput", "fairness", "energy", or "goodput:0.7+fairness:0.3".
Result<SearchGoal> ParseSearchGoal(std::string_view text);
std::string FormatSearchGoal(const SearchGoal& goal);

}  // namespace fairlead
