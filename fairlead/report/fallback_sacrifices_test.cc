#include <gtest/gtest.h>

#include "fairlead/report/listeners.h"

namespace fairlead {
namespace {

Instant At(std::int64_t nanoseconds) { return Instant{} + Duration{nanoseconds}; }

// The policy gives up agreement 0 from 10 to 20; its fallback, from 20 to 60 in charge, gives up
// both, agreement 1 until the policy is back.
TEST(FallbackSacrifices, AreTakenOutOfThePolicys) {
  FallbackSacrifices watched(At(0));
  watched.PromiseSacrificed(AgreementId{0}, At(10));
  watched.PromiseRestored(AgreementId{0}, At(20));
  watched.GuardActed(GuardFallback{"fairlead"}, At(20));
  watched.PromiseSacrificed(AgreementId{0}, At(30));
  watched.PromiseSacrificed(AgreementId{1}, At(30));
  Job job{.agreement = AgreementId{0}};
  watched.JobEnded(job, Outcome::kMiss, {}, At(35));
  job.covered = false;
  watched.JobEnded(job, Outcome::kMiss, {}, At(36));
  watched.PromiseRestored(AgreementId{0}, At(40));
  watched.PromiseRestored(AgreementId{1}, At(60));
  watched.GuardActed(GuardReturn{"sjf"}, At(60));
  watched.PromiseSacrificed(AgreementId{1}, At(70));

  std::vector<AgreementFigures> agreements(3);
  agreements[0].sacrificed = {.times = 2, .share = 0.2};
  agreements[0].sacrificed.counts.by_outcome[static_cast<std::size_t>(Outcome::kMiss)] = 5;
  agreements[1].sacrificed = {.times = 2, .share = 0.6};
  watched.TakeOut(At(100), agreements);
  EXPECT_EQ(agreements[0].sacrificed.times, 1);
  EXPECT_NEAR(agreements[0].sacrificed.share, 0.1, 1e-12);
  EXPECT_EQ(agreements[0].sacrificed.counts.ended(), 4);
  EXPECT_EQ(agreements[0].sacrificed_by_fallback.times, 1);
  EXPECT_NEAR(agreements[0].sacrificed_by_fallback.share, 0.1, 1e-12);
  EXPECT_EQ(agreements[0].sacrificed_by_fallback.counts.ended(), 1);
  EXPECT_NEAR(agreements[1].sacrificed.share, 0.3, 1e-12);
  EXPECT_NEAR(agreements[1].sacrificed_by_fallback.share, 0.3, 1e-12);
  EXPECT_EQ(agreements[2].sacrificed_by_fallback.times, 0);
}

}  // namespace
}  // namespace fairlead
