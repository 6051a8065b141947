// fairlead provision: the smallest platform that keeps a scenario's agreements.
//
// Platforms have the scenario's kinds of accelerators and its memory; their counts vary. Rates,
// deadlines and targets are those of the scenario on its own platform, in absolute terms. The fluid
// bound excludes what provably does not do; what is left is judged as quotes are (quote.h), the
// cheapest first, until one keeps all promises.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/quote_report.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {

struct ProvisionOptions {
  std::string policy;                 // empty: PolicyToQuote
  std::vector<double> costs;          // of one accelerator, by the scenario's kinds
  int most = 0;                       // of each kind; 0: twice as many as the scenario has
  std::optional<std::uint64_t> seed;  // the first of the draws; none: the scenario's
  int trials = 0;                     // traffics, from 4 on; 0: as the work of one allows
  int threads = 1;
  FileReader read = &ReadFile;
  // How far the work has come, from 0 to 1, from any thread. May be empty.
  std::function<void(double share)> progressed;
};

// Of equal cost, fewer accelerators come first, then more of the kind that is listed first.
Result<ProvisionResults> Provision(const Scenario& scenario, const ProvisionOptions& options);

}  // namespace fairlead
