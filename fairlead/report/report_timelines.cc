#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fairlead/plots/gantt.h"
#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/report_plots.h"

namespace fairlead {
namespace {

GanttChart StretchOf(const PolicyTimeline& run, Instant until) {
  const RunTimeline& timeline = run.timeline;
  const auto since = [&](Instant time) {
    return static_cast<double>((time - timeline.from).count());
  };
  GanttChart chart{.label = "What ran on each accelerator under " + run.policy,
                   .time = {.label = "time after the warm-up",
                            .range = Range{0, std::max(1.0, since(until))},
                            .format = FormatTime},
                   .rows = timeline.accelerators,
                   .series = timeline.networks,
                   .bars = {}};
  for (const TimelineSlice& slice : timeline.slices) {
    if (slice.start >= until) continue;
    chart.bars.push_back(
        {.row = slice.accelerator.index(),
         .start = since(slice.start),
         .end = since(slice.end),
         .series = slice.network.index(),
         .title = fmt::format("{}, {}", slice.what,
                              FormatTime(static_cast<double>((slice.end - slice.start).count())))});
  }
  return chart;
}

XyPlot UsageOf(const PolicyTimeline& run) {
  XyPlot plot{.label = "Accelerators and memory in use over time under " + run.policy,
              .x = {.label = "time", .format = FormatTime},
              .y = {.label = "in use", .range = Range{0, 1}, .format = FormatPercent},
              .series = {},
              .height = 150};
  const auto bin = static_cast<double>(run.timeline.bin.count());
  for (const UsageOverTime& usage : run.timeline.usage) {
    if (!usage.shares.empty())
      plot.x.range = Range{0, bin * static_cast<double>(usage.shares.size())};
    XySeries series{.name = usage.name,
                    .style = StyleOf(8 * plot.series.size()),  // colour and dash
                    .points = {},
                    .marks = false,
                    .line_width = 1.5};
    for (std::size_t i = 0; i < usage.shares.size(); ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * bin;
      series.points.push_back({.x = middle, .y = std::min(1.0, usage.shares[i])});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

HtmlFigure HitsOverTimeFigure(std::span<const PolicyTimeline> timelines,
                              std::span<const WorldEvent> events, const PolicyPart& part) {
  XyPlot plot{.label = "Hit rate over time, a line for each policy",
              .x = {.label = "time of arrival", .format = FormatTime},
              .y = {.label = "hit rate", .range = Range{0, 1}, .format = FormatPercent},
              .series = {},
              .height = 200};
  Duration bin{};
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    if (!part.Has(i)) continue;
    const RunTimeline& timeline = timelines[i].timeline;
    bin = std::max(bin, timeline.bin);
    XySeries series{.name = timelines[i].policy,
                    .style = StyleOf(i),
                    .points = {},
                    .marks = false,
                    .line_width = 1.5};
    for (std::size_t b = 0; b < timeline.hits.size(); ++b) {
      const HitsOverTime& at = timeline.hits[b];
      if (at.requests == 0) continue;
      const double middle =
          (static_cast<double>(b) + 0.5) * static_cast<double>(timeline.bin.count());
      series.points.push_back({.x = middle, .y = at.hits / at.requests});
    }
    plot.series.push_back(std::move(series));
  }
  for (const WorldEvent& event : events)
    plot.events.push_back(
        {static_cast<double>(Nanoseconds(event.at)),
         fmt::format("{}: {}", FormatTime(static_cast<double>(Nanoseconds(event.at))),
                     event.what)});
  return {
      .name = "hits-over-time",
      .title = "Hit rate over time",
      .svg = DrawXyPlot(plot),
      .caption = fmt::format("Of the requests that arrived in each {}, in the first run of each "
                             "policy.{}",
                             FormatTime(static_cast<double>(bin.count())),
                             events.empty() ? ""
                                            : " Lines from top to bottom are changes of "
                                              "the world; point at one to see which.")};
}

std::vector<HtmlFigure> TimelineFigures(const PolicyTimeline& run, Instant until) {
  return {{.name = "timeline",
           .title = "Accelerators under " + run.policy,
           .svg = DrawGantt(StretchOf(run, until)),
           .caption = fmt::format("Every segment of the first moments after the warm-up with seed "
                                  "{}, coloured by network; point at one to see whose it is.",
                                  run.seed)},
          {.name = "usage",
           .title = "Usage under " + run.policy,
           .svg = DrawXyPlot(UsageOf(run)),
           .caption =
               fmt::format("The whole run with seed {}, warm-up and drain included: units in "
                           "use by kind of accelerator, and traffic as a share of the "
                           "memory's bandwidth, averaged over {}.",
                           run.seed, FormatTime(static_cast<double>(run.timeline.bin.count())))}};
}

}  // namespace fairlead
