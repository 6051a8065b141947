// What came out of the suite: every policy in every scenario that was drawn.
#pragma once

#include <string>
#include <vector>

#include "fairlead/report/figures.h"

namespace fairlead {

// What a scenario is like, in classes, to say where policies lead and lose: "load", "1.1-1.4".
struct SuiteTrait {
  std::string name;
  std::string value;
};

// What the requests of a run would have brought, had all failed and had none.
struct RevenueRange {
  double least = 0;
  double most = 0;
};

struct SuiteRun {
  RunFigures figures;  // without per_agreement: there are too many
  RevenueRange stakes;
};

// A policy that could not run, and why.
struct SuiteRefusal {
  std::string policy;
  std::string reason;
};

struct SuiteScenario {
  std::string name;
  std::string config;  // resolved, as JSON
  std::vector<SuiteTrait> traits;
  std::vector<SuiteRun> runs;  // of those policies that ran with all seeds; seeds in one order
  std::vector<SuiteRefusal> refusals;
};

struct SuiteResults {
  std::vector<std::string> policies;
  std::vector<SuiteScenario> scenarios;
};

}  // namespace fairlead
