// Policies that look at few segments see them in the order that scoring everything gives, in random
// worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/policies/dbp.h"
#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/dysta_queue.h"
#include "fairlead/policies/dysta_rule.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/moca.h"
#include "fairlead/policies/planaria.h"
#include "fairlead/policies/prema_queue.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/scored_walk.h"
#include "fairlead/policies/sdrm3.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/simulation/simulator.h"
#include "tests/conformance/random_world.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 400;

using Visit = std::function<bool(const ScoredSegment&)>;

// What a policy makes of what is ready: an order in which it is shown.
class Order {
 public:
  virtual ~Order() = default;
  virtual void Observe(const SystemView& view, const Event& event) = 0;
  virtual void Take(const SystemView& view) = 0;
  virtual void Count(const SystemView& /*view*/, const EarlyDrop& /*early_drop*/) {}
  virtual void Walk(const SystemView& view, const EarlyDrop& early_drop, const Visit& visit) = 0;
  virtual void Taken(const SystemView& /*view*/, const ScoredSegment& /*segment*/) {}
};

using RuleMaker = std::function<std::unique_ptr<ScoringRule>()>;

class LanesOfRule final : public Order {
 public:
  explicit LanesOfRule(std::unique_ptr<ScoringRule> rule) : rule_(std::move(rule)) {}
  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }
  void Take(const SystemView& view) override { lanes_.Take(view, *rule_->lanes()); }
  void Walk(const SystemView& view, const EarlyDrop& early_drop, const Visit& visit) override {
    lanes_.Walk(view, early_drop, *rule_, *rule_->lanes(), visit);
  }

 private:
  std::unique_ptr<ScoringRule> rule_;
  ScoredLanes lanes_;
};

class OrderOfDysta final : public Order {
 public:
  void Observe(const SystemView& view, const Event& event) override { queue_.Observe(view, event); }
  void Take(const SystemView& view) override { queue_.Take(view); }
  void Walk(const SystemView& view, const EarlyDrop& early_drop, const Visit& visit) override {
    queue_.Walk(view, early_drop, visit);
  }
  void Taken(const SystemView& view, const ScoredSegment& segment) override {
    queue_.Taken(view, segment.job, segment.segment);
  }

 private:
  DystaQueue queue_;
};

class OrderOfPrema final : public Order {
 public:
  explicit OrderOfPrema(TokenRule tokens) : queue_(tokens) {}
  void Observe(const SystemView& view, const Event& event) override { queue_.Observe(view, event); }
  void Take(const SystemView& view) override { queue_.Take(view); }
  void Count(const SystemView& view, const EarlyDrop& early_drop) override {
    queue_.Count(view, early_drop);
  }
  void Walk(const SystemView& view, const EarlyDrop& early_drop, const Visit& visit) override {
    queue_.Walk(view, early_drop, visit);
  }

 private:
  PremaQueue queue_;
};

// PREMA by its definition: all tokens are counted at each decision.
class AllTokens final : public ScoringRule {
 public:
  explicit AllTokens(TokenRule tokens) : rule_(tokens) {}

  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    ++decision_;
    double most = 0;
    for (const ScoredSegment& segment : segments) {
      Account& account = accounts_[segment.serial];
      Update(view, view.job(segment.job), account);
      if (account.opened != decision_) most = std::max(most, account.tokens);
    }
    for (ScoredSegment& segment : segments) {
      const double tokens = accounts_[segment.serial].tokens;
      segment.rank = -std::min(Level(tokens), std::max(Level(most), 1));
      segment.score = static_cast<double>(view.job(segment.job).work_left.count());
    }
  }

 private:
  struct Account {
    std::uint64_t opened = 0;
    std::uint64_t updated = 0;
    Instant updated_at{};
    double tokens = 0;
  };
  static int Level(double tokens) {
    return tokens >= 9 ? 9 : tokens >= 3 ? 3 : tokens >= 1 ? 1 : 0;
  }

  void Update(const SystemView& view, const Job& job, Account& account) const {
    if (account.opened == 0) {
      account = {decision_, decision_, job.arrival, static_cast<double>(job.priority)};
      return;
    }
    if (std::exchange(account.updated, decision_) == decision_) return;
    Duration waiting = WaitingTime(view, job);
    if (rule_ == TokenRule::kSinceLastUpdate)
      waiting = std::min(waiting, view.now() - account.updated_at);
    account.tokens += job.priority * static_cast<double>(waiting.count()) /
                      Divisor(view.costs().FastestTotal(job.network));
    account.updated_at = view.now();
  }

  TokenRule rule_;
  std::uint64_t decision_ = 0;
  std::map<std::uint64_t, Account> accounts_;  // by the job's serial
};

struct OrderUnderTest {
  std::string name;
  std::function<std::unique_ptr<Order>()> make;
  RuleMaker make_rule;  // which scores everything
};

OrderUnderTest Lanes(std::string name, const RuleMaker& make_rule) {
  return {std::move(name), [=] { return std::make_unique<LanesOfRule>(make_rule()); }, make_rule};
}

