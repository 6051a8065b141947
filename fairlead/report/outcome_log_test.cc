#include "fairlead/report/outcome_log.h"

#include <gtest/gtest.h>

#include "fairlead/report/listeners.h"

namespace fairlead {
namespace {

Job SomeJob() {
  return {.request = 7,
          .agreement = AgreementId{3},
          .tenant = TenantId{1},
          .network = NetworkId{2},
          .arrival = AtNanoseconds(100),
          .deadline = AtNanoseconds(600),
          .first_start = AtNanoseconds(150)};
}

LoggedJob LogOf(const Job& job, Outcome outcome) {
  OutcomeLog log;
  log.JobEnded(job, outcome, Reason::kLate, AtNanoseconds(500));
  return log.jobs().front();
}

TEST(OutcomeLog, KeepsTheRequestNumber) { EXPECT_EQ(LogOf(SomeJob(), Outcome::kHit).request, 7u); }

TEST(OutcomeLog, KeepsTheAgreement) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kHit).agreement, AgreementId{3});
}

TEST(OutcomeLog, KeepsTheFirstStart) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kHit).start, AtNanoseconds(150));
}

TEST(OutcomeLog, KeepsTheAbsoluteDeadline) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kHit).deadline, AtNanoseconds(600));
}

TEST(OutcomeLog, KeepsTheReason) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kDropped).reason, Reason::kLate);
}

TEST(OutcomeLog, AHitFinishesWhenItEnds) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kHit).finish, AtNanoseconds(500));
}

TEST(OutcomeLog, AMissFinishesWhenItEnds) {
  EXPECT_EQ(LogOf(SomeJob(), Outcome::kMiss).finish, AtNanoseconds(500));
}

TEST(OutcomeLog, ADroppedJobNeverFinishes) {
  EXPECT_FALSE(LogOf(SomeJob(), Outcome::kDropped).finished());
}

TEST(OutcomeLog, ARejectedJobNeverStarts) {
  Job job = SomeJob();
  job.first_start = kNever;
  EXPECT_EQ(LogOf(job, Outcome::kRejected).start, kNever);
}

TEST(OutcomeLog, DoesNotCareForSegments) {
  OutcomeLog log;
  log.SegmentEnded(Assignment{}, AtNanoseconds(5));
  EXPECT_TRUE(log.jobs().empty());
}

class CountingListener final : public RunListener {
 public:
  void JobEnded(const Job&, Outcome, Reason, Instant) override { ++jobs; }
  void SegmentEnded(const Assignment&, Instant) override { ++segments; }
  int jobs = 0;
  int segments = 0;
};

TEST(RunListeners, TellsEveryListenerOfJobs) {
  OutcomeLog log;
  CountingListener counting;
  RunListeners({&log, &counting}).JobEnded(SomeJob(), Outcome::kHit, Reason::kNone, Instant{});
  EXPECT_EQ(log.jobs().size() + static_cast<std::size_t>(counting.jobs), 2u);
}

TEST(RunListeners, TellsEveryListenerOfSegments) {
  CountingListener one;
  CountingListener other;
  RunListeners({&one, &other}).SegmentEnded(Assignment{}, Instant{});
  EXPECT_EQ(one.segments + other.segments, 2);
}

}  // namespace
}  // namespace fairlead
