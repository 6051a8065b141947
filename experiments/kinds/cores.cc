// Sixteen measured cores (Liu et al., 2022): queries per second at 99 % satisfaction, and copies of
// one network side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "experiments/kinds/kinds.h"
#include "fairlead/running/run.h"
#include "fairlead/scenario/split.h"
#include "fairlead/world/measured_platforms.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

constexpr double kSatisfied = 0.99;
constexpr std::uint64_t kFirstTuningSeed = 1'000'001;

struct QpsMix {
  std::string name;
  std::vector<std::string> networks;
};

struct QpsSizes {
  int requests = 2000;  // that count, in every run, so that 99 % is as sharp at every load
  double level_step = 1.06;
  int tuning_seeds = 3;
  int curve_step = 3;  // every so many levels are drawn
};

Result<QpsSizes> QpsSizesOf(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  QpsSizes sizes;
  if (!grid.options.has_value()) return sizes;
  ASSIGN_OR_RETURN(const ConfigMap both, ConfigMap::Open(*grid.options, {"full", "quick"}));
  ASSIGN_OR_RETURN(const ConfigNode node, both.Require(plan.quick ? "quick" : "full"));
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"requests", "level_step", "tuning_seeds", "curve_step"}));
  RETURN_IF_ERROR(map.ReadInteger("requests", sizes.requests, 1, 10'000'000));
  RETURN_IF_ERROR(map.ReadNumber("level_step", sizes.level_step, 1.001, 10));
  RETURN_IF_ERROR(map.ReadInteger("tuning_seeds", sizes.tuning_seeds, 1, 1000));
  RETURN_IF_ERROR(map.ReadInteger("curve_step", sizes.curve_step, 1, 1000));
  return sizes;
}

std::string QpsScenario(const QpsMix& mix, double per_second, int requests) {
  const double microseconds = 1e6 * requests / per_second;
  std::string text = fmt::format(
      "name: cpu-qps-{}\nhorizon: {:.0f}us\nwarm_up: {:.0f}us\nplatform: cores-16\n"
      "interference: {{truth: measured}}\nnetworks: {{segments: layers}}\n"
      "deadlines: {{factor: 2.5, levels: [1]}}\narrivals: {{process: poisson}}\ntenants:\n",
      mix.name, 1.1 * microseconds, 0.1 * microseconds);
  for (const std::string& network : mix.networks)
    text += fmt::format("  - {{name: {0}, networks: [{0}], rate: {1:.6f}/s}}\n", network,
                        per_second / static_cast<double>(mix.networks.size()));
  return text;
}

// A mix at growing loads. Runs are independent of each other and may go on side by side.
class QpsCourse {
 public:
  static Result<QpsCourse> Make(const QpsMix& mix, const QpsSizes& sizes) {
    QpsCourse course;
    // Nobody serves more than all cores without any loss.
    double core_seconds = 0;
    for (const std::string& network : mix.networks)
      core_seconds += SecondsOnCores(network, 1) / static_cast<double>(mix.networks.size());
    for (double load = 0.05; load < 1.05; load *= sizes.level_step) {
      const double per_second = 16 * load / core_seconds;
      ASSIGN_OR_RETURN(Scenario scenario,
                       ParseScenario("cpu-qps", QpsScenario(mix, per_second, sizes.requests)));
      ASSIGN_OR_RETURN(auto world, BuildWorld(std::move(scenario), &ReadFile));
      course.levels_.push_back({per_second, std::move(world)});
    }
    return course;
  }

  std::size_t levels() const { return levels_.size(); }
  double PerSecond(std::size_t level) const { return levels_[level].per_second; }
  Result<double> HitRate(std::size_t level, std::string_view policy, std::uint64_t seed) const {
    ASSIGN_OR_RETURN(const RunFigures figures,
                     RunOnce(*levels_[level].world,
                             {.policy = std::string(policy), .seed = seed, .bounds = false}, {}));
    return figures.hit_rate.value_or(1);
  }

