// The guard of a simulated run, with policies that err on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/stopwatch.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Doing final : public SchedulingPolicy {
 public:
  using Decision = std::function<void(const SystemView&, SchedulingPlan&)>;
  explicit Doing(Decision decision) : decision_(std::move(decision)) {}
  std::string_view Name() const override { return "doing"; }
  void Decide(const SystemView& view, SchedulingPlan& plan) override { decision_(view, plan); }

 private:
  Decision decision_;
};

void StartFirst(const SystemView& view, SchedulingPlan& plan) {
  if (view.ready().empty() || view.accelerators()[0].free_units == 0) return;
  plan.Start(AcceleratorId{0}, view.ready().front().job, view.ready().front().segment);
}

Result<std::unique_ptr<SchedulingPolicy>> Make(std::string_view name) {
  if (name == "idler") return std::make_unique<Doing>([](const SystemView&, SchedulingPlan&) {});
  if (name == "babbler")
    return std::make_unique<Doing>(
        [](const SystemView& view, SchedulingPlan& plan) { plan.Wake(view.now()); });
  if (name == "insomniac")
    return std::make_unique<Doing>(
        [](const SystemView& view, SchedulingPlan& plan) { plan.Wake(view.now() + Duration{1}); });
  if (name == "ponderer")
    return std::make_unique<Doing>([](const SystemView& view, SchedulingPlan& plan) {
      const Stopwatch stopwatch;
      while (stopwatch.ElapsedNanoseconds() < 2'000'000) {
      }
      StartFirst(view, plan);
    });
  return std::make_unique<Doing>(StartFirst);
}

// An accelerator, and a network of one segment that takes 10 there.
class GuardedSimulation : public ::testing::Test, private RunListener {
 protected:
  GuardedSimulation() {
    platform_.AddKind("npu", 1);
    networks_.push_back(NetworkGraph::Chain("net", 1));
    costs_.emplace(networks_, platform_);
    costs_->Set(NetworkId{0}, SegmentId{0}, KindId{0}, {1, 1}, {Duration{10}});
    costs_->Seal(networks_);
    setup_.world = {.platform = &platform_,
                    .networks = networks_,
                    .beliefs = &*costs_,
                    .tenants = {{.name = "t"}},
                    .agreements = {{.tenant = TenantId{0}, .network = NetworkId{0}}}};
    setup_.engine.wrong_plan = WrongPlan::kSkip;
    setup_.truth = &*costs_;
    setup_.interference = interference_.get();
    setup_.policies = &Make;
    setup_.listener = this;
    setup_.guard = {.fallback = "starter",
                    .decision = std::chrono::milliseconds{1},
                    .idle = Duration{20},
                    .strikes = 2,
                    .within = Duration{1000},
                    .back = std::nullopt};
  }

