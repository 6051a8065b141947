#include <gtest/gtest.h>

#include <array>

#include "fairlead/report/figures.h"

namespace fairlead {
namespace {

// Ada has a promise of 90 % for alexnet and of 50 % for vgg16, bob uses alexnet as it comes, and
// cyd was promised 80 % and never asks.
class AgreementFiguresTest : public testing::Test {
 protected:
  AgreementFiguresTest() {
    Add(0, 0, 0.9);
    Add(0, 1, 0.5);
    Add(1, 0, std::nullopt);
    Add(2, 0, 0.8);
    Record(0, 7, Outcome::kHit);  // 7 of 10
    Record(0, 2, Outcome::kMiss);
    Record(0, 1, Outcome::kDropped);
    Record(1, 3, Outcome::kHit);  // 3 of 4
    Record(1, 1, Outcome::kRejected);
    Record(2, 1, Outcome::kHit);  // 1 of 5
    Record(2, 4, Outcome::kMiss);
  }
  void Add(std::size_t tenant, std::size_t network, std::optional<double> target) {
    ledger_.Add({.tenant = TenantId{tenant}, .network = NetworkId{network}, .target = target});
  }
  void Record(std::size_t agreement, int times, Outcome outcome) {
    for (int i = 0; i < times; ++i) {
      const AgreementId id{agreement};
      ledger_.Record(id, ledger_.Arrive(id, {}), outcome, true);
    }
  }
  AgreementFigures Figures(std::size_t agreement) const {
    return DescribeAgreements(ledger_, tenants_, networks_, AtNanoseconds(200))[agreement];
  }

