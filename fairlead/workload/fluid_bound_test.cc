#include "fairlead/workload/fluid_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMegabyte = 1'000'000;

// A platform, networks and costs that belong together.
struct World {
  Platform platform;
  std::vector<NetworkGraph> networks;
  std::vector<std::vector<std::vector<SegmentCost>>> costs;  // network, segment, kind

  CostTable table() const {
    CostTable costs_of(networks, platform);
    for (std::size_t n = 0; n < costs.size(); ++n) {
      for (std::size_t s = 0; s < costs[n].size(); ++s) {
        for (std::size_t k = 0; k < costs[n][s].size(); ++k) {
          if (costs[n][s][k].latency > Duration::zero())  // zero: it can't run there
            costs_of.Set(NetworkId{n}, SegmentId{s}, KindId{k}, {}, costs[n][s][k]);
        }
      }
    }
    costs_of.Seal(networks);
    return costs_of;
  }
};

SegmentCost Takes(Duration latency, std::int64_t bytes = 0) {
  return {.latency = latency, .dram_bytes = bytes};
}

// One accelerator, one network of one segment that takes 1 ms and moves 1 MB.
World Tiny() {
  World world;
  world.platform.AddKind("simba", 1);
  world.networks = {NetworkGraph::Chain("tiny", 1)};
  world.costs = {{{Takes(milliseconds(1), kMegabyte)}}};
  return world;
}

// One segment: 1 ms on the one fast accelerator, 4 ms on each of two slow ones.
World FastAndSlow() {
  World world;
  world.platform.AddKind("fast", 1);
  world.platform.AddKind("slow", 2);
  world.networks = {NetworkGraph::Chain("tiny", 1)};
  world.costs = {{{Takes(milliseconds(1)), Takes(milliseconds(4))}}};
  return world;
}

// Two branches side by side between a first and a last segment; each takes 1 ms on the one
// accelerator of kind a, 10 ms on the two of kind b.
World Diamond() {
  World world;
  world.platform.AddKind("a", 1);
  world.platform.AddKind("b", 2);
  world.networks.push_back(
      *NetworkGraph::Create("diamond", {{"0", {}}, {"1", {0}}, {"2", {0}}, {"3", {1, 2}}}));
  world.costs = {
      std::vector<std::vector<SegmentCost>>(4, {Takes(milliseconds(1)), Takes(milliseconds(10))})};
  return world;
}

Result<LargestLoad> LoadOf(const World& world, const std::vector<RequestRate>& mix) {
  const CostTable costs = world.table();
  return FindLargestLoad({world.platform, world.networks, costs}, mix);
}

Result<FluidBounds> BoundsOf(const World& world, const std::vector<ArrivalCount>& arrivals,
                             Duration useful_time) {
  const CostTable costs = world.table();
  return FindFluidBounds({world.platform, world.networks, costs}, arrivals, useful_time);
}

double MultipleOf(const World& world, Duration deadline) {
  return LoadOf(world, {{NetworkId{0}, deadline, 1}}).value().multiple;
}

TEST(LargestLoad, OneMillisecondOnOneAcceleratorIsAThousandPerSecond) {
  EXPECT_NEAR(MultipleOf(Tiny(), seconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, IsAMultipleOfTheMix) {
  EXPECT_NEAR(LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 250}}).value().multiple, 4, 1e-6);
}

TEST(LargestLoad, SumsGroups) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 100}, {NetworkId{0}, seconds(2), 300}});
  EXPECT_NEAR(load.value().multiple, 2.5, 1e-6);
}

TEST(LargestLoad, AddsUpAccelerators) {
  World world = Tiny();
  world.platform = {};
  world.platform.AddKind("simba", 3);
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 3000, 1e-3);
}

TEST(LargestLoad, SplitsBetweenKinds) {
  // 1000 per second on the fast one, 250 on each of the slow ones.
  EXPECT_NEAR(MultipleOf(FastAndSlow(), seconds(1)), 1500, 1e-3);
}