  // The load at which the hit rate falls below what is asked for: by halving, then on a straight
  // line between two levels.
  Result<double> MostPerSecond(std::string_view policy, std::uint64_t seed) const {
    std::size_t good = 0;
    std::size_t bad = levels_.size();
    double good_rate = 1;
    double bad_rate = 0;
    ASSIGN_OR_RETURN(const double first, HitRate(0, policy, seed));
    if (first < kSatisfied) return 0.0;
    good_rate = first;
    while (bad - good > 1) {
      const std::size_t middle = (good + bad) / 2;
      ASSIGN_OR_RETURN(const double rate, HitRate(middle, policy, seed));
      (rate >= kSatisfied ? good : bad) = middle;
      (rate >= kSatisfied ? good_rate : bad_rate) = rate;
    }
    if (bad == levels_.size()) return PerSecond(good);
    const double share = (good_rate - kSatisfied) / std::max(good_rate - bad_rate, 1e-9);
    return PerSecond(good) + share * (PerSecond(bad) - PerSecond(good));
  }

 private:
  struct Level {
    double per_second = 0;
    std::shared_ptr<const World> world;
  };
  std::vector<Level> levels_;
};

// A policy with those of its options that serve most on tuning seeds; the first of equals. The
// field `choices` has them, with a | between.
Result<std::string> WithBestOptions(const QpsCourse& course, const Contestant& policy,
                                    int tuning_seeds) {
  const std::string spec = policy.Field("policy");
  const std::string choices = policy.Field("choices");
  std::string chosen = spec;
  double most = -1;
  for (const std::string_view choice : SplitAt(choices, '|')) {
    if (choice.empty()) return spec;
    const char separator = spec.find(':') == std::string::npos ? ':' : ';';
    const std::string tried = fmt::format("{}{}{}", spec, separator, choice);
    double sum = 0;
    for (int s = 0; s < tuning_seeds; ++s) {
      ASSIGN_OR_RETURN(const double served,
                       course.MostPerSecond(tried, kFirstTuningSeed + static_cast<unsigned>(s)));
      sum += served;
    }
    if (sum <= most) continue;
    most = sum;
    chosen = tried;
  }
  return chosen;
}

// One policy in one mix with one seed; the hit rate at each load too, of the first seed.
Result<std::vector<ExperimentRow>> RunQps(const QpsCourse& course, const std::string& policy,
                                          std::uint64_t seed, int curve_step) {
  std::vector<ExperimentRow> rows(1);
  ASSIGN_OR_RETURN(const double served, course.MostPerSecond(policy, seed));
  rows[0].Add("qps", served);
  for (std::size_t level = 0; curve_step > 0 && level < course.levels();
       level += static_cast<std::size_t>(curve_step)) {
    ASSIGN_OR_RETURN(const double rate, course.HitRate(level, policy, seed));
    rows.push_back({.x = course.PerSecond(level)});
    rows.back().Add("satisfied", rate);
  }
  return rows;
}

// So many copies of a network at once on four cores each, the first of four parts: the mean time
// from start to end, in seconds. The other parts are there, and idle.
Result<double> CopiesSideBySide(std::string_view network, int copies) {
  std::string requests = "request,arrival_ns,tenant,network,deadline_ns\n";
  for (int i = 0; i < 4; ++i)
    requests +=
        fmt::format("{},{},t{},{},1000000000\n", i, i < copies ? 0 : 50'000'000'000, i, network);
  ASSIGN_OR_RETURN(Scenario scenario,
                   ParseScenario("colocation",
                                 "platform: cores-16\ninterference: {truth: measured}\n"
                                 "networks: {segments: layers}\nrequests: requests.csv\n"));
  ASSIGN_OR_RETURN(const auto world,
                   BuildWorld(std::move(scenario),
                              [&](const std::string&) -> Result<std::string> { return requests; }));
  std::vector<LoggedJob> jobs;
  RETURN_IF_ERROR(
      RunOnce(*world, {.policy = "static-partition", .bounds = false}, {.jobs = &jobs}));
  double sum = 0;
  for (const LoggedJob& job : jobs) {
    if (job.arrival == Instant{}) sum += Seconds(job.finish - job.arrival);
  }
  return sum / copies;
}

}  // namespace

