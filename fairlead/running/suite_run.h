// Running the suite: scenarios drawn by chance, each under every policy and every seed.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/suite_report.h"
#include "fairlead/running/suite_draft.h"

namespace fairlead {

// How long a scenario of the suite runs: long enough to say something about every agreement, short
// enough that all policies can be run.

// A horizon in which agreements get a hundred requests on average, and which lasts twenty of the
// longest deadlines, so that backlogs have time to build up; but within 20,000 and 250,000
// segments and up to 40,000 requests, whatever that means for the other two.
inline constexpr double kSuiteRequestsEach = 100;
inline constexpr double kSuiteDeadlines = 20;
inline constexpr double kSuiteFewestSegments = 20'000;
inline constexpr double kSuiteMostSegments = 250'000;
inline constexpr double kSuiteMostRequests = 40'000;

// Builds the draft's world to see its rates.
Result<SuiteScale> SizeScenario(const SuiteDraft& draft);

// Every policy as it is and, where that is another one, with early drop.
std::vector<std::string> SuitePolicies();

struct SuitePlan {
  SuitePurpose purpose = SuitePurpose::kReporting;
  std::uint64_t seed = 1;
  int first = 1;  // the number of the first scenario
  int scenarios = 1;
  std::vector<std::string> policies;
  int seeds = 1;  // of each scenario, counting up from its own
  int threads = 1;
  // Hears each scenario's text before it runs; an error ends everything. May be empty.
  std::function<Status(const std::string& name, const std::string& text)> drawn;
  // How far each run has come, from its thread; they count from 0 in the order of scenarios. May be
  // empty.
  std::function<void(std::size_t run, double share)> progressed;
  std::stop_token stop{};  // asked for: it ends with the scenarios that have ended
};

// A scenario with its length settled: what `fairlead simulate` reads.
struct SizedScenario {
  SuiteDraft draft;
  std::string text;
};
Result<SizedScenario> SizedScenarioOf(const SuiteDraw& draw);

// A policy that cannot run in a scenario is noted there; a scenario that cannot be drawn is an
// error.
Result<SuiteResults> RunSuite(const SuitePlan& plan);

}  // namespace fairlead
