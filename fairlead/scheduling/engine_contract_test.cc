// Contracts in the engine: which requests are covered, and what becomes of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/testing/engine_world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr AgreementId kAgreement{0};  // the one on the chain

class EngineContractTest : public EngineTest {
 protected:
  // From now on one request a microsecond is covered, after a burst of two.
  static ServiceAgreement Agreement(Over over) {
    return {.tenant = TenantId{0},
            .network = kChain,
            .contract = Contract{.rate = 1'000'000'000'000, .burst = 2, .over = over}};
  }
  SchedulingEngine& MakeWith(Over over, EngineOptions options = {}) {
    SchedulingEngine& engine = Make(options);
    engine.Apply(AgreementChange{kAgreement, Agreement(over)});
    EXPECT_TRUE(Decide({}).has_value());
    seen_.clear();
    return engine;
  }
  bool Covered(JobId job) const { return engine_->view().job(job).covered; }
};

TEST_F(EngineContractTest, WithoutAContractEverythingIsCovered) {
  Make();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Covered(Arrive(kChain)));
}

TEST_F(EngineContractTest, PoliciesSeeWhatIsCovered) {
  SchedulingEngine& engine = MakeWith(Over::kServe);
  EXPECT_TRUE(Covered(Arrive(kChain)));
  EXPECT_TRUE(Covered(Arrive(kChain)));
  EXPECT_FALSE(Covered(Arrive(kChain)));
  EXPECT_TRUE(Covered(Arrive(kFork)));  // another agreement has its own
  engine.Advance(AtNanoseconds(1000));
  EXPECT_TRUE(Covered(Arrive(kChain)));
  EXPECT_FALSE(Covered(Arrive(kChain)));
}

TEST_F(EngineContractTest, WhatIsNotCoveredRunsAndCountsApart) {
  SchedulingEngine& engine = MakeWith(Over::kServe);
  for (int i = 0; i < 3; ++i) Arrive(kChain);
  for (std::size_t j = 0; j < 3; ++j) engine.Apply(Cancellation{{JobId{j}, j + 1}});
  EXPECT_EQ(engine.state().ledger.Measured(kAgreement).ended(), 2);
  EXPECT_EQ(engine.state().ledger.Uncovered(kAgreement).ended(), 1);
  EXPECT_EQ(engine.state().ledger.MeasuredTotal().ended(), 3);
}

TEST_F(EngineContractTest, WarmUpIsNotMeasured) {
  SchedulingEngine& engine = MakeWith(Over::kRefuse, {.measured_from = AtNanoseconds(1)});
  for (int i = 0; i < 3; ++i) Arrive(kChain);
  EXPECT_EQ(engine.state().ledger.Uncovered(kAgreement).ended(), 0);
}

TEST_F(EngineContractTest, RefusesAtOnce) {
  SchedulingEngine& engine = MakeWith(Over::kRefuse);
  for (int i = 0; i < 3; ++i) Arrive(kChain);
  EXPECT_THAT(ends_.outcomes, ElementsAre(Outcome::kRejected));
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kUncovered));
  EXPECT_EQ(engine.view().ready().size(), 2U);
  EXPECT_EQ(engine.state().ledger.Uncovered(kAgreement).Of(Outcome::kRejected), 1);
  EXPECT_EQ(engine.state().ledger.Indicator(kAgreement), 1);
}

TEST_F(EngineContractTest, WhatIsRefusedCostsNoDecision) {
  SchedulingEngine& engine = MakeWith(Over::kRefuse);
  Arrive(kChain);
  Arrive(kChain);
  ASSERT_TRUE(Decide({}).has_value());
  seen_.clear();
  Arrive(kChain);
  EXPECT_THAT(seen_, IsEmpty());
  EXPECT_THAT(backend_.forgotten, IsEmpty());
  EXPECT_FALSE(engine.DecisionDue());
}

TEST_F(EngineContractTest, TheSlotOfARefusedJobIsFreeAgain) {
  SchedulingEngine& engine = MakeWith(Over::kRefuse);
  const JobId first = Arrive(kChain);
  const JobId second = Arrive(kChain);
  const JobId refused = Arrive(kChain);
  const JobId next = Arrive(kFork);
  EXPECT_EQ(next, refused);
  engine.Apply(Cancellation{{refused, 3}});  // of the one that is gone
  for (const JobId job : {first, second, next})
    engine.Apply(Cancellation{{job, engine.view().job(job).serial}});
  EXPECT_TRUE(engine.Drained());
  EXPECT_THAT(ends_.reasons, ElementsAre(Reason::kUncovered, Reason::kCancelled, Reason::kCancelled,
                                         Reason::kCancelled));
}

TEST_F(EngineContractTest, ANewAgreementBeginsWithAFullBurst) {
  SchedulingEngine& engine = Make();
  engine.Advance(AtNanoseconds(500));
  engine.Apply(AgreementStart{Agreement(Over::kServe)});
  std::vector<bool> covered;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const JobId job = engine
                          .Apply(Arrival{{.number = i,
                                          .agreement = AgreementId{2},
                                          .arrival = AtNanoseconds(500),
                                          .deadline = Duration{1000}}})
                          .id;
    covered.push_back(Covered(job));
  }
  EXPECT_THAT(covered, ElementsAre(true, true, false));
}

TEST_F(EngineContractTest, WithoutItsContractEverythingIsCoveredAgain) {
  SchedulingEngine& engine = MakeWith(Over::kRefuse);
  for (int i = 0; i < 3; ++i) Arrive(kChain);
  engine.Apply(AgreementChange{kAgreement, {.tenant = TenantId{0}, .network = kChain}});
  EXPECT_TRUE(Covered(Arrive(kChain)));
}

}  // namespace
}  // namespace fairlead
