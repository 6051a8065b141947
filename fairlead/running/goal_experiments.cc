#include "fairlead/running/goal_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "fairlead/running/goal_grid.h"
#include "fairlead/running/goal_platforms.h"

namespace fairlead {
namespace {

double MeanOf(std::span<const double> values) { return EstimateMean(values).mean; }

// How many times as much the first rival has as another, a number for each scenario.
std::vector<double> RatiosTo(const GoalGrid& grid, const GoalPlatform& platform, std::size_t one,
                             std::size_t other) {
  std::vector<double> ratios;
  for (const GoalCase& found : grid.cases()) {
    if (found.platform == &platform)
      ratios.push_back(MeanOf(found.scores[one]) / std::max(MeanOf(found.scores[other]), 1e-9));
  }
  return ratios;
}

std::string WithInterval(const Estimate& estimate) {
  return estimate.half_width.has_value()
             ? fmt::format("{:+.1f} ± {:.1f}", 100 * (estimate.mean - 1),
                           100 * *estimate.half_width)
             : fmt::format("{:+.1f}", 100 * (estimate.mean - 1));
}

void AddNumberOf(ExperimentResults& results, std::string name, const Estimate& estimate) {
  results.numbers.push_back({std::move(name), estimate});
}

void AddCount(ExperimentResults& results, std::string name, double count) {
  AddNumberOf(results, std::move(name), {.count = 1, .mean = count, .half_width = std::nullopt});
}

HtmlCell CellOf(std::string text, bool strong = false) {
  return {.text = std::move(text), .note = {}, .strong = strong};
}

std::size_t RivalCalled(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kGoalRivals, name, &GoalRival::name) -
                                  kGoalRivals.begin());
}

// Scenarios in which one differs from another by more than the interval, which holds both the
// chance of the searches and that of the seeds that judge what they found.
struct Apart {
  std::size_t below = 0;
  std::size_t above = 0;
};
Apart BeyondInterval(const GoalGrid& grid, const GoalPlatform& platform, std::size_t one,
                     std::size_t other) {
  Apart apart;
  for (const GoalCase& found : grid.cases()) {
    if (found.platform != &platform) continue;
    const Estimate difference = EstimateDifference(found.scores[one], found.scores[other]);
    if (!difference.half_width.has_value()) continue;
    if (difference.mean + *difference.half_width < 0) ++apart.below;
    if (difference.mean - *difference.half_width > 0) ++apart.above;
  }
  return apart;
}

struct Comparison {
  std::string_view one;
  std::string_view other;
};

void AddComparisons(const GoalGrid& grid, const GoalPlatform& platform, std::string_view caption,
                    std::span<const Comparison> comparisons, ExperimentResults& results) {
  HtmlTable table{
      .caption = fmt::format("{}{}: {}, in %, mean over {} scenarios; and in how many it is below "
                             "and above beyond the interval of searches and seeds",
                             platform.name, platform.synthetic ? " (synthetic)" : "", caption,
                             RatiosTo(grid, platform, 0, 0).size()),
      .columns = {"", "over", "gain %", "least", "most", "below", "above"},
      .rows = {}};
  for (const auto& [one, other] : comparisons) {
    const std::size_t first = RivalCalled(one);
    const std::size_t second = RivalCalled(other);
    const auto ratios = RatiosTo(grid, platform, first, second);
    const Estimate gain = EstimateMean(ratios);
    const auto [below, above] = BeyondInterval(grid, platform, first, second);
    const auto name = [&](std::string_view how) {
      return fmt::format("{}/{}-{}-{}", platform.name, one, how, other);
    };
    AddNumberOf(results, name("over"), gain);
    AddCount(results, name("below"), static_cast<double>(below));
    AddCount(results, name("above"), static_cast<double>(above));
    table.rows.push_back({CellOf(std::string(one)), CellOf(std::string(other)),
                          CellOf(WithInterval(gain), true),
                          CellOf(fmt::format("{:+.1f}", 100 * (std::ranges::min(ratios) - 1))),
                          CellOf(fmt::format("{:+.1f}", 100 * (std::ranges::max(ratios) - 1))),
                          CellOf(fmt::format("{}", below)), CellOf(fmt::format("{}", above))});
  }
  results.tables.push_back(std::move(table));
}

void AddAllComparisons(const GoalGrid& grid, const GoalPlatform& platform,
                       ExperimentResults& results) {
  std::vector<Comparison> learned;
  for (const GoalRival& rival : kGoalRivals) {
    const bool itself = rival.name == "learned";
    if (!itself && !rival.name.starts_with("idle-")) learned.push_back({"learned", rival.name});
  }
  AddComparisons(grid, platform, "`learned` over each other", learned, results);
  // A list policy searches nothing and looks at its queues.
  constexpr std::array<Comparison, 5> kLists = {{{"edf-h-learned", "edf-h"},
                                                 {"edf-h-learned", "edf-h-constant"},
                                                 {"edf-h-beside", "edf-h"},
                                                 {"edf-h-beside", "edf-h-constant"},
                                                 {"edf-h-beside", "edf-h-learned"}}};
  AddComparisons(grid, platform, "what a belief is worth to `edf-h`", kLists, results);
  constexpr std::array<Comparison, 5> kIdle = {{{"idle-learned", "idle-constant"},
                                                {"idle-learned", "idle-none"},
                                                {"idle-learned", "idle-base"},
                                                {"idle-learned", "learned"},
                                                {"idle-learned", "edf-h-learned"}}};
  AddComparisons(grid, platform, "searched and run with `route=idle`", kIdle, results);
}

