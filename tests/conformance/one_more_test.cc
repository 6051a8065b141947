// One more accelerator makes no policy worse: where the memory is the bottleneck, a list policy
// that starts all it can has more co-runners then, and all of them end later. The limit on memory
// (`memory`) is what holds every policy that has it to this law.
//
// The same requests, at fixed rates and with fixed deadlines, on four Simbas and an Eyeriss that
// share 16 GB/s, and with one more of either kind. The overall hit rates are compared seed by seed.
// A policy is worse if the interval of the difference lies below 0. It is one of many that are
// looked at, so its confidence is 95 % for all of them together (Bonferroni). Three are known to
// break the law, by half a point to one and a half, where they broke it by five without the limit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/statistics.h"
#include "tests/conformance/policy_specs.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

struct Arrays {
  int simbas;
  int eyerisses;
};
constexpr Arrays kBefore = {4, 1};
constexpr Arrays kOneMore[] = {{4, 2}, {5, 1}};

struct Extent {
  int seconds;  // one of them is warm-up
  std::uint64_t seeds;
};
constexpr Extent kShort = {3, 8};
constexpr Extent kLong = {16, 10};

std::unique_ptr<const World> WorldOf(Arrays arrays, Extent extent) {
  std::string scenario = fmt::format(R"(
horizon: {}s
warm_up: 1s
platform:
  bandwidth: 16GB/s
  accelerators: [{{kind: simba, count: {}}}, {{kind: eyeriss, count: {}}}]
deadlines: {{factor: 4, levels: [0.8, 1.0, 1.2]}}
arrivals: {{process: pareto, shape: 2}}
tenants:
)",
                                     extent.seconds, arrays.simbas, arrays.eyerisses);
  // The mix of fairness-simba-eyeriss: as many of each, and four times their latencies alone.
  for (const char* network : {"alexnet", "inception-v3", "resnet50", "yolo-v3"})
    scenario += fmt::format("  - {{name: {0}, count: 5, networks: [{0}], rate: 8.8/s}}\n", network);
  auto world = WorldOfTexts(scenario, "", "");
  EXPECT_TRUE(world.has_value()) << world.error().message;
  return std::move(*world);
}

// Of what arrived after the warm-up, seed by seed.
std::vector<double> HitRates(const World& world, std::string_view policy, std::uint64_t seeds) {
  std::vector<double> rates;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulatedRun run(world, policy, seed);
    const Status status = run.Run();
    EXPECT_TRUE(status.has_value()) << status.error().message;
    rates.push_back(run.simulator().engine().state().ledger.MeasuredTotal().HitRateOr(0));
  }
  return rates;
}

// Policies that have the option, giving up what is hopeless where that is an option too.
std::vector<std::string> Limited() {
  std::vector<std::string> specs;
  for (const PolicyEntry& policy : Policies()) {
    const auto has = [&](std::string_view key) {
      return std::ranges::find(policy.options, key, &OptionInfo::key) != policy.options.end();
    };
    if (has("memory"))
      specs.push_back(fmt::format("{}{}", policy.name, has("drop") ? ":drop=early" : ""));
  }
  return specs;
}

double Confidence() {
  return 1 - 0.05 / static_cast<double>(Limited().size() * std::size(kOneMore));
}

// With one more, minus without.
std::vector<Estimate> Differences(const std::string& policy, Extent extent) {
  const std::vector<double> before = HitRates(*WorldOf(kBefore, extent), policy, extent.seeds);
  std::vector<Estimate> differences;
  for (const Arrays& more : kOneMore) {
    const std::vector<double> after = HitRates(*WorldOf(more, extent), policy, extent.seeds);
    differences.push_back(EstimateDifference(after, before, Confidence()));
  }
  return differences;
}

bool IsWorse(const Estimate& difference) { return difference.mean + *difference.half_width < 0; }

std::string Figures(const Arrays& arrays, const Estimate& difference) {
  return fmt::format("with {}+{}: {:+.2f} +- {:.2f} points", arrays.simbas, arrays.eyerisses,
                     100 * difference.mean, 100 * *difference.half_width);
}

// With a fifth Simba, on seeds 1 to 10 of the long runs.
struct KnownWorse {
  std::string_view policy;
  double points;
};
constexpr KnownWorse kKnownWorse[] = {
    {"edf-h:drop=early", -0.54},
    {"sjf:drop=early", -0.48},
    {"dysta:drop=early", -1.33},
};

const KnownWorse* Known(std::string_view policy, const Arrays& arrays) {
  const auto* known = std::ranges::find(kKnownWorse, policy, &KnownWorse::policy);
  return arrays.simbas > kBefore.simbas && known != std::end(kKnownWorse) ? known : nullptr;
}

class OneMoreTest : public ::testing::TestWithParam<std::string> {};

// Too short to tell by how much those known are worse.
TEST_P(OneMoreTest, MakesNoPolicyWorse) {
  const std::vector<Estimate> differences = Differences(GetParam(), kShort);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (Known(GetParam(), kOneMore[i]) != nullptr) continue;
    EXPECT_FALSE(IsWorse(differences[i])) << Figures(kOneMore[i], differences[i]);
  }
}

TEST_P(OneMoreTest, MakesNoPolicyWorseInLongRuns_slow) {
  const std::vector<Estimate> differences = Differences(GetParam(), kLong);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const KnownWorse* const known = Known(GetParam(), kOneMore[i]);
    EXPECT_EQ(IsWorse(differences[i]), known != nullptr) << Figures(kOneMore[i], differences[i]);
    if (known != nullptr) {
      EXPECT_NEAR(100 * differences[i].mean, known->points, 0.1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, OneMoreTest, ::testing::ValuesIn(Limited()),
                         [](const auto& test) { return TestName(test.param); });

// Without the limit the law is broken, and this is enough to see it.
TEST(OneMoreUnlimitedTest, MakesPoliciesWorse) {
  for (const char* policy : {"edf-h:drop=early;memory=any", "dysta:drop=early;memory=any"}) {
    const std::vector<Estimate> differences = Differences(policy, kShort);
    for (std::size_t i = 0; i < differences.size(); ++i)
      EXPECT_TRUE(IsWorse(differences[i])) << policy << ' ' << Figures(kOneMore[i], differences[i]);
  }
}

}  // namespace
}  // namespace fairlead::testing
