#include "fairlead/policies/active_jobs.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

constexpr TenantId kFirst{std::size_t{0}};
constexpr TenantId kSecond{std::size_t{1}};

// Jobs 0 and 1 of the first tenant, 2 and 3 of the second.
SystemState FourJobs() {
  SystemState state;
  state.tenants.resize(2);
  for (const TenantId tenant : {kFirst, kFirst, kSecond, kSecond})
    state.jobs.push_back({.tenant = tenant, .active = true});
  return state;
}

TEST(ActiveJobs, FollowsArrivalsAndEnds) {
  const SystemState state = FourJobs();
  ActiveJobs jobs;
  for (const std::size_t job : {0, 1, 2})
    jobs.Observe(SystemView(state), {.kind = EventKind::kJobArrived, .job = JobId{job}});
  jobs.Observe(SystemView(state), {.kind = EventKind::kJobFinished, .job = JobId{std::size_t{1}}});
  EXPECT_EQ(jobs.total(), 2);
  EXPECT_EQ(jobs.Of(kFirst), 1);
  EXPECT_EQ(jobs.Of(kSecond), 1);
}

TEST(ActiveJobs, KnowsNobodyAtFirst) {
  EXPECT_EQ(ActiveJobs().total(), 0);
  EXPECT_EQ(ActiveJobs().Of(kSecond), 0);
}

// Job 0 waits with two branches, job 1 runs and waits, job 2 is enqueued, job 3 was dropped while
// it runs.
TEST(ActiveJobs, CountsEachJobOnceWhenThePolicyTakesOver) {
  SystemState state = FourJobs();
  const auto ready = [&](std::size_t job, std::size_t segment) {
    state.ready.push_back({.job = JobId{job}, .segment = SegmentId{segment}});
  };
  ready(0, 0);
  ready(0, 1);
  ready(1, 1);
  state.jobs[3].active = false;
  state.accelerators.resize(2);
  for (std::uint32_t slot = 0; slot < 3; ++slot)
    state.assignments.push_back({.id = {slot, 0}, .jobs = {JobId{slot + std::size_t{1}}}});
  state.accelerators[0].running = {{0, 0}};
  state.accelerators[0].queue = {{1, 0}};
  state.accelerators[1].running = {{2, 0}};
  ActiveJobs jobs;
  jobs.Observe(SystemView(state), {.kind = EventKind::kPolicyChanged});
  EXPECT_EQ(jobs.total(), 3);
  EXPECT_EQ(jobs.Of(kFirst), 2);
  EXPECT_EQ(jobs.Of(kSecond), 1);
}

}  // namespace
}  // namespace fairlead