TEST(LargestLoad, ATightDeadlineExcludesTheSlowKind) {
  EXPECT_NEAR(MultipleOf(FastAndSlow(), milliseconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, AMiddlingDeadlineLimitsTheSlowShare) {
  // A share q on the slow kind gives a mean latency of 1 + 3q <= 1.6 ms: q = 0.2, so the fast one
  // carries 80 % of the load.
  EXPECT_NEAR(MultipleOf(FastAndSlow(), microseconds(1600)), 1250, 1e-3);
}

TEST(LargestLoad, BandwidthLimits) {
  World world = Tiny();
  world.platform.bandwidth = 400 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 400, 1e-3);
}

TEST(LargestLoad, AWideBandwidthDoesNotLimit) {
  World world = Tiny();
  world.platform.bandwidth = 2000 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 1000, 1e-3);
}

TEST(LargestLoad, PrefersTheKindWithLessTraffic) {
  // On the slow kind a request moves nothing: 500 per second run there, 100 on the fast one.
  World world = FastAndSlow();
  world.costs[0][0][0].dram_bytes = kMegabyte;
  world.platform.bandwidth = 100 * kMegabyte;
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 600, 1e-3);
}

TEST(LargestLoad, AChainSumsItsLatencies) {
  World world = FastAndSlow();
  world.networks = {NetworkGraph::Chain("three", 3)};
  world.costs = {std::vector<std::vector<SegmentCost>>(3, world.costs[0][0])};
  // Mean latency 3 + 9q <= 4.8 ms: q = 0.2 again, and a request takes 3 * 0.8 ms of the fast one.
  EXPECT_NEAR(MultipleOf(world, microseconds(4800)), 1000 / 2.4, 1e-3);
}

TEST(LargestLoad, BranchesRunSideBySide) {
  // A path has three segments: 3 ms just fit, though the four take 4 ms; all on kind a.
  EXPECT_NEAR(MultipleOf(Diamond(), milliseconds(3)), 250, 1e-3);
}

TEST(LargestLoad, EveryPathFitsItsDeadline) {
  // 1.8 ms of slack on a path are a share of 0.2 of the slow kind on two segments of it, the
  // branches: 0.4 of 4 segments leave 3.6 ms. Or on both ends, but these lie on both paths.
  EXPECT_NEAR(MultipleOf(Diamond(), microseconds(4800)), 1000 / 3.6, 1e-3);
}

TEST(LargestLoad, PassesOverAGroupThatIsAlwaysLate) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, microseconds(900), 50}, {NetworkId{0}, milliseconds(2), 100}});
  EXPECT_NEAR(load.value().multiple, 10, 1e-6);
}

TEST(LargestLoad, NamesAGroupThatIsAlwaysLate) {
  const auto load =
      LoadOf(Tiny(), {{NetworkId{0}, microseconds(900), 50}, {NetworkId{0}, milliseconds(2), 100}});
  EXPECT_EQ(load.value().excluded, std::vector<std::size_t>{0});
}

TEST(LargestLoad, NamesANetworkThatCannotRun) {
  World world = Tiny();
  world.networks.push_back(NetworkGraph::Chain("homeless", 1));
  world.costs.push_back({{{}}});
  const auto load =
      LoadOf(world, {{NetworkId{0}, seconds(1), 100}, {NetworkId{1}, seconds(1), 100}});
  EXPECT_EQ(load.value().excluded, std::vector<std::size_t>{1});
}

TEST(LargestLoad, IgnoresKindsWithoutAccelerators) {
  World world = FastAndSlow();
  world.platform = {};
  world.platform.AddKind("fast", 0);
  world.platform.AddKind("slow", 2);
  EXPECT_NEAR(MultipleOf(world, seconds(1)), 500, 1e-3);
}

TEST(LargestLoad, RefusesAMixThatIsAlwaysLate) {
  EXPECT_EQ(LoadOf(Tiny(), {{NetworkId{0}, Duration{1}, 100}}).error().message,
            "load: no request can meet its deadline, even alone on the idle platform");
}

