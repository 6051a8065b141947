// The figures of the HTML report, each with its caption: from results to drawings.
#pragma once

#include <span>
#include <vector>

#include "fairlead/report/html_page.h"
#include "fairlead/report/html_report.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// The place of a policy in the groups gives its colour, dash and mark in every figure.
HtmlFigure HitRateFigure(std::span<const PolicyRuns> policies);
HtmlFigure TargetFigure(std::span<const PolicyRuns> policies);
// Of the policies that a figure is about, those from a place on: too many lines are none.
struct PolicyPart {
  static constexpr std::size_t kMost = 8;
  std::size_t first = 0;

  bool Has(std::size_t policy) const { return policy >= first && policy < first + kMost; }
};
HtmlFigure LatencyFigure(std::span<const PolicyRuns> policies, std::span<const Histogram> latencies,
                         const PolicyPart& part = {});
// `runs` stand in for loads where there are none.
HtmlFigure FrontierFigure(std::span<const RunsAtLoad> loads, std::span<const RunFigures> runs,
                          const PolicyPart& part = {});
// Of one run of each policy, with what happened to the world.
HtmlFigure HitsOverTimeFigure(std::span<const PolicyTimeline> timelines,
                              std::span<const WorldEvent> events, const PolicyPart& part = {});

// Violated windows, revenue and energy; those that are zero everywhere are left out.
std::vector<HtmlFigure> TotalsFigures(const Summary& summary);

// What ran where in the first stretch after the warm-up (until the given instant, so that policies
// can be compared), and usage from beginning to end.
std::vector<HtmlFigure> TimelineFigures(const PolicyTimeline& run, Instant until);

}  // namespace fairlead
