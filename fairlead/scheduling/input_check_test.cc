#include "fairlead/scheduling/input_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "fairlead/scheduling/checked_inputs.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

class NoBackend final : public ExecutionBackend {
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

class Silence final : public SchedulingPolicy {
  std::string_view Name() const override { return "silence"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {}
};

// Two accelerators, tenants, networks and agreements; the second tenant has the first network.
struct SmallWorld {
  SmallWorld() : beliefs(MakeBeliefs()) {}

  EngineWorld ForEngine() const {
    return {.platform = &platform,
            .networks = networks,
            .beliefs = &beliefs,
            .tenants = {{"a"}, {"b"}},
            .agreements = {{.tenant = TenantId{1}, .network = NetworkId{0}, .window = 10},
                           {.tenant = TenantId{0}, .network = NetworkId{1}}}};
  }
  CostTable MakeBeliefs() {
    platform.AddKind("acc", 2);
    networks = {NetworkGraph::Chain("x", 1), NetworkGraph::Chain("y", 1)};
    CostTable table(networks, platform);
    for (std::size_t n = 0; n < 2; ++n)
      table.Set(NetworkId{n}, SegmentId{0}, KindId{0}, {1, 1}, {Duration{1000}});
    table.Seal(networks);
    return table;
  }

  Platform platform;
  std::vector<NetworkGraph> networks;
  CostTable beliefs;
};

const ServiceAgreement kNewcomer{.tenant = TenantId{2}, .network = NetworkId{0}};

class InputCheckTest : public testing::Test {
 protected:
  InputCheckTest() { engine_.Advance(AtNanoseconds(50)); }

  MadeByInput Take(const Input& input) {
    const auto made = inputs_.Apply(input);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return made.value_or(MadeByInput{});
  }
  void ExpectRefusal(const Input& input, RefusalCode code, const std::string& message) {
    const auto made = inputs_.Apply(input);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(ToString(made.error().code), ToString(code));
    EXPECT_THAT(made.error().message, HasSubstr(message));
  }

