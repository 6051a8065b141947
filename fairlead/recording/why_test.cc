#include "fairlead/recording/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/recording/testing/replay_by_hand.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::Not;

// Whatever happened, the parts add up to the whole.
RequestAccount Account(const Recording& recording, RequestNumber request) {
  auto account = AccountFor(recording, request);
  EXPECT_TRUE(account.has_value()) << account.error().message;
  const RequestAccount& a = *account;
  EXPECT_EQ(
      a.admission + a.wait.time + a.alone + a.switching + a.going_on.sum() + a.slowed + a.lost,
      a.total());
  return a;
}

TEST(Why, TellsTenantsApart) {
  const RequestAccount account = Account(TwoTenants(), 1);
  EXPECT_EQ(account.tenant, "b");
  EXPECT_EQ(account.network, "y");
  EXPECT_EQ(account.outcome, Outcome::kMiss);
  EXPECT_EQ(account.arrival, AtNanoseconds(1000));
  EXPECT_EQ(account.deadline, AtNanoseconds(6000));
  EXPECT_EQ(account.first_start, AtNanoseconds(4000));
  EXPECT_EQ(account.end, AtNanoseconds(10'500));
  EXPECT_EQ(account.total(), Duration{9500});
  EXPECT_EQ(account.before_first_start(), Duration{3000});
  EXPECT_EQ(account.wait.time, Duration{6000});
  EXPECT_EQ(account.wait.idle, Duration{0});
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(account.slowed, Duration{500});
  ASSERT_EQ(account.wait.behind.size(), 1U);
  EXPECT_EQ(account.wait.behind[0].tenant, "a");
  EXPECT_EQ(account.wait.behind[0].network, "x");
  EXPECT_EQ(account.wait.behind[0].time, Duration{6000});

  ASSERT_EQ(account.segments.size(), 2U);
  const SegmentAccount& last = account.segments[1];
  EXPECT_EQ(last.accelerator, "acc");
  EXPECT_EQ(last.ready, AtNanoseconds(5500));
  EXPECT_EQ(last.start, AtNanoseconds(8500));
  EXPECT_EQ(last.end, AtNanoseconds(10'500));
  EXPECT_EQ(last.wait.time, Duration{3000});
  ASSERT_EQ(last.wait.behind.size(), 1U);
  EXPECT_EQ(last.wait.behind[0].request, 2U);
  EXPECT_EQ(last.slowed, Duration{0});
}

TEST(Why, TellsInWords) {
  const Recording recording = TwoTenants();
  const auto text = Why(recording, 1);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("request 1: y of b, priority 1\n"));
  EXPECT_THAT(*text, HasSubstr("It missed its deadline by 4.500 us: 63 % of its time it waited, "
                               "mostly behind a's x.\n"));
  EXPECT_EQ(Verdict(*AccountFor(recording, 2)),
            "It made its deadline with 6.500 us to spare: 86 % of its time it ran as fast as "
            "alone.");
}

// The guard acts before request 1 arrives, during its life, and after it.
TEST(Why, TellsWhatTheGuardDidMeanwhile) {
  RunByHand run(1);
  run.Now(0);
  const JobId first = run.Arrive(0, 0, 10'000);
  run.engine().Apply(GuardStrike{StrikeCause::kWrongPlan});
  run.engine().Apply(GuardFallback{"edf-share"});
  run.Start(first, 0);
  run.Now(1000);
  const JobId second = run.Arrive(1, 0, 10'000);
  run.Now(3000);
  run.Finish();
  run.Start(second, 0);
  run.Now(4000);
  run.engine().Apply(GuardReturn{"script"});
  run.Now(6000);
  run.Finish();
  run.engine().Apply(GuardStrike{StrikeCause::kIdleMachine});
  const Recording recording = run.Recorded();
  EXPECT_THAT(*Why(recording, 0), HasSubstr("meanwhile the guard\n"
                                            "       0.000000000 s  strike: wrong-plan\n"
                                            "       0.000000000 s  edf-share takes over\n\n"));
  EXPECT_THAT(*Why(recording, 1), HasSubstr("meanwhile the guard\n"
                                            "       0.000001000 s  edf-share is in charge\n"
                                            "       0.000004000 s  script is back\n\n"));
  EXPECT_THAT(*Why(TwoTenants(), 1), testing::Not(HasSubstr("guard")));
}

TEST(Why, NamesTheRequestsThereAre) {
  EXPECT_EQ(Why(TwoTenants(), 7).error().message,
            "f.rec: no request 7; its 3 requests are numbered 0 to 2");
}

TEST(Why, EmptyRecordingsHaveNoRequests) {
  EXPECT_EQ(Why(RunByHand(1).Recorded(), 0).error().message, "f.rec: it has no requests");
}

// The diamond on two accelerators: left runs from 1 to 2, right from 1 to 4 (slowed by 2), join
// from 5 to 6 after a microsecond beside an idle accelerator.
TEST(Why, FollowsTheCriticalPath) {
  RunByHand run(2);
  run.Now(0);
  const JobId job = run.Arrive(0, 2, 10'000);
  run.Start(job, 0);
  run.Now(1000);
  run.Finish();
  run.Plan([&](SchedulingPlan& plan) {
    plan.Start(AcceleratorId{0}, job, SegmentId{1});
    plan.Start(AcceleratorId{1}, job, SegmentId{2});
  });
  run.Now(2000);
  run.Finish(0);
  run.Now(4000);
  run.Finish(1);
  run.Now(5000);
  run.Start(job, 3, 0);
  run.Now(6000);
  run.Finish();
  const RequestAccount account = Account(run.Recorded(), 0);
  std::vector<std::string> path;
  for (std::size_t at : account.path) path.push_back(account.segments[at].name);
  EXPECT_THAT(path, testing::ElementsAre("top", "right", "join"));
  EXPECT_EQ(account.segments.size(), 4U);
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(account.slowed, Duration{2000});
  EXPECT_EQ(account.wait.time, Duration{1000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
}

// The first of three is covered, the second is refused as it arrives.
TEST(Why, FollowsWhatAContractRefuses) {
  RunByHand run(1);
  run.Now(0);
  const Contract contract{.over = Over::kRefuse};
  run.engine().Apply(AgreementChange{
      AgreementId{0}, {.tenant = TenantId{0}, .network = NetworkId{0}, .contract = contract}});
  for (RequestNumber request : {0, 1, 2}) run.Arrive(request, 0, 10'000);
  const Recording recording = run.Recorded();
  EXPECT_TRUE(Account(recording, 0).covered);
  const RequestAccount account = Account(recording, 1);
  EXPECT_FALSE(account.covered);
  EXPECT_EQ(account.request, 1U);
  EXPECT_EQ(Verdict(account),
            "It was rejected (uncovered) 0 ns after its arrival: it took no time.");
  EXPECT_THAT(ToText(account),
              HasSubstr("request 1: x of a, priority 1, not covered by its contract\n"));
}

TEST(Why, TellsSwitchingFromSlowdown) {
  RunByHand run(1, Duration{100});
  run.Now(0);
  const JobId job = run.Arrive(0, 1, 10'000);
  run.Start(job, 0);
  run.Now(1150);
  run.Finish();
  run.Start(job, 1);
  run.Now(3150);
  run.Finish();
  const RequestAccount account = Account(run.Recorded(), 0);
  EXPECT_EQ(account.switching, Duration{100});  // the second segment follows its own network
  EXPECT_EQ(account.slowed, Duration{50});
  EXPECT_EQ(account.alone, Duration{3000});
}

// Boundaries cost 10 (of what the table has), taking over 20, moving 400 and 1 a byte.
TEST(Why, TellsWhatGoingOnTook) {
  HandOverCosts hand_overs(1);
  hand_overs.SetHandOver(KindId{0}, Duration{10});
  hand_overs.SetTakeOver(KindId{0}, Duration{20});
  hand_overs.SetMove(KindId{0}, KindId{0}, {Duration{400}, 1'000'000'000});
  RunByHand run(2, {}, hand_overs);
  run.Now(0);
  const JobId job = run.Arrive(0, 1, 10'000);
  run.Start(job, 0);
  run.Now(1020);
  run.Finish();
  run.Start(job, 1, 1);
  run.Now(1020 + 2470);
  run.Finish(1);
  const Recording recording = run.Recorded();
  const RequestAccount account = Account(recording, 0);
  EXPECT_EQ(account.going_on.handing_over, Duration{20});
  EXPECT_EQ(account.going_on.taking_over, Duration{40});
  EXPECT_EQ(account.going_on.moving, Duration{450});
  EXPECT_EQ(account.alone, Duration{2980});
  EXPECT_EQ(account.slowed, Duration{0});
  EXPECT_THAT(ToText(account), HasSubstr("moving to other accelerators              450 ns"));
}

TEST(Why, BlamesMovesThatTookMost) {
  HandOverCosts hand_overs(1);
  hand_overs.SetMove(KindId{0}, KindId{0}, {Duration{9'000}, 0});
  RunByHand run(2, {}, hand_overs);
  run.Now(0);
  const JobId job = run.Arrive(0, 1, 10'000);
  run.Start(job, 0);
  run.Now(1000);
  run.Finish();
  run.Start(job, 1, 1);
  run.Now(1000 + 11'000);
  run.Finish(1);
  EXPECT_EQ(Verdict(Account(run.Recorded(), 0)),
            "It missed its deadline by 2.000 us: 75 % of its time went into going on, mostly into "
            "moves to other accelerators.");
}

// The try of 2 us fails, the accelerator is away for 3, and the decision takes 1 of the next 2.
TEST(Why, CountsFailuresAbsencesAndDecisions) {
  RunByHand run(1);
  run.Now(2000);
  const JobId job = run.Arrive(0, 0, 20'000, Duration{500});
  run.Start(job, 0);
  run.Now(4000);
  run.engine().Apply(AcceleratorLoss{AcceleratorId{0}});
  run.Now(7000);
  run.engine().Apply(AcceleratorReturn{AcceleratorId{0}});
  run.engine().Apply(Reservation{AcceleratorId{0}, Duration{1000}});
  run.Now(8000);
  run.engine().Apply(Release{AcceleratorId{0}});
  run.Now(9000);
  run.Start(job, 0);
  run.Now(12'000);
  run.Finish();
  const RequestAccount account = Account(run.Recorded(), 0);
  EXPECT_EQ(account.admission, Duration{500});
  EXPECT_EQ(account.lost, Duration{2000});
  EXPECT_EQ(account.segments[0].failures, 1);
  EXPECT_EQ(account.wait.time, Duration{5000});
  EXPECT_EQ(account.wait.away, Duration{3000});
  EXPECT_EQ(account.wait.deciding, Duration{1000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
  EXPECT_EQ(account.alone, Duration{3000});
  EXPECT_EQ(Verdict(account),
            "It made its deadline with 9.500 us to spare: 52 % of its time it waited, mostly for "
            "an accelerator that was away.");
}

// It waits from 1 to 3 for either of two accelerators, of which one is busy.
TEST(Why, BlamesAllAcceleratorsForARejection) {
  RunByHand run(2);
  run.Now(0);
  run.Start(run.Arrive(0, 0, 10'000), 0);
  run.Now(1000);
  const JobId job = run.Arrive(1, 1, 10'000);
  run.Now(3000);
  run.Plan([&](SchedulingPlan& plan) { plan.Reject(job, Reason::kOverload); });
  const RequestAccount account = Account(run.Recorded(), 1);
  EXPECT_EQ(account.outcome, Outcome::kRejected);
  EXPECT_EQ(account.reason, Reason::kOverload);
  EXPECT_EQ(account.first_start, kNever);
  EXPECT_EQ(account.wait.time, Duration{2000});
  EXPECT_EQ(account.wait.idle, Duration{1000});
  ASSERT_EQ(account.wait.behind.size(), 1U);
  EXPECT_EQ(account.wait.behind[0].time, Duration{1000});
  EXPECT_THAT(Verdict(account), HasSubstr("It was rejected (overload) 2.000 us after its arrival"));
}

// From 2 to 4 us, and from 5 us on.
TEST(Why, SaysThatThePromiseWasGivenUp) {
  RunByHand run(1);
  run.Now(0);
  run.engine().Apply(AgreementChange{
      AgreementId{1}, {.tenant = TenantId{1}, .network = NetworkId{1}, .target = 0.9}});
  const JobId early = run.Arrive(0, 1, 10'000);
  run.Arrive(1, 0, 10'000);  // another agreement's
  run.Now(2000);
  run.Plan([](SchedulingPlan& plan) { plan.Sacrifice(AgreementId{1}); });
  run.Now(4000);
  run.Plan([](SchedulingPlan& plan) { plan.Restore(AgreementId{1}); });
  run.Now(5000);
  run.Plan([](SchedulingPlan& plan) { plan.Sacrifice(AgreementId{1}); });
  run.Now(6000);
  const JobId late = run.Arrive(2, 1, 10'000);
  run.Now(7000);
  run.Plan([&](SchedulingPlan& plan) {
    plan.Reject(early, Reason::kOverload);
    plan.Reject(late, Reason::kOverload);
  });
  const Recording recording = run.Recorded();
  const RequestAccount first = Account(recording, 0);
  ASSERT_EQ(first.sacrificed.size(), 2U);
  EXPECT_EQ(first.sacrificed[0].until, AtNanoseconds(4000));
  EXPECT_THAT(ToText(first),
              HasSubstr("\nits promise was given up by the policy, or by who stood in for it\n"
                        "  from      0.000002000 s  to 0.000004000 s\n"));
  EXPECT_THAT(ToText(first), HasSubstr("  from      0.000005000 s  until after its end\n"));
  EXPECT_THAT(ToText(first),
              HasSubstr("    of 1 promise, 0 cost less and 0 as much; 1 was given up "
                        "then\n"));
  EXPECT_THAT(Verdict(first), HasSubstr(". Its promise was given up since 0.000005000 s."));
  EXPECT_TRUE(Account(recording, 1).sacrificed.empty());
  EXPECT_THAT(Verdict(Account(recording, 1)), Not(HasSubstr("given up")));
  const RequestAccount second = Account(recording, 2);
  ASSERT_EQ(second.sacrificed.size(), 1U);
  EXPECT_EQ(second.sacrificed[0].since, AtNanoseconds(5000));
}

TEST(Why, DoesNotBlameASacrificeForAHit) {
  RunByHand run(1);
  run.Now(0);
  run.engine().Apply(AgreementChange{
      AgreementId{0}, {.tenant = TenantId{0}, .network = NetworkId{0}, .target = 0.9}});
  run.Plan([](SchedulingPlan& plan) { plan.Sacrifice(AgreementId{0}); });
  run.Start(run.Arrive(0, 0, 10'000), 0);
  run.Now(3000);
  run.Finish();
  const RequestAccount account = Account(run.Recorded(), 0);
  EXPECT_EQ(account.sacrificed.size(), 1U);
  EXPECT_THAT(Verdict(account), Not(HasSubstr("given up")));
}

TEST(Why, TellsOfRequestsThatDidNotEnd) {
  RunByHand run(1);
  run.Now(0);
  const JobId job = run.Arrive(0, 1, 10'000);
  run.Start(job, 0);
  run.Now(1000);
  run.Finish();
  run.Start(job, 1);
  run.Now(1500);
  const RequestAccount account = Account(run.Recorded(), 0);
  EXPECT_FALSE(account.outcome.has_value());
  EXPECT_EQ(account.alone, Duration{1500});
  EXPECT_THAT(ToText(account), HasSubstr("still under way"));
}

}  // namespace
}  // namespace fairlead