TEST(LargestLoad, RefusesAMixWithoutRequests) {
  EXPECT_EQ(LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 0}}).error().message,
            "linear program: the objective has no limit");
}

TEST(LargestLoad, BearsCostsOfAllMagnitudes) {
  World world = FastAndSlow();
  world.costs[0][0] = {Takes(Duration{1}), Takes(kLongestDuration)};
  EXPECT_NEAR(MultipleOf(world, seconds(1)) / 1e9, 1, 1e-6);
}

TEST(LargestLoad, IsTheSameForTinyAndHugeRates) {
  const double tiny = LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 1e-6}}).value().multiple;
  const double huge = LoadOf(Tiny(), {{NetworkId{0}, seconds(1), 1e6}}).value().multiple;
  EXPECT_NEAR(tiny / huge, 1e12, 1e6);
}

TEST(FluidBounds, AreOneWhereAllFits) {
  const auto bounds =
      BoundsOf(Tiny(), {{AgreementId{0}, NetworkId{0}, milliseconds(5), 900}}, seconds(1));
  EXPECT_EQ(bounds.value().hit_rate, 1);
}

TEST(FluidBounds, ServeWhatTimeAllows) {
  const auto bounds =
      BoundsOf(Tiny(), {{AgreementId{0}, NetworkId{0}, milliseconds(5), 4000}}, seconds(1));
  EXPECT_NEAR(bounds.value().hit_rate, 0.25, 1e-6);
}

TEST(FluidBounds, ServeWhatBandwidthAllows) {
  World world = Tiny();
  world.platform.bandwidth = 100 * kMegabyte;
  const auto bounds =
      BoundsOf(world, {{AgreementId{0}, NetworkId{0}, milliseconds(5), 1000}}, seconds(2));
  EXPECT_NEAR(bounds.value().hit_rate, 0.2, 1e-6);
}

TEST(FluidBounds, CountRequestsThatAreAlwaysLateAsFailures) {
  const auto bounds = BoundsOf(Tiny(),
                               {{AgreementId{0}, NetworkId{0}, milliseconds(5), 30},
                                {AgreementId{0}, NetworkId{0}, microseconds(5), 10}},
                               seconds(1));
  EXPECT_EQ(bounds.value().hit_rate, 0.75);
}

TEST(FluidBounds, WithoutArrivalsAreOne) {
  EXPECT_EQ(BoundsOf(Tiny(), {}, seconds(1)).value().worst_agreement, 1);
}

// A cheap network (1 ms) of agreement 0 and a dear one (4 ms) of agreement 1.
World CheapAndDear() {
  World world = Tiny();
  world.networks.push_back(NetworkGraph::Chain("dear", 1));
  world.costs.push_back({{Takes(milliseconds(4))}});
  return world;
}
const std::vector<ArrivalCount> kCheapAndDear = {{AgreementId{0}, NetworkId{0}, seconds(1), 500},
                                                 {AgreementId{1}, NetworkId{1}, seconds(1), 500}};

TEST(FluidBounds, TheBestOverallRateStarvesTheDear) {
  // All 500 cheap ones, and in the other half second 125 dear ones.
  EXPECT_NEAR(BoundsOf(CheapAndDear(), kCheapAndDear, seconds(1)).value().hit_rate, 0.625, 1e-6);
}

TEST(FluidBounds, TheBestWorstAgreementServesBothAlike) {
  // w * 500 * 5 ms = 1 s
  EXPECT_NEAR(BoundsOf(CheapAndDear(), kCheapAndDear, seconds(1)).value().worst_agreement, 0.4,
              1e-6);
}

TEST(FluidBounds, TheWorstAgreementCannotBeatItsLateRequests) {
  const auto bounds = BoundsOf(Tiny(),
                               {{AgreementId{0}, NetworkId{0}, milliseconds(5), 10},
                                {AgreementId{1}, NetworkId{0}, milliseconds(5), 1},
                                {AgreementId{1}, NetworkId{0}, microseconds(5), 3}},
                               seconds(1));
  EXPECT_EQ(bounds.value().worst_agreement, 0.25);
}