  SmallWorld world_;
  NoBackend backend_;
  SchedulingEngine engine_{world_.ForEngine(), {}, std::make_unique<Silence>(), backend_};
  CheckedInputs inputs_{engine_,
                        [](std::string_view policy) -> Result<std::unique_ptr<SchedulingPolicy>> {
                          if (policy == "silence") return std::make_unique<Silence>();
                          return Fail("no policy '{}'", policy);
                        }};
};

TEST_F(InputCheckTest, TakesEveryKindOfInput) {
  const std::vector<Input> all = {
      Arrival{{.agreement = AgreementId{1}, .arrival = AtNanoseconds(40)}},
      Cancellation{{JobId{0}, 1}},
      Expiry{},
      SegmentFinish{{7, 3}},
      SegmentFailure{{8, 4}},
      AcceleratorLoss{AcceleratorId{1}},
      AcceleratorReturn{AcceleratorId{1}},
      TenantJoin{{"new", 0.1}},
      TenantLeave{TenantId{0}},
      AgreementStart{kNewcomer},
      AgreementChange{AgreementId{2}, kNewcomer},
      AgreementEnd{AgreementId{2}},
      AgreementContinue{AgreementId{0}, {}},
      NetworkUnload{NetworkId{0}},
      NetworkLoad{NetworkId{0}},
      NetworkAdd{{.name = "z", .segments = {{.costs = {{.kind = KindId{0}}}}}}},
      BeliefChange{NetworkId{0}, SegmentId{0}, KindId{0}, 1, 1, Duration{2000}},
      PolicyChange{"silence"},
      GuardRules{{.fallback = "silence"}},
      GuardStrike{StrikeCause::kIdleMachine},
      GuardFallback{"silence"},
      GuardReturn{"silence"},
      Reservation{AcceleratorId{1}, Duration{12}},
      Release{AcceleratorId{1}}};
  std::set<std::size_t> kinds;
  for (const Input& input : all) {
    Take(input);
    kinds.insert(input.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Input>);
}

TEST_F(InputCheckTest, RefusesBeliefsThatCannotBe) {
  const auto expect = [&](const BeliefChange& change) {
    ExpectRefusal(change, RefusalCode::kOutOfRange, "no such row");
  };
  expect({NetworkId{0}, SegmentId{1}, KindId{0}, 1, 1, Duration{5}});
  expect({NetworkId{0}, SegmentId{0}, KindId{1}, 1, 1, Duration{5}});
  expect({NetworkId{0}, SegmentId{0}, KindId{0}, 2, 1, Duration{5}});
  expect({NetworkId{0}, SegmentId{0}, KindId{0}, 1, 2, Duration{5}});
  expect({NetworkId{0}, SegmentId{0}, KindId{0}, 1, 1, Duration{0}});
  expect({NetworkId{0}, SegmentId{0}, KindId{0}, 1, 1, std::chrono::hours{1}});
  ExpectRefusal(BeliefChange{NetworkId{2}, SegmentId{0}, KindId{0}, 1, 1, Duration{5}},
                RefusalCode::kUnknownNetwork, "no network 2");
}

TEST_F(InputCheckTest, TakesNoRequestOfANetworkThatIsNotLoaded) {
  Take(NetworkUnload{NetworkId{1}});
  ExpectRefusal(Arrival{{.agreement = AgreementId{1}}}, RefusalCode::kNotLoaded, "network 1");
  Take(Arrival{{.agreement = AgreementId{0}}});
  Take(NetworkLoad{NetworkId{1}});
  Take(Arrival{{.agreement = AgreementId{1}}});
}

TEST_F(InputCheckTest, TellsWhatAnInputHasMade) {
  EXPECT_EQ(Take(Arrival{{.agreement = AgreementId{1}}}).job.id, JobId{0});
  EXPECT_EQ(Take(TenantJoin{{"new"}}).tenant, TenantId{2});
  EXPECT_EQ(Take(AgreementStart{kNewcomer}).agreement, AgreementId{2});
  EXPECT_FALSE(Take(AgreementEnd{AgreementId{2}}).agreement.valid());
}

TEST_F(InputCheckTest, RefusesWhatDoesNotExist) {
  ExpectRefusal(Arrival{{.agreement = AgreementId{2}}}, RefusalCode::kUnknownAgreement,
                "there is no agreement 2: there are 2");
  ExpectRefusal(Cancellation{{JobId{0}, 1}}, RefusalCode::kUnknownJob,
                "there is no job 0: there are 0");
  ExpectRefusal(AcceleratorLoss{AcceleratorId{2}}, RefusalCode::kUnknownAccelerator,
                "no accelerator 2");
  ExpectRefusal(AcceleratorReturn{AcceleratorId{}}, RefusalCode::kUnknownAccelerator,
                "no accelerator");
  ExpectRefusal(TenantLeave{TenantId{2}}, RefusalCode::kUnknownTenant, "no tenant 2");
  ExpectRefusal(AgreementStart{kNewcomer}, RefusalCode::kUnknownTenant, "no tenant 2");
  ExpectRefusal(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{2}}},
                RefusalCode::kUnknownNetwork, "no network 2");
  ExpectRefusal(AgreementChange{AgreementId{9}, kNewcomer}, RefusalCode::kUnknownAgreement,
                "no agreement 9");
  ExpectRefusal(AgreementEnd{AgreementId{9}}, RefusalCode::kUnknownAgreement, "no agreement 9");
  ExpectRefusal(PolicyChange{"chaos"}, RefusalCode::kUnknownPolicy, "no policy 'chaos'");
  ExpectRefusal(GuardFallback{"chaos"}, RefusalCode::kUnknownPolicy, "no policy 'chaos'");
  ExpectRefusal(GuardRules{{.fallback = "chaos"}}, RefusalCode::kUnknownPolicy,
                "no policy 'chaos'");
  ExpectRefusal(GuardReturn{"chaos"}, RefusalCode::kUnknownPolicy, "no policy 'chaos'");
  EXPECT_EQ(engine_.policy_name(), "silence");
}

TEST_F(InputCheckTest, RefusesHistoriesThatCannotGoOn) {
  AgreementHistory history;
  history.lifetime.by_outcome[0] = -1;
  ExpectRefusal(AgreementContinue{AgreementId{0}, history}, RefusalCode::kOutOfRange, "hit");
  history = {.watched = "hmm"};
  ExpectRefusal(AgreementContinue{AgreementId{0}, history}, RefusalCode::kOutOfRange,
                "other letters");
  Take(Arrival{{.agreement = AgreementId{1}}});
  ExpectRefusal(AgreementContinue{AgreementId{1}, {}}, RefusalCode::kHadRequests,
                "agreement 1 has had requests");
  Take(AgreementEnd{AgreementId{0}});
  ExpectRefusal(AgreementContinue{AgreementId{0}, {}}, RefusalCode::kAgreementEnded,
                "has ended before");
}

TEST_F(InputCheckTest, RefusesRulesThatNoGuardCanGoBy) {
  const auto refuse = [this](const GuardOptions& guard, const std::string& message) {
    ExpectRefusal(GuardRules{guard}, RefusalCode::kOutOfRange, message);
  };
  refuse({.fallback = "silence", .strikes = 0}, "strikes: expected a number from 1 to 1000");
  refuse({.fallback = "silence", .decision = Duration{-1}}, "decision: expected a number from 0");
  refuse({.fallback = "silence", .back = Duration{0}}, "back: expected a number from 1");
  refuse({.fallback = "silence", .idle = Duration{0}}, "more than nothing");
}

TEST_F(InputCheckTest, RefusesNumbersOutOfRange) {
  ExpectRefusal(Arrival{{.agreement = AgreementId{0}, .arrival = AtNanoseconds(51)}},
                RefusalCode::kOutOfRange, "its arrival");
  ExpectRefusal(Arrival{{.agreement = AgreementId{0}, .deadline = Duration{-1}}},
                RefusalCode::kOutOfRange, "its deadline");
  ExpectRefusal(Arrival{{.agreement = AgreementId{0}, .deadline = Duration::max()}},
                RefusalCode::kOutOfRange, "its deadline");
  ExpectRefusal(TenantJoin{{"minus", -1}}, RefusalCode::kOutOfRange, "weight");
  ExpectRefusal(TenantJoin{{"nan", std::numeric_limits<double>::quiet_NaN()}},
                RefusalCode::kOutOfRange, "weight");
  ServiceAgreement promise{.tenant = TenantId{0}, .network = NetworkId{0}, .target = 1.5};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "target");
  promise = {.tenant = TenantId{0}, .network = NetworkId{0}, .window = 1'000'000'000};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "window");
  promise = {.tenant = TenantId{0}, .network = NetworkId{0}, .contract = Contract{.rate = 0}};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "per_million_seconds");
  promise.contract = Contract{.rate = Contract::kFastest + 1};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "per_million_seconds");
  promise.contract = Contract{.rate = 1, .burst = 0};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "burst");
  promise.contract.reset();
  promise.period = Duration{0};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "period");
  promise.period = kShortestSliding - Duration{1};
  promise.period_kind = PeriodKind::kSliding;
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "sliding period");
  promise.period_kind = PeriodKind::kTumbling;
  promise.period.reset();
  promise.contract = Contract{.over = static_cast<Over>(2)};
  ExpectRefusal(AgreementStart{promise}, RefusalCode::kOutOfRange, "over");
  ExpectRefusal(Reservation{AcceleratorId{0}, Duration{-5}}, RefusalCode::kOutOfRange, "its time");
}

