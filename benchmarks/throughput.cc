// How many segments a second does the simulator finish on one core, and does that rate hold from
// ten thousand to ten million segments? The hundred-tenant scenario under edf-h, in several worlds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/harness.h"

namespace fairlead {
namespace {

constexpr double kAsked = 1e6;  // segments a second, everywhere

struct Case {  // NOLINT: in the order in which it is read
  std::string_view name;
  std::string_view policy;
  Sharing sharing;
  double load;
  LateJobs late;
};

constexpr Case kCases[] = {
    {"proportional", "edf-h", Sharing::kProportional, 0.9, LateJobs::kFinish},
    {"max-min", "edf-h", Sharing::kMaxMin, 0.9, LateJobs::kFinish},
    {"overload, late finish", "edf-h", Sharing::kProportional, 1.5, LateJobs::kFinish},
    {"overload, max-min", "edf-h", Sharing::kMaxMin, 1.5, LateJobs::kFinish},
    {"overload, late dropped", "edf-h", Sharing::kProportional, 1.5, LateJobs::kDrop},
    {"overload, drop=early", "edf-h:drop=early", Sharing::kProportional, 1.5, LateJobs::kFinish},
};

struct Options {
  bool quick = false;
  int repetitions = 5;
  std::string scenario = WorldKnobs{}.scenario;
};

struct Row {
  std::uint64_t segments = 0;
  double lower_quartile = 0;  // of segments a second of processor time
  double median = 0;
  double wall_median = 0;
};

Result<Row> Measure(const World& world, std::string_view policy, int repetitions) {
  Row row;
  std::vector<double> rates;
  std::vector<double> wall_rates;
  for (int i = 0; i < repetitions; ++i) {
    ASSIGN_OR_RETURN(const MeasuredRun run, Simulate(world, {.policy = policy}));
    row.segments = run.segments;
    rates.push_back(run.PerSecond());
    wall_rates.push_back(run.PerWallSecond());
  }
  row.lower_quartile = Quantile(rates, 0.25);
  row.median = Quantile(rates, 0.5);
  row.wall_median = Quantile(wall_rates, 0.5);
  return row;
}

struct Verdict {
  double slowest = 1e18;  // median rate
  double largest_fall = 0;
};

// One world in growing sizes. The rate of a size is compared with the best of the sizes below it:
// what grows faster than the size shows as a fall.
Status MeasureGrowth(const Options& options, const Case& the_case, Verdict& verdict) {
  WorldKnobs knobs{.scenario = options.scenario,
                   .load = the_case.load,
                   .sharing = the_case.sharing,
                   .late = the_case.late};
  ASSIGN_OR_RETURN(const auto probe, LoadWorld(knobs));
  double best = 0;
  for (int exponent = 4; exponent <= (options.quick ? 6 : 7); ++exponent) {
    knobs.horizon = HorizonFor(*probe, std::pow(10.0, exponent));
    ASSIGN_OR_RETURN(const auto world, LoadWorld(knobs));
    // Short runs are over before a clock can tell, so they are repeated more often.
    const int repetitions = exponent <= 5 ? 4 * options.repetitions : options.repetitions;
    ASSIGN_OR_RETURN(const Row row, Measure(*world, the_case.policy, repetitions));
    const double relative = best == 0 ? 1 : row.median / best;
    best = std::max(best, row.median);
    verdict.slowest = std::min(verdict.slowest, row.median);
    verdict.largest_fall = std::max(verdict.largest_fall, 1 - relative);
    fmt::print("{:24}10^{} {:>10} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f}\n", the_case.name, exponent,
               row.segments, row.lower_quartile / 1e6, row.median / 1e6, row.wall_median / 1e6,
               relative);
    std::fflush(stdout);
  }
  return {};
}

Status RunAll(const Options& options) {
  fmt::print("{}, edf-h: million segments a second on one core\n\n", options.scenario);
  fmt::print("{:24}{:4} {:>10} {:>8} {:>8} {:>8} {:>8}\n", "world", "size", "segments", "quartile",
             "median", "of wall", "growth");
  Verdict verdict;
  for (const Case& the_case : kCases) RETURN_IF_ERROR(MeasureGrowth(options, the_case, verdict));
  fmt::print(
      "\nquartile, median: per second of processor time; of wall: median per second of wall "
      "time\ngrowth: the median over the best median of the smaller sizes; 1 is linear\n");
  fmt::print("slowest: {:.2f} M/s (asked: {:.0f} M/s)   largest fall with size: {:.0f} %\n",
             verdict.slowest / 1e6, kAsked / 1e6, 100 * verdict.largest_fall);
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("throughput", "How many segments a second does one core simulate?");
  arguments.Add("--quick", options.quick, "up to 10^6 segments instead of 10^7, once each");
  arguments.Add("--repetitions", options.repetitions, "runs of each size; 5");
  arguments.Add("--scenario", options.scenario, "another scenario");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.quick) options.repetitions = 1;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "throughput: {}\n", status.error().message);
  return 1;
}
