// The fluid bounds against a plain program without their shortcuts.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/workload/fluid_bound.h"
#include "fairlead/workload/linear_program.h"
#include "fairlead/workload/testing/fluid_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The same question as a plain program: a variable for each agreement and deadline, a row for each
// path through a network; no buckets, no tangents, no runs. A placement that makes a path too long
// even when all else is fastest is no choice.
class WholeProgram {
 public:
  WholeProgram(const FluidWorld& world, const std::vector<ArrivalCount>& arrivals,
               Duration useful_time)
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

  // What a segment takes at least there, in seconds.
  double LatencyOf(const SegmentCost& cost) const {
    if (world_.platform.bandwidth == 0) return Seconds(cost.latency);
    return std::max(Seconds(cost.latency), static_cast<double>(cost.dram_bytes) /
                                               static_cast<double>(world_.platform.bandwidth));
  }

  // The longest path through a segment that takes `own`, when all others are fastest.
  double LongestThrough(NetworkId network, SegmentId segment, double own) const {
    const NetworkGraph& graph = world_.networks[network.index()];
    std::vector<double> fastest;
    for (std::size_t s = 0; s < graph.size(); ++s) {
      double least = 1e9;
      for (std::size_t k = 0; k < time_.size(); ++k) {
        const SegmentCost* cost = costs_.Alone(network, SegmentId{s}, KindId{k});
        if (cost != nullptr) least = std::min(least, LatencyOf(*cost));
      }
      fastest.push_back(SegmentId{s} == segment ? own : least);
    }
    const auto longest = [&](auto&& self, SegmentId from, bool seen) -> double {
      seen = seen || from == segment;
      double rest = graph.Successors(from).empty() && !seen ? -1e9 : 0;
      for (SegmentId next : graph.Successors(from)) rest = std::max(rest, self(self, next, seen));
      return fastest[from.index()] + rest;
    };
    double most = -1e9;
    for (SegmentId source : graph.Sources()) most = std::max(most, longest(longest, source, false));
    return most;
  }

  void Place(const ArrivalCount& arrival, int amount) {
    const NetworkGraph& graph = world_.networks[arrival.network.index()];
    std::vector<Terms> latency(graph.size());
    for (std::size_t s = 0; s < graph.size(); ++s) {
      Terms shares = {{amount, -1}};
      for (std::size_t k = 0; k < time_.size(); ++k) {
        const SegmentCost* cost = costs_.Alone(arrival.network, SegmentId{s}, KindId{k});
        if (cost == nullptr) continue;
        const double own = LatencyOf(*cost);
        if (LongestThrough(arrival.network, SegmentId{s}, own) > Seconds(arrival.deadline) + 1e-8)
          continue;
        const int variable = linear_.AddVariable();
        shares.push_back({variable, 1});
        latency[s].push_back({variable, own * 1e3});
        linear_.AddTerm(time_[k], {variable, own});
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

  FluidWorld world_;
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
  FluidWorld world_;
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