// The same question as a plain program: a variable for each agreement and deadline, a row for each
// path through a network; no buckets, no tangents, no runs.
class WholeProgram {
 public:
  WholeProgram(const World& world, const std::vector<ArrivalCount>& arrivals, Duration useful_time)
      : world_(world), costs_(world.table()) {
    worst_ = linear_.AddVariable(1);
    for (int count : world.platform.CountByKind())
      time_.push_back(linear_.AddConstraint(0, count * Seconds(useful_time), {}));
    const double bytes = static_cast<double>(world.platform.bandwidth) * Seconds(useful_time);
    bandwidth_ = linear_.AddConstraint(0, bytes > 0 ? bytes / 1e9 : LinearProgram::kInfinity, {});
    std::map<AgreementId, double> total;
    std::map<AgreementId, std::vector<LinearProgram::Term>> served;
    for (const ArrivalCount& arrival : arrivals) {
      const auto count = static_cast<double>(arrival.count);
      const int amount = linear_.AddVariable(count);
      amounts_.push_back(amount);
      Place(arrival, amount);
      total[arrival.agreement] += count;
      served[arrival.agreement].push_back({amount, 1});
      all_ += count;
    }
    for (auto& [agreement, terms] : served) {
      terms.push_back({worst_, -total[agreement]});
      linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
    }
  }

  FluidBounds Solve() {
    for (int amount : amounts_) linear_.SetObjective(amount, 1 / all_);
    FluidBounds bounds;
    bounds.hit_rate = linear_.Maximise().value();
    for (int amount : amounts_) linear_.SetObjective(amount, 0);
    linear_.SetObjective(worst_, 1);
    bounds.worst_agreement = linear_.Maximise().value();
    return bounds;
  }

 private:
  using Terms = std::vector<LinearProgram::Term>;

  void Place(const ArrivalCount& arrival, int amount) {
    const NetworkGraph& graph = world_.networks[arrival.network.index()];
    std::vector<Terms> latency(graph.size());
    for (std::size_t s = 0; s < graph.size(); ++s) {
      Terms shares = {{amount, -1}};
      for (std::size_t k = 0; k < time_.size(); ++k) {
        const SegmentCost* cost = costs_.Alone(arrival.network, SegmentId{s}, KindId{k});
        if (cost == nullptr) continue;
        const int variable = linear_.AddVariable();
        shares.push_back({variable, 1});
        latency[s].push_back({variable, Seconds(cost->latency) * 1e3});
        linear_.AddTerm(time_[k], {variable, Seconds(cost->latency)});
        linear_.AddTerm(bandwidth_, {variable, static_cast<double>(cost->dram_bytes) / 1e9});
      }
      linear_.AddConstraint(0, 0, shares);
    }
    const Terms path = {{amount, -Seconds(arrival.deadline) * 1e3}};
    for (SegmentId source : graph.Sources()) LimitPaths(graph, latency, path, source);
  }

  // Limits every path that goes on from this one with the segment.
  void LimitPaths(const NetworkGraph& graph, const std::vector<Terms>& latency, Terms path,
                  SegmentId segment) {
    path.insert(path.end(), latency[segment.index()].begin(), latency[segment.index()].end());
    if (graph.Successors(segment).empty())
      linear_.AddConstraint(-LinearProgram::kInfinity, 0, path);
    for (SegmentId next : graph.Successors(segment)) LimitPaths(graph, latency, path, next);
  }

  World world_;
  CostTable costs_;
  LinearProgram linear_;
  int worst_;
  int bandwidth_;
  double all_ = 0;
  std::vector<int> time_;
  std::vector<int> amounts_;
};

