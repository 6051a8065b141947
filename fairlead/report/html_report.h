// Everything about the runs of a scenario on one page: what `simulate --report` writes.
//
// Figures of the hit rates, of what was promised, of the frontier between all and the worst off, of
// latencies and of the machine over time, each with a line on how to read it; tables with intervals
// and paired differences; and what it takes to run it all again. No real time is in it, so equal
// runs make equal pages. Names come from scenarios and may hold anything.
//
// The size is bounded: points stand for agreements over all seeds, timelines are one run of each
// policy and cut off after some hundred segments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/run_json.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/timeline.h"

namespace fairlead {

// One run of each policy over time.
struct PolicyTimeline {
  std::string policy;
  std::uint64_t seed = 0;
  RunTimeline timeline;
};

struct RunsAtLoad {
  double load = 0;
  std::vector<RunFigures> runs;
};

// Something that happened to the world at a time, such as an accelerator that left.
struct WorldEvent {
  Instant at{};
  std::string what;
};

// What was run, in words.
struct WorldWords {
  std::vector<std::string> lines;  // "Platform: 4 simba and 4 eyeriss, ..."
  std::vector<WorldEvent> events;  // in order of time
};

struct HtmlReport {
  ReportHeading heading;
  WorldWords world = {};
  std::string command;  // that makes this page again
  std::span<const RunFigures> runs;
  std::span<const Histogram> latencies;  // by policy, in the order of their first runs, all seeds
  std::span<const PolicyTimeline> timelines;
  // Runs of the same policies at several loads, by load; or nothing, and the frontier is one point
  // of each policy.
  std::span<const RunsAtLoad> loads;
};

std::string FormatHtmlReport(const HtmlReport& report);

}  // namespace fairlead