TEST_F(InputCheckTest, LimitsFloorsToTheMachine) {
  ServiceAgreement effort{.tenant = TenantId{0}, .network = NetworkId{0}, .floor = 1.01};
  ExpectRefusal(AgreementStart{effort}, RefusalCode::kOutOfRange, "floor");
  effort.floor = -0.1;
  ExpectRefusal(AgreementStart{effort}, RefusalCode::kOutOfRange, "floor");
  effort.floor = 0.6;
  effort.target = 0.9;
  ExpectRefusal(AgreementStart{effort}, RefusalCode::kOutOfRange, "for best effort");
  effort.target.reset();
  effort.window = 5;
  ExpectRefusal(AgreementStart{effort}, RefusalCode::kOutOfRange, "for best effort");
  effort.window = 0;
  const AgreementId id{engine_.state().ledger.size()};
  Take(AgreementStart{effort});
  ExpectRefusal(AgreementStart{effort}, RefusalCode::kTooMuch, "floors sum to 120 %");
  Take(AgreementChange{id, effort});  // in its own place
  Take(AgreementEnd{id});
  Take(AgreementStart{effort});
}

TEST_F(InputCheckTest, RefusesWhatTheEngineWouldNotSurvive) {
  ExpectRefusal(AgreementChange{AgreementId{0}, {.tenant = TenantId{0}, .network = NetworkId{0}}},
                RefusalCode::kOtherAgreement, "keeps its tenant 1");
  Take(AgreementEnd{AgreementId{0}});
  ExpectRefusal(AgreementEnd{AgreementId{0}}, RefusalCode::kAgreementEnded, "has ended before");
  ExpectRefusal(Release{AcceleratorId{0}}, RefusalCode::kNotReserved, "is not reserved");
  Take(Reservation{AcceleratorId{0}, Duration{5}});
  ExpectRefusal(Reservation{AcceleratorId{0}, Duration{5}}, RefusalCode::kNotIdle, "is not idle");
  Take(Release{AcceleratorId{0}});
  Take(AcceleratorLoss{AcceleratorId{0}});
  ExpectRefusal(Reservation{AcceleratorId{0}, Duration{5}}, RefusalCode::kNotIdle, "is not idle");
}