class RandomFluid : public testing::TestWithParam<int> {
 protected:
  RandomFluid() : random_(static_cast<std::uint64_t>(GetParam()), "fluid") {
    const std::size_t kinds = 1 + random_.Below(3);
    for (std::size_t k = 0; k < kinds; ++k)
      world_.platform.AddKind("kind" + std::to_string(k), static_cast<int>(1 + random_.Below(3)));
    if (random_.Uniform() < 0.7)
      world_.platform.bandwidth = static_cast<std::int64_t>(1 + random_.Below(1000)) * kMegabyte;
    for (std::size_t n = 0; n < 3; ++n) AddNetwork(n, kinds);
    for (std::size_t a = 0; a < 12; ++a) {
      for (std::size_t level = 0; level < 3; ++level) {
        const auto share = static_cast<std::int64_t>(random_.Below(5));
        arrivals_.push_back({.agreement = AgreementId{a},
                             .network = NetworkId{a % 3},
                             .deadline = (level + 1) * typical_[a % 3] * 2 / 3,
                             .count = share * 20 + (share == 0 ? 0 : 1)});
      }
    }
  }

  void AddNetwork(std::size_t n, std::size_t kinds) {
    const std::size_t segments = 1 + random_.Below(8);
    std::vector<SegmentSpec> specs(segments);
    world_.costs.emplace_back();
    typical_.emplace_back();
    for (std::size_t s = 0; s < segments; ++s) {
      for (std::size_t before = 0; before < s; ++before) {
        if (random_.Uniform() < (before + 1 == s ? 0.8 : 0.2))
          specs[s].after.push_back(static_cast<std::uint32_t>(before));
      }
      std::vector<SegmentCost>& costs = world_.costs.back().emplace_back();
      for (std::size_t k = 0; k < kinds; ++k) {
        // Few different values, so that segments are alike now and then.
        costs.push_back(Takes(milliseconds(1 + random_.Below(4)),
                              static_cast<std::int64_t>(random_.Below(3)) * kMegabyte));
        typical_.back() += costs.back().latency / static_cast<int>(kinds);
      }
      if (kinds > 1 && random_.Uniform() < 0.2) costs[0].latency = Duration::zero();
    }
    world_.networks.push_back(*NetworkGraph::Create("network" + std::to_string(n), specs));
  }

  FluidBounds Found() { return BoundsOf(world_, arrivals_, seconds(1)).value(); }
  FluidBounds Expected() { return WholeProgram(world_, arrivals_, seconds(1)).Solve(); }

  RandomStream random_;
  World world_;
  std::vector<Duration> typical_;
  std::vector<ArrivalCount> arrivals_;
};

TEST_P(RandomFluid, OverallRateEqualsThatOfTheWholeProgram) {
  EXPECT_NEAR(Found().hit_rate, Expected().hit_rate, 1e-5);
}

TEST_P(RandomFluid, WorstAgreementEqualsThatOfTheWholeProgram) {
  EXPECT_NEAR(Found().worst_agreement, Expected().worst_agreement, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Worlds, RandomFluid, testing::Range(0, 60));

class ManyDeadlines : public testing::Test {
 protected:
  ManyDeadlines() {
    RandomStream random(3, "deadlines");
    for (std::size_t i = 0; i < 200; ++i)
      arrivals_.push_back({.agreement = AgreementId{i % 5},
                           .network = NetworkId{0},
                           .deadline = microseconds(1000 + random.Below(4000)),
                           .count = 10});
    exact_ = WholeProgram(FastAndSlow(), arrivals_, seconds(1)).Solve().hit_rate;
    found_ = BoundsOf(FastAndSlow(), arrivals_, seconds(1)).value().hit_rate;
  }
  std::vector<ArrivalCount> arrivals_;
  double exact_;
  double found_;
};

TEST_F(ManyDeadlines, NeverTightenTheBound) { EXPECT_GE(found_, exact_ - 1e-6); }

TEST_F(ManyDeadlines, LoosenTheBoundOnlyALittle) { EXPECT_LE(found_, exact_ * 1.03); }

}  // namespace
}  // namespace fairlead
