#include "fairlead/running/share_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fairlead {
namespace {

void AddClassNumbers(const ShareTable& table, const ShareSetting& setting, const ShareGrid& grid,
                     ExperimentResults& results) {
  for (std::size_t c = 0; c < table.cases.size(); ++c) {
    const std::size_t classes = grid.At(0, 0, c).classes.size();
    for (std::size_t k = 0; k < classes; ++k) {
      std::vector<double> values;
      for (int s = 0; s < grid.seeds(); ++s) {
        double sum = 0;
        for (int w = 0; w < grid.worlds(); ++w) sum += grid.At(w, s, c).classes[k].throughput;
        values.push_back(sum / grid.worlds());
      }
      AddNumber(results,
                fmt::format("throughput-w{}/{}/{}", grid.At(0, 0, c).classes[k].weight,
                            setting.name, table.cases[c].name),
                values);
    }
  }
}

void AddMeasure(const ShareTable& table, const ShareSetting& setting, const ShareMeasure& measure,
                const ShareGrid& grid, ExperimentResults& results) {
  for (std::size_t c = 0; c < table.cases.size(); ++c) {
    AddNumber(results, fmt::format("{}/{}/{}", measure.name, setting.name, table.cases[c].name),
              grid.BySeed(c, measure.of));
    for (int w = 0; table.by_load && w < grid.worlds(); ++w)
      AddNumber(results,
                fmt::format("{}/{}@{}/{}", measure.name, setting.name,
                            std::lround(100 * grid.load(w)), table.cases[c].name),
                grid.BySeed(c, measure.of, w));
  }
  if (!measure.plotted || grid.worlds() < 2) return;
  const std::string title = fmt::format("{}, {}", measure.name, setting.words);
  results.figures.push_back({.name = fmt::format("{}-{}", measure.name, setting.name),
                             .title = title,
                             .svg = grid.Plot(table.cases, measure.of, title, measure.unit),
                             .caption = "Means over seeds; the intervals stand in the table."});
}

void AddRatios(const ShareTable& table, const ShareSetting& setting, const ShareGrid& grid,
               ExperimentResults& results) {
  const auto against = std::ranges::find(table.cases, table.against, &ShareGridCase::name);
  if (against == table.cases.end()) return;
  const auto base = static_cast<std::size_t>(against - table.cases.begin());
  for (std::size_t c = 0; c < table.cases.size(); ++c) {
    if (c == base) continue;
    AddNumber(results,
              fmt::format("over-{}/{}/{}", table.against, setting.name, table.cases[c].name),
              grid.RatioBySeed(c, base, table.measures.front().of));
  }
}

}  // namespace

Result<ExperimentResults> RunShareTable(const ShareTable& table, const ExperimentPlan& plan) {
  ExperimentResults results;
  double done = 0;
  for (const ShareSetting& setting : table.settings) {
    ASSIGN_OR_RETURN(SharingScenario scenario, ShippedSharingScenario(setting.scenario));
    if (setting.change) {
      for (RoundWorld& world : scenario.worlds) setting.change(world);
    }
    ASSIGN_OR_RETURN(const ShareGrid grid, ShareGrid::Run(scenario, table.cases, plan, table.envy));
    for (const ShareMeasure& measure : table.measures)
      AddMeasure(table, setting, measure, grid, results);
    if (table.by_class) AddClassNumbers(table, setting, grid, results);
    AddRatios(table, setting, grid, results);
    if (table.also) table.also(setting, grid, results);
    done += 1 / static_cast<double>(table.settings.size());
    if (plan.progressed) plan.progressed(done);
  }
  return results;
}

}  // namespace fairlead