TEST_F(InputCheckTest, LimitsTheMemoryOfWindows) {
  const ServiceAgreement long_window{
      .tenant = TenantId{0}, .network = NetworkId{0}, .window = FairnessLedger::kLongestWindow};
  InputCheck check(engine_.state());
  int taken = 0;
  while (taken < 200 && check.Check(AgreementStart{long_window}).has_value()) ++taken;
  EXPECT_EQ(taken, kMostWindows / FairnessLedger::kLongestWindow - 1);  // ten are taken before
  // What was refused is not counted.
  EXPECT_TRUE(check.Check(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{0}}}));
}

TEST_F(InputCheckTest, APolicyStaysWhereNoneCanBeMade) {
  SchedulingEngine engine(world_.ForEngine(), {}, std::make_unique<Silence>(), backend_);
  const auto made = CheckedInputs(engine, nullptr).Apply(PolicyChange{"silence"});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, RefusalCode::kUnknownPolicy);
}

// ---- Networks ------------------------------------------------------------------------------

NewNetwork OneSegment(std::string name, std::vector<NewCost> costs) {
  return {.name = std::move(name), .segments = {{.costs = std::move(costs)}}};
}

TEST_F(InputCheckTest, ANetworkThatComesIsLikeTheOthers) {
  const NewCost cost{.kind = KindId{0}, .latency = Duration{700}};
  EXPECT_EQ(Take(NetworkAdd{OneSegment("z", {cost})}).network, NetworkId{2});
  EXPECT_EQ(engine_.state().networks[2].name(), "z");
  EXPECT_EQ(engine_.state().beliefs->FastestTotal(NetworkId{2}), Duration{700});
  EXPECT_EQ(engine_.state().beliefs->FastestTotal(NetworkId{0}), Duration{1000});
  const AgreementId agreement =
      Take(AgreementStart{{.tenant = TenantId{0}, .network = NetworkId{2}}}).agreement;
  Take(Arrival{{.agreement = agreement, .arrival = AtNanoseconds(50)}});
  EXPECT_EQ(engine_.state().ready.size(), 1U);
  // Another, while something is ready: whose kinds these are is counted anew.
  Take(NetworkAdd{OneSegment("zz", {cost})});
  std::size_t ready = 0;
  for (const std::uint32_t count : engine_.state().ready_by_affinity) ready += count;
  EXPECT_EQ(ready, 1U);
}

TEST_F(InputCheckTest, RefusesNetworksThatCannotBe) {
  const NewCost cost{.kind = KindId{0}, .latency = Duration{700}};
  const auto refused = [&](const NewNetwork& network, RefusalCode code, const std::string& why) {
    ExpectRefusal(NetworkAdd{network}, code, why);
    EXPECT_EQ(engine_.state().networks.size(), 2U);
  };
  using enum RefusalCode;
  refused(OneSegment("", {cost}), kOutOfRange, "a name");
  refused({.name = "z"}, kOutOfRange, "a segment at least");
  refused(OneSegment("x", {cost}), kNameTaken, "there is a network 'x'");
  refused(OneSegment("z", {}), kOutOfRange, "runs nowhere");
  refused(OneSegment("z", {cost, cost}), kOutOfRange, "two costs");
  refused(OneSegment("z", {{.kind = KindId{7}}}), kOutOfRange, "there is no kind 7");
  refused(OneSegment("z", {{.kind = KindId{0}, .units = 2}}), kOutOfRange, "no 2 units");
  refused(OneSegment("z", {{.kind = KindId{0}, .batch = 0}}), kOutOfRange, "batch");
  refused(OneSegment("z", {{.kind = KindId{0}, .latency = Duration{-1}}}), kOutOfRange, "latency");
  Take(NetworkUnload{NetworkId{0}});
  EXPECT_EQ(Take(NetworkAdd{OneSegment("x", {cost})}).network, NetworkId{2});  // in its place
}

}  // namespace
}  // namespace fairlead