  struct Asked {
    std::int64_t at;
    std::int64_t deadline;
  };
  Status Run(const std::string& policy, const std::vector<Asked>& asked) {
    std::vector<Request> list;
    for (const Asked& one : asked) {
      list.push_back({.number = list.size(),
                      .agreement = AgreementId{0},
                      .arrival = AtNanoseconds(one.at),
                      .deadline = Duration{one.deadline}});
    }
    ListedRequests requests(list);
    setup_.requests = &requests;
    setup_.policy = policy;
    Simulator simulator(setup_, std::move(*Make(policy)));
    Status status = simulator.Run();
    end_ = Nanoseconds(simulator.totals().end);
    return status;
  }

  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {}
  void SegmentEnded(const Assignment& assignment, Instant /*now*/) override {
    starts_.push_back(Nanoseconds(assignment.start));
  }
  void GuardActed(const GuardAct& act, Instant now) override {
    acts_.push_back(std::to_string(Nanoseconds(now)) + " " + Describe(act));
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> costs_;
  std::unique_ptr<InterferenceModel> interference_ = MakeBandwidthSharing(Sharing::kNone, 0);
  SimulationSetup setup_;
  std::vector<std::int64_t> starts_;
  std::vector<std::string> acts_;
  std::int64_t end_ = 0;
};

TEST_F(GuardedSimulation, APolicyThatStartsNothingIsReplaced) {
  ASSERT_TRUE(Run("idler", {{5, 1000}}).has_value());
  EXPECT_THAT(acts_, ElementsAre("25 strike: idle-machine", "45 strike: idle-machine",
                                 "45 starter takes over"));
  EXPECT_THAT(starts_, ElementsAre(45));
  EXPECT_EQ(end_, 55);
}

// The last plan starts nothing, and nothing else happens: that ends a run without a guard.
TEST_F(GuardedSimulation, WithAPeriodTheFallbackBeginsAtTheNextEpoch) {
  setup_.engine.period = Duration{7};
  ASSERT_TRUE(Run("idler", {{5, 1000}}).has_value());
  EXPECT_THAT(acts_, ElementsAre("27 strike: idle-machine", "47 strike: idle-machine",
                                 "47 starter takes over"));
  EXPECT_THAT(starts_, ElementsAre(49));
}

TEST_F(GuardedSimulation, WhatHadNoChanceDoesNotKeepARunGoing) {
  for (Duration period : {Duration{0}, Duration{7}}) {
    setup_.engine.period = period;
    const Status status = Run("idler", {{0, 9}});
    ASSERT_FALSE(status.has_value());
    EXPECT_THAT(status.error().message, HasSubstr("left 1 jobs waiting"));
    EXPECT_THAT(acts_, IsEmpty());
  }
}

TEST_F(GuardedSimulation, APolicyThatMakesWrongPlansIsReplacedAndComesBack) {
  setup_.guard->strikes = 1;
  setup_.guard->back = Duration{50};
  ASSERT_TRUE(Run("babbler", {{0, 1000}, {0, 1000}, {60, 1000}}).has_value());
  EXPECT_THAT(acts_,
              ElementsAre("0 strike: wrong-plan", "0 starter takes over", "50 babbler is back",
                          "50 strike: wrong-plan", "50 starter takes over"));
  EXPECT_THAT(starts_, ElementsAre(0, 10, 60));
}

// Else the policy would come back and be sent away again for ever.
TEST_F(GuardedSimulation, WhatCanNeverRunDoesNotWaitForThePolicyToComeBack) {
  setup_.guard->strikes = 1;
  setup_.guard->back = Duration{50};
  setup_.timeline = {{AtNanoseconds(5), AcceleratorLoss{AcceleratorId{0}}}};
  for (Duration period : {Duration{0}, Duration{7}}) {
    setup_.engine.period = period;
    acts_.clear();
    ASSERT_TRUE(Run("babbler", {{6, 1000}}).has_value());
    EXPECT_THAT(acts_, ElementsAre(HasSubstr("strike: wrong-plan"), HasSubstr("starter takes")));
    EXPECT_LE(end_, 14);
  }
}

TEST_F(GuardedSimulation, RealTimeCountsOnlyIfItIsAskedFor) {
  ASSERT_TRUE(Run("ponderer", {{0, 1000}, {20, 1000}}).has_value());
  EXPECT_THAT(acts_, IsEmpty());
  setup_.guard->clock = DecisionClock::kReal;
  ASSERT_TRUE(Run("ponderer", {{0, 1000}, {20, 1000}}).has_value());
  EXPECT_THAT(acts_, ElementsAre("0 strike: slow-decision", "10 strike: slow-decision",
                                 "10 starter takes over"));
}

TEST_F(GuardedSimulation, ThinkingIsNoIdleness) {
  setup_.charge.fixed = Duration{30};
  ASSERT_TRUE(Run("starter", {{0, 1000}}).has_value());
  EXPECT_THAT(acts_, IsEmpty());
  EXPECT_THAT(starts_, ElementsAre(30));
}

TEST_F(GuardedSimulation, TheTimeThatADecisionTakesOnAnAcceleratorCounts) {
  setup_.charge = {.fixed = Duration{6}, .accelerator = AcceleratorId{0}};
  setup_.guard->decision = Duration{5};
  ASSERT_TRUE(Run("starter", {{0, 1000}, {0, 1000}}).has_value());
  EXPECT_THAT(acts_, ElementsAre("6 strike: slow-decision", "22 strike: slow-decision",
                                 "22 starter takes over"));
}

// It would be asked for ever.
TEST_F(GuardedSimulation, APolicyThatStandsStillIsAnError) {
  setup_.guard.reset();
  const Status status = Run("insomniac", {{0, 1000}});
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message,
              HasSubstr("was asked 1000000 times with nothing left to happen"));
}

}  // namespace
}  // namespace fairlead
