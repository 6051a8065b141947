// The laws that every registered policy obeys, in random worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/conformance/policy_specs.h"
#include "tests/conformance/random_world.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 120;

class ConformanceTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs the policy in each random world and hands the finished run to `law`.
  template <typename Law>
  void InEveryWorld(Law&& law) {
    for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
      const RandomWorldTexts texts = DrawWorld(seed);
      const auto world = BuildRandomWorld(texts);
      SimulatedRun run(*world, GetParam(), seed);
      const Status status = run.Run();
      ASSERT_TRUE(status.has_value())
          << "world " << seed << ": " << status.error().message << texts.scenario;
      law(*world, run, seed);
      if (HasFailure()) FAIL() << "in world " << seed << "\n" << texts.scenario;
    }
  }
};

// The engine refuses wrong plans, so a finished run has only right ones; what is left to see is
// that everybody ends, once.
TEST_P(ConformanceTest, EveryRequestEndsExactlyOnce) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t) {
    std::set<RequestNumber> ended;
    for (const End& end : run.ends()) EXPECT_TRUE(ended.insert(end.request).second);
    EXPECT_EQ(ended.size(), world.requests.size());
  });
}

TEST_P(ConformanceTest, TheLedgerCountsWhatEnded) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t) {
    OutcomeCounts recount;
    for (const End& end : run.ends()) ++recount.by_outcome[static_cast<std::size_t>(end.outcome)];
    EXPECT_EQ(run.simulator().engine().state().ledger.MeasuredTotal(), recount);
    EXPECT_EQ(recount.ended(), static_cast<std::int64_t>(world.requests.size()));
  });
}

TEST_P(ConformanceTest, OutcomesFollowFromTimes) {
  InEveryWorld([](const World&, const SimulatedRun& run, std::uint64_t) {
    for (const End& end : run.ends()) {
      switch (end.outcome) {
        case Outcome::kHit: EXPECT_LE(end.end, end.deadline); break;
        case Outcome::kMiss: EXPECT_GT(end.end, end.deadline); break;
        case Outcome::kDropped: EXPECT_NE(end.start, kNever); break;
        case Outcome::kRejected: EXPECT_EQ(end.start, kNever); break;
      }
    }
  });
}

TEST_P(ConformanceTest, UnitsAreNeverExceeded) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t) {
    // Changes of units in use, ends before starts of the same instant.
    std::map<AcceleratorId, std::vector<std::tuple<Instant, int>>> changes;
    for (const Stay& stay : run.stays()) {
      if (stay.start == stay.end) continue;
      changes[stay.accelerator].emplace_back(stay.start, stay.FirstUnits());
      for (const Resize& resize : stay.resizes)
        changes[stay.accelerator].emplace_back(resize.at, resize.after - resize.before);
      changes[stay.accelerator].emplace_back(stay.end, -stay.units);
    }
    for (auto& [accelerator, list] : changes) {
      std::ranges::sort(list);
      int used = 0;
      for (const auto& [at, units] : list) {
        used += units;
        EXPECT_LE(used, world.platform.UnitsOf(accelerator));
      }
    }
  });
}

TEST_P(ConformanceTest, SegmentsWaitForTheirPredecessors) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t) {
    // A segment that was lost with its accelerator stays more than once: the last stay counts.
    std::map<std::tuple<RequestNumber, SegmentId>, Stay> last;
    for (const Stay& stay : run.stays()) {
      for (RequestNumber request : stay.requests) last[{request, stay.segment}] = stay;
    }
    for (const auto& [key, stay] : last) {
      const auto& [request, segment] = key;
      for (SegmentId before : world.networks[stay.network.index()].Predecessors(segment)) {
        const auto found = last.find({request, before});
        ASSERT_NE(found, last.end());
        EXPECT_LE(found->second.end, stay.start);
      }
    }
  });
}

TEST_P(ConformanceTest, FinishedRequestsRanEverySegment) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t) {
    std::map<RequestNumber, std::set<SegmentId>> ran;
    for (const Stay& stay : run.stays()) {
      for (RequestNumber request : stay.requests) ran[request].insert(stay.segment);
    }
    for (const End& end : run.ends()) {
      if (end.outcome != Outcome::kHit && end.outcome != Outcome::kMiss) continue;
      const NetworkId network = world.agreements[end.agreement.index()].agreement.network;
      EXPECT_EQ(ran[end.request].size(), world.networks[network.index()].size());
    }
  });
}

TEST_P(ConformanceTest, TheSameHistoryGivesTheSamePlans) {
  InEveryWorld([](const World& world, const SimulatedRun& run, std::uint64_t seed) {
    SimulatedRun again(world, GetParam(), seed);
    ASSERT_TRUE(again.Run().has_value());
    EXPECT_EQ(again.Timeline(), run.Timeline());
  });
}

TEST_P(ConformanceTest, RenamingTenantsPermutesTheResult) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    RandomWorldTexts texts = DrawWorld(seed);
    const auto world = BuildRandomWorld(texts);
    std::string& requests = texts.requests;
    for (std::size_t at = requests.find(",t"); at != std::string::npos;
         at = requests.find(",t", at + 1)) {
      if (std::isdigit(static_cast<unsigned char>(requests[at + 2])) != 0)
        requests[at + 2] = static_cast<char>('0' + ('4' - requests[at + 2]));  // t0 <-> t4, ...
    }
    const auto renamed = BuildRandomWorld(texts);
    SimulatedRun run(*world, GetParam(), seed);
    SimulatedRun other(*renamed, GetParam(), seed);
    ASSERT_TRUE(run.Run().has_value());
    ASSERT_TRUE(other.Run().has_value());
    ASSERT_EQ(run.Timeline(), other.Timeline()) << "in world " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ConformanceTest, ::testing::ValuesIn(PolicySpecs()),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace fairlead::testing
