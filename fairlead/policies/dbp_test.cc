#include "fairlead/policies/dbp.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace fairlead {
namespace {

// One job of one agreement, with whatever ended before it.
class DistanceTest : public ::testing::Test {
 protected:
  void Promise(int window, int max_misses, std::optional<double> target = {}) {
    agreement_ = state_.ledger.Add({.tenant = TenantId{std::size_t{0}},
                                    .network = NetworkId{std::size_t{0}},
                                    .target = target,
                                    .window = window,
                                    .max_misses = max_misses});
    state_.jobs = {{.serial = 1, .agreement = agreement_, .active = true}};
  }
  void End(Outcome outcome) {
    state_.ledger.Record(agreement_, state_.ledger.Arrive(agreement_, {}), outcome, true);
    rule_->Observe(
        SystemView(state_),
        {.kind = EventKind::kJobFinished, .job = JobId{std::size_t{0}}, .outcome = outcome});
  }
  int Distance() {
    std::vector<ScoredSegment> segments = {{.serial = 1, .job = JobId{std::size_t{0}}}};
    rule_->Score(SystemView(state_), segments);
    return segments.front().rank;
  }

  SystemState state_;
  AgreementId agreement_;
  std::unique_ptr<ScoringRule> rule_ = MakeDistanceBasedPriority(0.8);
};

// 2 of any 3 deadlines must be met, as in the example of Hamdaoui and Ramanathan. After met, met,
// missed another miss breaks the promise, and after one more hit still: missed, met, missed.
TEST_F(DistanceTest, CountsMissesUntilTheWindowBreaks) {
  Promise(3, 1);
  EXPECT_EQ(Distance(), 2);
  End(Outcome::kHit);
  End(Outcome::kHit);
  End(Outcome::kMiss);
  EXPECT_EQ(Distance(), 1);
  End(Outcome::kHit);
  EXPECT_EQ(Distance(), 1);
  End(Outcome::kHit);
  EXPECT_EQ(Distance(), 2);
}

TEST_F(DistanceTest, IsZeroWhileThePromiseIsBroken) {
  Promise(3, 1);
  End(Outcome::kDropped);
  End(Outcome::kRejected);
  EXPECT_EQ(Distance(), 0);
  End(Outcome::kHit);
  EXPECT_EQ(Distance(), 0);
  End(Outcome::kHit);
  EXPECT_EQ(Distance(), 2);  // missed, met, met: the next miss pushes the old one out
}

TEST_F(DistanceTest, ComesFromTheTargetWithoutAWindow) {
  Promise(0, 0, 0.9);
  EXPECT_EQ(Distance(), 3);  // two of 20
  End(Outcome::kMiss);
  End(Outcome::kMiss);
  EXPECT_EQ(Distance(), 1);
  End(Outcome::kMiss);
  EXPECT_EQ(Distance(), 0);
}

TEST_F(DistanceTest, BestEffortIsHeldToTheTargetOfTheOption) {
  Promise(0, 0);
  EXPECT_EQ(Distance(), 5);  // 80 %: four of 20
  rule_ = MakeDistanceBasedPriority(1);
  EXPECT_EQ(Distance(), 1);
}

TEST_F(DistanceTest, ATargetOfZeroNeverBreaks) {
  Promise(0, 0, 0.0);
  for (int i = 0; i < 100; ++i) End(Outcome::kMiss);
  EXPECT_EQ(Distance(), MissDistance::kNoLimit);
}

TEST_F(DistanceTest, AChangedTargetBeginsAfresh) {
  Promise(0, 0, 1.0);
  End(Outcome::kMiss);
  EXPECT_EQ(Distance(), 0);
  ServiceAgreement changed = state_.ledger.Promise(agreement_);
  changed.target = 0.8;
  state_.ledger.Change(agreement_, changed);
  rule_->Observe(SystemView(state_),
                 {.kind = EventKind::kAgreementChanged, .agreement = agreement_});
  EXPECT_EQ(Distance(), 5);
}

TEST_F(DistanceTest, TheEarlierDeadlineBreaksTies) {
  Promise(3, 1);
  state_.jobs.push_back(state_.jobs.front());
  state_.jobs[0].deadline = AtNanoseconds(20);
  state_.jobs[1].deadline = AtNanoseconds(10);
  std::vector<ScoredSegment> segments = {{.serial = 1, .job = JobId{std::size_t{0}}},
                                         {.serial = 2, .job = JobId{std::size_t{1}}}};
  rule_->Score(SystemView(state_), segments);
  EXPECT_LT(segments[1], segments[0]);
}

}  // namespace
}  // namespace fairlead