// Searches with the same budget, judged in the world that they searched in, on other traffic.
void AddSearches(const GoalGrid& grid, const GoalPlatform& platform, ExperimentResults& results) {
  for (std::size_t r = 0; r < kGoalRivals.size(); ++r) {
    if (kGoalRivals[r].method == SearchMethod::kSampling) continue;
    std::vector<double> ratios;
    for (const GoalCase& found : grid.cases()) {
      if (found.platform == &platform)
        ratios.push_back(found.believed[r] / std::max(found.believed[0], 1e-9));
    }
    const Estimate gain = EstimateMean(ratios);
    AddNumberOf(
        results,
        fmt::format("{}/search/{}-over-sampling", platform.name, ToString(kGoalRivals[r].method)),
        gain);
    results.findings.push_back(fmt::format(
        "{}: searching by {} finds {} % more than sampling with the same number of simulations, on "
        "traffic that neither has seen, in the world as it is believed.",
        platform.name, ToString(kGoalRivals[r].method), WithInterval(gain)));
  }
}

Status AddPlacements(const GoalPlatform& platform, ExperimentResults& results) {
  std::vector<double> all;
  for (const SetOfFour& set : kGoalSets) {
    ASSIGN_OR_RETURN(const World world, GoalWorld(platform, set, kGoalRatios[0], 100));
    const auto some = PlacementSlowdowns(world, platform.truth, 50, 1);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  for (const auto& [name, share] :
       {std::pair{"p10", 0.1}, std::pair{"median", 0.5}, std::pair{"p90", 0.9}})
    AddCount(results, fmt::format("{}/placements/{}", platform.name, name), Quantile(all, share));
  AddCount(results, fmt::format("{}/belief/accuracy", platform.name), platform.accuracy);
  AddCount(results, fmt::format("{}/belief/constant", platform.name), platform.factor);
  results.findings.push_back(fmt::format(
      "{}{}: of random placements that leave no accelerator idle, half are slowed by {:.2f} or "
      "more, a tenth by {:.2f} (seed 003: half by 1.24 on the GPU, 1.22 on DLAs). The learned "
      "belief is {:.1f} % right about placements, the constant is {:.3f}.",
      platform.name, platform.synthetic ? " (synthetic)" : "", Quantile(all, 0.5),
      Quantile(all, 0.9), 100 * platform.accuracy, platform.factor));
  return {};
}

void AddScenarios(const GoalGrid& grid, ExperimentResults& results) {
  HtmlTable table{.caption = "Every scenario, per second; means over repetitions",
                  .columns = {"platform", "networks", "ratio"},
                  .rows = {}};
  for (const GoalRival& rival : kGoalRivals) table.columns.emplace_back(rival.name);
  for (const GoalCase& one : grid.cases()) {
    std::vector<HtmlCell> row = {CellOf(one.platform->name),
                                 CellOf(fmt::format("{}", fmt::join(kGoalSets[one.set], " "))),
                                 CellOf(fmt::format("{}", fmt::join(kGoalRatios[one.ratio], ":")))};
    for (const auto& by_seed : one.scores)
      row.push_back(CellOf(fmt::format("{:.0f}", MeanOf(by_seed))));
    table.rows.push_back(std::move(row));
  }
  results.tables.push_back(std::move(table));
}

Result<ExperimentResults> RunGoalExperiment(const ExperimentPlan& plan, GoalKind goal) {
  GoalGrid grid(plan, goal);
  RETURN_IF_ERROR(grid.Run());
  ExperimentResults results;
  for (const GoalPlatform& platform : grid.platforms()) {
    if (RatiosTo(grid, platform, 0, 0).empty()) continue;
    RETURN_IF_ERROR(AddPlacements(platform, results));
    AddAllComparisons(grid, platform, results);
    AddSearches(grid, platform, results);
  }
  const std::size_t draws = grid.cases().empty() ? 0 : grid.cases().front().draws;
  results.findings.push_back(fmt::format(
      "{} assignments are drawn in each search: with a probability of 95 % the best is among the "
      "best {:.1f} % of all that can be drawn. Each of {} repetitions searches anew and is judged "
      "on "
      "seeds of its own.",
      draws, 100 * SureShare(draws, 0.95), grid.sizes().searches));
  AddScenarios(grid, results);
  return results;
}

}  // namespace

Result<ExperimentResults> RunGoodputExperiment(const ExperimentPlan& plan) {
  return RunGoalExperiment(plan, GoalKind::kGoodput);
}

Result<ExperimentResults> RunSlo99Experiment(const ExperimentPlan& plan) {
  return RunGoalExperiment(plan, GoalKind::kSlo99);
}

}  // namespace fairlead
