// The results of the suite for people and scripts: what `fairlead suite` prints and writes.
//
// JSON: {"seed", "purpose", "seeds", "version", "scenarios": [{"name", "config", "traits", "runs",
// "could_not_run"}], "policies": {name: {"led", "may_lead", "within_1_point", ..., "mean_behind",
// "losses", "rivals", "where", "could_not_run"}}}. Shares and distances are fractions, each by
// measure: "hit_rate", "worst_agreement", "met_share", "revenue"; null where a measure is defined
// in no scenario. Runs are as in json.h, without `per_agreement`, and with `stakes`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/report/suite_results.h"

namespace fairlead {

struct SuiteHeading {
  std::string command;
  std::string version;
  std::uint64_t seed = 1;
  std::string_view purpose;  // "reporting" or "tuning"
  int seeds = 1;             // of each scenario
};

std::string FormatSuiteJson(const SuiteHeading& heading, const SuiteResults& results);
// A row for each policy, those that are least behind overall first; then where each loses most.
std::string FormatSuiteTable(const SuiteHeading& heading, const SuiteResults& results);
// One page with figures and tables. No real time is in it: equal runs make equal pages.
std::string FormatSuitePage(const SuiteHeading& heading, const SuiteResults& results);

}  // namespace fairlead