OrderUnderTest Prema(std::string name, TokenRule tokens) {
  return {std::move(name), [=] { return std::make_unique<OrderOfPrema>(tokens); },
          [=] { return std::make_unique<AllTokens>(tokens); }};
}

std::vector<OrderUnderTest> Orders() {
  return {Lanes("sdrm3", [] { return MakeSdrm3(LateRule::kLiteral); }),
          Lanes("sdrm3_urgent", [] { return MakeSdrm3(LateRule::kUrgent); }),
          Lanes("planaria", [] { return MakePriorityOverSlack(LateRule::kLiteral); }),
          Lanes("planaria_urgent", [] { return MakePriorityOverSlack(LateRule::kUrgent); }),
          Lanes("moca", [] { return MakePriorityPlusWait(); }),
          Lanes("dbp", [] { return MakeDistanceBasedPriority(1); }),
          {"dysta", [] { return std::make_unique<OrderOfDysta>(); },
           [] { return std::make_unique<DystaRule>(); }},
          Prema("prema", TokenRule::kSinceLastUpdate),
          Prema("prema_since_last_run", TokenRule::kSinceLastRun)};
}

struct Compared {
  int walks = 0;
  int segments = 0;
  int most = 0;  // in one walk
};

// Walks both ways at each decision, the order under test sometimes to its end and sometimes not.
class BothWays final : public SchedulingPolicy {
 public:
  BothWays(const OrderUnderTest& under_test, DropRule drop, std::uint64_t seed, Compared& compared)
      : order_(under_test.make()),
        rule_(under_test.make_rule()),
        random_(seed, "both ways"),
        dispatch_(drop, MemoryLimit(), MakePlacement({}, RandomStream(seed, "unused"))),
        compared_(compared) {}

  std::string_view Name() const override { return "both-ways"; }

  void Observe(const SystemView& view, const Event& event) override {
    order_->Observe(view, event);
    rule_->Observe(view, event);
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ExpectAffinitiesCounted(view);
    order_->Take(view);
    dispatch_.Begin(view, plan);
    if (dispatch_.placement().NoneUsable()) return;
    order_->Count(view, dispatch_.early_drop());
    std::vector<std::string> expected;
    all_.Walk(view, dispatch_.early_drop(), *rule_, [&](const ScoredSegment& segment) {
      expected.push_back(Describe(segment));
      return true;
    });
    if (dispatch_.Exhausted()) return;
    const bool to_the_end = random_.Below(3) == 0;
    std::vector<std::string> seen;
    order_->Walk(view, dispatch_.early_drop(), [&](const ScoredSegment& segment) {
      seen.push_back(Describe(segment));
      if (!dispatch_.Exhausted() &&
          dispatch_.Offer(view, segment.job, segment.segment, plan).action !=
              PlacementChoice::Action::kWait)
        order_->Taken(view, segment);
      return to_the_end || !dispatch_.Exhausted();
    });
    if (!to_the_end && seen.size() < expected.size()) expected.resize(seen.size());
    EXPECT_EQ(seen, expected) << "at " << Nanoseconds(view.now());
    ++compared_.walks;
    compared_.segments += static_cast<int>(seen.size());
    compared_.most = std::max(compared_.most, static_cast<int>(seen.size()));
  }

 private:
  // Orders are walked only where something idle suits something ready, which the engine counts.
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

  std::unique_ptr<Order> order_;
  std::unique_ptr<ScoringRule> rule_;
  RandomStream random_;
  Dispatch dispatch_;
  ScoredWalk all_;
  Compared& compared_;
};

// Lets contracts cover about half of what the first agreements ask for.
void Limit(World& world) {
  const std::size_t limited = (world.agreements.size() + 1) / 2;
  for (std::size_t a = 0; a < limited; ++a)
    world.agreements[a].agreement.contract = Contract{.burst = 2};
}

class LanesTest : public ::testing::TestWithParam<OrderUnderTest> {};

TEST_P(LanesTest, GiveTheOrderOfScoringEverything) {
  Compared compared;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const RandomWorldTexts texts = DrawWorld(seed);
    World world = *BuildRandomWorld(texts);
    if (seed % 4 == 0) Limit(world);
    SeededWorld seeded(world, seed);
    const DropRule drop = seed % 2 == 0 ? DropRule::kNone : DropRule::kEarly;
    Simulator simulator(seeded.Setup(),
                        std::make_unique<BothWays>(GetParam(), drop, seed, compared));
    const Status status = simulator.Run();
    ASSERT_TRUE(status.has_value()) << status.error().message;
    ASSERT_FALSE(HasFailure()) << "in world " << seed << "\n" << texts.scenario;
  }
  EXPECT_GT(compared.walks, 10'000);
  EXPECT_GT(compared.segments, 3 * compared.walks);
  EXPECT_GT(compared.most, 20);
}

INSTANTIATE_TEST_SUITE_P(Orders, LanesTest, ::testing::ValuesIn(Orders()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fairlead::testing