  FairnessLedger ledger_;
  std::vector<Tenant> tenants_ = {{.name = "ada"}, {.name = "bob"}, {.name = "cyd"}};
  std::vector<NetworkGraph> networks_ = {NetworkGraph::Chain("alexnet", 1),
                                         NetworkGraph::Chain("vgg16", 1)};
};

TEST_F(AgreementFiguresTest, NameTheTenant) { EXPECT_EQ(Figures(2).tenant, "bob"); }

TEST_F(AgreementFiguresTest, NameTheNetwork) { EXPECT_EQ(Figures(1).network, "vgg16"); }

TEST_F(AgreementFiguresTest, CountOutcomes) {
  EXPECT_EQ(Figures(0).counts.by_outcome, (std::array<std::int64_t, 4>{7, 2, 1, 0}));
}

TEST_F(AgreementFiguresTest, LeaveOutTheWarmUp) {
  ledger_.Record(AgreementId{0}, ledger_.Arrive(AgreementId{0}, {}), Outcome::kMiss, false);
  EXPECT_EQ(Figures(0).counts.ended(), 10);
}

TEST_F(AgreementFiguresTest, SayWhatWasSacrificed) {
  ledger_.Advance(AtNanoseconds(50));
  ledger_.Sacrifice(AgreementId{0});
  Record(0, 1, Outcome::kHit);
  Record(0, 2, Outcome::kMiss);
  ledger_.Record(AgreementId{0}, ledger_.Arrive(AgreementId{0}, {}), Outcome::kMiss, false);
  ledger_.Advance(AtNanoseconds(80));
  ledger_.Restore(AgreementId{0});
  Record(0, 1, Outcome::kMiss);
  ledger_.Advance(AtNanoseconds(130));
  ledger_.Sacrifice(AgreementId{0});  // until the end
  const SacrificeFigures sacrificed = Figures(0).sacrificed;
  EXPECT_EQ(sacrificed.times, 2);
  EXPECT_DOUBLE_EQ(sacrificed.share, 0.5);  // 30 and 70 of 200
  EXPECT_EQ(sacrificed.counts.by_outcome, (std::array<std::int64_t, 4>{1, 2, 0, 0}));
  EXPECT_EQ(Figures(1).sacrificed.times, 0);
}

TEST_F(AgreementFiguresTest, GiveTheHitRate) { EXPECT_DOUBLE_EQ(Figures(0).hit_rate, 0.7); }

TEST_F(AgreementFiguresTest, WithoutRequestsHaveTheTargetAsRate) {
  EXPECT_EQ(Figures(3).hit_rate, 0.8);
}

TEST_F(AgreementFiguresTest, BestEffortMakesNoClaim) { EXPECT_FALSE(Figures(2).claim.has_value()); }

TEST_F(AgreementFiguresTest, FewRequestsLeaveTheClaimOpen) {
  EXPECT_EQ(Figures(0).claim, Claim::kOpen);
}

TEST_F(AgreementFiguresTest, ManyHitsMakeTheClaimHold) {
  Record(3, 44, Outcome::kHit);
  EXPECT_EQ(Figures(3).claim, Claim::kHolds);
}

TEST_F(AgreementFiguresTest, ManyFailuresBreakTheClaim) {
  Record(3, 10, Outcome::kRejected);
  EXPECT_EQ(Figures(3).claim, Claim::kBroken);
}

TEST_F(AgreementFiguresTest, SayHowManyRequestsAClaimTakes) {
  ledger_.Change(AgreementId{3}, {.tenant = TenantId{2}, .network = NetworkId{0}, .target = 0.9});
  Record(3, 1, Outcome::kMiss);
  EXPECT_EQ(Figures(3).requests_needed, 64);
}

TEST_F(AgreementFiguresTest, CountWindowViolations) {
  ledger_.Add({.tenant = TenantId{0}, .network = NetworkId{0}, .window = 2, .max_misses = 0});
  Record(4, 2, Outcome::kHit);
  Record(4, 1, Outcome::kMiss);
  Record(4, 1, Outcome::kHit);
  EXPECT_EQ(Figures(4).window_violations, 2);  // hit miss, miss hit
}

TEST_F(AgreementFiguresTest, AViolatedWindowIsAPromiseThatWasNotKept) {
  ledger_.Add({.tenant = TenantId{0}, .network = NetworkId{0}, .window = 2, .max_misses = 0});
  Record(4, 2, Outcome::kHit);
  EXPECT_EQ(Figures(4).Kept(), true);
  EXPECT_DOUBLE_EQ(*RatesOfAgreements(ledger_).met_share, 3.0 / 4);
  Record(4, 1, Outcome::kMiss);
  EXPECT_EQ(Figures(4).Kept(), false);
  EXPECT_DOUBLE_EQ(*RatesOfAgreements(ledger_).met_share, 2.0 / 4);
  EXPECT_EQ(Figures(3).Kept().has_value(), Figures(3).target.has_value());
}

TEST_F(AgreementFiguresTest, AWindowBeatsATargetThatIsMet) {
  ledger_.Change(AgreementId{3}, {.tenant = TenantId{2},
                                  .network = NetworkId{0},
                                  .target = 0.1,
                                  .window = 2,
                                  .max_misses = 0});
  Record(3, 3, Outcome::kMiss);
  EXPECT_EQ(Figures(3).Kept(), false);
}

TEST_F(AgreementFiguresTest, RatesOfAgreementsCountsAll) {
  EXPECT_EQ(RatesOfAgreements(ledger_).rates.count, 4u);
}

TEST_F(AgreementFiguresTest, RatesOfAgreementsAverages) {
  EXPECT_DOUBLE_EQ(RatesOfAgreements(ledger_).rates.mean, (0.7 + 0.75 + 0.2 + 0.8) / 4);
}

TEST_F(AgreementFiguresTest, MetShareLeavesOutBestEffort) {
  EXPECT_DOUBLE_EQ(*RatesOfAgreements(ledger_).met_share, 2.0 / 3);  // not 0.7 for 0.9
}

TEST_F(AgreementFiguresTest, ARateThatEqualsItsTargetIsMet) {
  Record(0, 20, Outcome::kHit);  // 27 of 30: 0.9
  EXPECT_EQ(RatesOfAgreements(ledger_).met_share, 1.0);
}

TEST_F(AgreementFiguresTest, MeanShortfallIsOverThoseBelowTheirTarget) {
  Record(1, 6, Outcome::kMiss);  // 3 of 10 for 0.5
  EXPECT_DOUBLE_EQ(*RatesOfAgreements(ledger_).mean_shortfall, (0.2 + 0.2) / 2);
}

TEST_F(AgreementFiguresTest, MeanShortfallIsZeroWhenAllAreMet) {
  Record(0, 20, Outcome::kHit);
  EXPECT_EQ(RatesOfAgreements(ledger_).mean_shortfall, 0.0);
}

TEST_F(AgreementFiguresTest, WorstWindowIsTheWorstOfAll) {
  EXPECT_DOUBLE_EQ(*RatesOfAgreements(ledger_).worst_window, 0.2);
}

TEST_F(AgreementFiguresTest, ATenantsRateIsItsWorstAgreements) {
  // ada 0.7, bob 0.2, cyd 0.8
  EXPECT_DOUBLE_EQ(RatesOfTenants(ledger_).rates.mean, (0.7 + 0.2 + 0.8) / 3);
}

TEST_F(AgreementFiguresTest, ATenantIsMetWhenAllItsAgreementsAre) {
  EXPECT_DOUBLE_EQ(*RatesOfTenants(ledger_).met_share, 0.5);  // cyd, not ada
}

TEST_F(AgreementFiguresTest, ATenantsShortfallIsItsLargest) {
  Record(1, 26, Outcome::kMiss);  // 3 of 30 for 0.5
  EXPECT_DOUBLE_EQ(*RatesOfTenants(ledger_).mean_shortfall, 0.4);
}

TEST(RateFigures, WithoutPromisesNobodyIsMetOrUnmet) {
  FairnessLedger ledger;
  ledger.Add({.tenant = TenantId{0}, .network = NetworkId{0}});
  EXPECT_FALSE(RatesOfAgreements(ledger).met_share.has_value());
}

TEST(RateFigures, TenantsWithoutAgreementsAreLeftOut) {
  FairnessLedger ledger;
  ledger.Add({.tenant = TenantId{5}, .network = NetworkId{0}});
  EXPECT_EQ(RatesOfTenants(ledger).rates.count, 1u);
}

TEST(RateFigures, NobodyHasNoWorstWindow) {
  EXPECT_FALSE(RatesOfAgreements(FairnessLedger{}).worst_window.has_value());
}

// Half of all hits, but none in the second period.
TEST(PeriodFigures, APromiseIsMetIfAllItsPeriodsAre) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(
      {.tenant = TenantId{0}, .network = NetworkId{0}, .target = 0.5, .period = Duration{100}});
  ledger.Record(id, ledger.Arrive(id, {}), Outcome::kHit, true);
  EXPECT_EQ(RatesOfAgreements(ledger).met_share, 1.0);
  ledger.Advance(AtNanoseconds(100));
  ledger.Record(id, ledger.Arrive(id, {}), Outcome::kMiss, true);
  const RateFigures figures = RatesOfAgreements(ledger);
  EXPECT_EQ(figures.rates.min, 0.5);
  EXPECT_EQ(figures.met_share, 0.0);
  EXPECT_EQ(figures.mean_shortfall, 0.5);
}

}  // namespace
}  // namespace fairlead
