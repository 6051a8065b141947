// Several seeds summed up: what each policy reaches on average, and how policies differ on common
// seeds. Pairing takes the luck of the arrivals out of a comparison, so that differences are often
// certain where the averages overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/report/figures.h"

namespace fairlead {

inline constexpr double kSummaryConfidence = 0.95;

struct SummaryFigure {
  std::string group;  // as in ScalarFigure
  std::string name;
  Estimate estimate;  // over the seeds that have the figure; a count of 0: none has

  std::string Path() const { return group.empty() ? name : group + "." + name; }
};

// The estimate with this path ("agreements.min"); one of no values where there is none.
Estimate FindEstimate(std::span<const SummaryFigure> figures, std::string_view path);

struct PolicySummary {
  std::string policy;
  std::vector<std::uint64_t> seeds;
  std::vector<SummaryFigure> figures;
};

struct PolicyDifference {
  std::string policy;
  std::string against;               // figures are `policy` minus `against`
  std::vector<std::uint64_t> seeds;  // that both ran
  std::vector<SummaryFigure> figures;
};

struct Summary {
  std::vector<PolicySummary> policies;        // by their first run
  std::vector<PolicyDifference> differences;  // all pairs of up to 8 policies; else each with the
                                              // first
};

// The runs of one platform. No policy has a seed twice.
Summary Summarise(std::span<const RunFigures> runs);

// The runs of one policy.
struct PolicyRuns {
  std::string policy;
  std::vector<const RunFigures*> runs;
};

// Policies in the order of their first runs.
std::vector<PolicyRuns> GroupByPolicy(std::span<const RunFigures> runs);

}  // namespace fairlead