// A world is a mix: its setting `networks` names them, with a | between.
Tasks CoresQpsTasks(const ExperimentGrid& grid, const ExperimentPlan& plan) {
  ASSIGN_OR_RETURN(const QpsSizes sizes, QpsSizesOf(grid, plan));
  struct Mix {
    std::string name;
    std::shared_ptr<MadeOnce<QpsCourse>> course;
    std::vector<std::shared_ptr<MadeOnce<std::string>>> policies{};
  };
  std::vector<Mix> mixes;
  for (const ExperimentWorld& of : grid.worlds) {
    QpsMix mix{.name = of.name, .networks = {}};
    for (const Setting& setting : of.settings) {
      for (const std::string_view network : SplitAt(setting.value, '|'))
        mix.networks.emplace_back(network);
    }
    const auto course =
        std::make_shared<MadeOnce<QpsCourse>>([mix, sizes] { return QpsCourse::Make(mix, sizes); });
    mixes.push_back({of.name, course});
    for (const Contestant& policy : grid.policies)
      mixes.back().policies.push_back(std::make_shared<MadeOnce<std::string>>(
          [course, policy, seeds = sizes.tuning_seeds]() -> Result<std::string> {
            if (!course->Get().has_value()) return tl::unexpected(course->Get().error());
            return WithBestOptions(*course->Get(), policy, seeds);
          }));
  }
  // Seed by seed, so that threads choose options of different policies at the same time.
  std::vector<ExperimentTask> tasks;
  for (const std::uint64_t seed : grid.Seeds(plan)) {
    for (std::size_t m = 0; m < mixes.size(); ++m) {
      for (std::size_t p = 0; p < grid.policies.size(); ++p) {
        const Contestant& policy = grid.policies[p];
        const int curve = seed == plan.seed ? sizes.curve_step : 0;
        std::string key =
            fmt::format("{} {} {} {} {} {} {}", mixes[m].name,
                        grid.worlds[m].settings.front().value, policy.Field("policy"),
                        policy.Field("choices"), sizes.requests, sizes.level_step, seed);
        key += fmt::format(" {} {}", sizes.tuning_seeds, curve);
        tasks.push_back({std::move(key),
                         [mix = mixes[m], p, seed, curve,
                          name = policy.name]() -> Result<std::vector<ExperimentRow>> {
                           const auto& chosen = mix.policies[p]->Get();
                           if (!chosen.has_value()) return tl::unexpected(chosen.error());
                           ASSIGN_OR_RETURN(auto rows,
                                            RunQps(*mix.course->Get(), *chosen, seed, curve));
                           for (ExperimentRow& row : rows) {
                             row.world = mix.name;
                             row.policy = name;
                             row.seed = seed;
                           }
                           return rows;
                         }});
      }
    }
  }
  tasks.push_back({"truth", []() -> Result<std::vector<ExperimentRow>> {
                     // The world's slowdowns are a curve fitted to half of the measured mixes: how
                     // right it is on the other half, and how right "nobody is slowed" would be.
                     const PressureAccuracy accuracy = AccuracyOfMeasuredCores();
                     ExperimentRow row{.world = "truth", .policy = "measured"};
                     row.Add("right", accuracy.curve);
                     row.Add("right_of_none", accuracy.none);
                     return std::vector{std::move(row)};
                   }});
  return tasks;
}

Tasks ColocationTasks(const ExperimentGrid& /*grid*/, const ExperimentPlan& /*plan*/) {
  std::vector<ExperimentTask> tasks;
  for (const MeasuredCopies& measured : MeasuredCopiesOnCores()) {
    const auto run = [measured]() -> Result<std::vector<ExperimentRow>> {
      ASSIGN_OR_RETURN(const double alone, CopiesSideBySide(measured.network, 1));
      ASSIGN_OR_RETURN(const double together, CopiesSideBySide(measured.network, measured.copies));
      ExperimentRow row{.world = std::string(measured.network),
                        .policy = fmt::format("{}", measured.copies)};
      row.Add("measured", measured.slowdown);
      row.Add("simulated", together / alone);
      return std::vector{std::move(row)};
    };
    tasks.push_back({fmt::format("{} {}", measured.network, measured.copies), run});
  }
  return tasks;
}

}  // namespace fairlead
