// Rules with lanes are walked in the order that scoring everything gives, in random worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/policies/dbp.h"
#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/moca.h"
#include "fairlead/policies/planaria.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/scored_walk.h"
#include "fairlead/policies/sdrm3.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/simulation/simulator.h"
#include "tests/conformance/random_world.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 400;

struct RuleUnderTest {
  std::string name;
  std::function<std::unique_ptr<ScoringRule>()> make;
};

std::vector<RuleUnderTest> Rules() {
  return {{"sdrm3", [] { return MakeSdrm3(LateRule::kLiteral); }},
          {"sdrm3_urgent", [] { return MakeSdrm3(LateRule::kUrgent); }},
          {"planaria", [] { return MakePriorityOverSlack(LateRule::kLiteral); }},
          {"planaria_urgent", [] { return MakePriorityOverSlack(LateRule::kUrgent); }},
          {"moca", [] { return MakePriorityPlusWait(); }},
          {"dbp", [] { return MakeDistanceBasedPriority(1); }}};
}

struct Compared {
  int walks = 0;
  int segments = 0;
  int most = 0;  // in one walk
};

// Walks both ways at each decision, the lanes sometimes to their end and sometimes not.
class BothWays final : public SchedulingPolicy {
 public:
  BothWays(std::unique_ptr<ScoringRule> rule, DropRule drop, std::uint64_t seed, Compared& compared)
      : rule_(std::move(rule)),
        random_(seed, "both ways"),
        dispatch_(drop, MemoryLimit(), MakePlacement({}, RandomStream(seed, "unused"))),
        compared_(compared) {}

  std::string_view Name() const override { return "both-ways"; }

  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ExpectAffinitiesCounted(view);
    lanes_.Take(view, *rule_->lanes());
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    std::vector<std::string> expected;
    all_.Walk(view, dispatch_.early_drop(), *rule_, [&](const ScoredSegment& segment) {
      expected.push_back(Describe(segment));
      return true;
    });
    const bool to_the_end = random_.Below(3) == 0;
    std::vector<std::string> seen;
    lanes_.Walk(view, dispatch_.early_drop(), *rule_, *rule_->lanes(),
                [&](const ScoredSegment& segment) {
                  seen.push_back(Describe(segment));
                  if (!dispatch_.Exhausted())
                    dispatch_.Offer(view, segment.job, segment.segment, plan);
                  return to_the_end || !dispatch_.Exhausted();
                });
    if (!to_the_end && seen.size() < expected.size()) expected.resize(seen.size());
    EXPECT_EQ(seen, expected) << "at " << Nanoseconds(view.now());
    ++compared_.walks;
    compared_.segments += static_cast<int>(seen.size());
    compared_.most = std::max(compared_.most, static_cast<int>(seen.size()));
  }

 private:
  // Lanes are walked only where something idle suits something ready, which the engine counts.
  static void ExpectAffinitiesCounted(const SystemView& view) {
    std::vector<std::uint32_t> ready(view.costs().affinities());
    for (const ReadySegment& segment : view.ready())
      ++ready[view.costs().Affinity(view.job(segment.job).network, segment.segment)];
    EXPECT_TRUE(std::ranges::equal(ready, view.ready_by_affinity()));
  }

  static std::string Describe(const ScoredSegment& segment) {
    return fmt::format("{}/{}: {} {}", segment.serial, segment.segment.value, segment.rank,
                       segment.score);
  }

  std::unique_ptr<ScoringRule> rule_;
  RandomStream random_;
  Dispatch dispatch_;
  ScoredLanes lanes_;
  ScoredWalk all_;
  Compared& compared_;
};

// Lets contracts cover about half of what the first agreements ask for.
void Limit(World& world) {
  const std::size_t limited = (world.agreements.size() + 1) / 2;
  for (std::size_t a = 0; a < limited; ++a)
    world.agreements[a].agreement.contract = Contract{.burst = 2};
}

class LanesTest : public ::testing::TestWithParam<RuleUnderTest> {};

TEST_P(LanesTest, GiveTheOrderOfScoringEverything) {
  Compared compared;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const RandomWorldTexts texts = DrawWorld(seed);
    World world = *BuildRandomWorld(texts);
    if (seed % 4 == 0) Limit(world);
    SeededWorld seeded(world, seed);
    const DropRule drop = seed % 2 == 0 ? DropRule::kNone : DropRule::kEarly;
    Simulator simulator(seeded.Setup(),
                        std::make_unique<BothWays>(GetParam().make(), drop, seed, compared));
    const Status status = simulator.Run();
    ASSERT_TRUE(status.has_value()) << status.error().message;
    ASSERT_FALSE(HasFailure()) << "in world " << seed << "\n" << texts.scenario;
  }
  EXPECT_GT(compared.walks, 10'000);
  EXPECT_GT(compared.segments, 3 * compared.walks);
  EXPECT_GT(compared.most, 20);
}

INSTANTIATE_TEST_SUITE_P(Rules, LanesTest, ::testing::ValuesIn(Rules()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fairlead::testing
