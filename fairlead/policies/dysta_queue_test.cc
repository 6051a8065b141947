#include "fairlead/policies/dysta_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fairlead {
namespace {

// Two networks of one segment each, so that each has a tree of its own.
class DystaQueueTest : public ::testing::Test {
 protected:
  DystaQueueTest() {
    platform_.AddKind("npu", 1);
    networks_ = {NetworkGraph::Chain("a", 1), NetworkGraph::Chain("b", 1)};
    state_.platform = &platform_;
    state_.networks = networks_;
    state_.now = AtNanoseconds(1'000'000);
  }

  CostTable CostsOf(Duration a, Duration b) {
    CostTable costs(networks_, platform_);
    costs.Set(NetworkId{std::size_t{0}}, kSegment, KindId{std::size_t{0}}, {}, {.latency = a});
    costs.Set(NetworkId{std::size_t{1}}, kSegment, KindId{std::size_t{0}}, {}, {.latency = b});
    costs.Seal(networks_);
    return costs;
  }
  // As the engine does when other kinds are there.
  void Believe(const CostTable& costs) {
    state_.beliefs = &costs;
    ++state_.beliefs_version;
    for (Job& job : state_.jobs) job.work_left = costs.FastestTotal(job.network);
  }
  JobId Arrive(std::size_t network) {
    const JobId id{state_.jobs.size()};
    state_.jobs.push_back({.serial = state_.jobs.size() + 1,
                           .tenant = TenantId{std::size_t{0}},
                           .network = NetworkId{network},
                           .deadline = state_.now,
                           .last_progress = state_.now,
                           .work_left = state_.beliefs->FastestTotal(NetworkId{network}),
                           .first_state = static_cast<std::uint32_t>(state_.jobs.size()),
                           .active = true});
    state_.segment_states.push_back(SegmentState::kReady);
    state_.ready.push_back({.job = id, .segment = kSegment, .serial = id.index() + 1});
    state_.newly_ready.push_back(state_.ready.back());
    queue_.Observe(SystemView(state_), {.kind = EventKind::kJobArrived, .job = id});
    return id;
  }
  void End(JobId job) {
    state_.jobs[job.index()].active = false;
    queue_.Observe(SystemView(state_), {.kind = EventKind::kJobFinished, .job = job});
  }
  std::vector<JobId> Walk() {
    std::vector<JobId> jobs;
    queue_.Take(SystemView(state_));
    state_.newly_ready.clear();
    queue_.Walk(SystemView(state_), EarlyDrop(DropRule::kNone), [&](const ScoredSegment& segment) {
      jobs.push_back(segment.job);
      return true;
    });
    return jobs;
  }

  static constexpr SegmentId kSegment{std::size_t{0}};
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  SystemState state_;
  DystaQueue queue_;
};

TEST_F(DystaQueueTest, FollowsWhatWorkIsBelievedToTake) {
  const CostTable before = CostsOf(Duration{300}, Duration{200});
  const CostTable after = CostsOf(Duration{100}, Duration{200});
  Believe(before);
  const JobId a = Arrive(0);
  const JobId b = Arrive(1);
  EXPECT_EQ(Walk(), (std::vector{b, a}));
  Believe(after);
  EXPECT_EQ(Walk(), (std::vector{a, b}));
}

TEST_F(DystaQueueTest, ShowsNothingThatWasTakenUntilItIsShownAgain) {
  const CostTable costs = CostsOf(Duration{300}, Duration{200});
  Believe(costs);
  const JobId a = Arrive(0);
  const JobId b = Arrive(1);
  EXPECT_EQ(Walk(), (std::vector{b, a}));
  queue_.Taken(SystemView(state_), b, kSegment);
  EXPECT_EQ(Walk(), (std::vector{a}));
  state_.newly_ready.push_back(state_.ready[b.index()]);
  EXPECT_EQ(Walk(), (std::vector{b, a}));
}

TEST_F(DystaQueueTest, ForgetsWhatHasEnded) {
  const CostTable costs = CostsOf(Duration{300}, Duration{200});
  Believe(costs);
  std::vector<JobId> left;
  for (int i = 0; i < 200; ++i) {
    state_.now += Duration{1'000};
    const JobId job = Arrive(0);
    if (i % 3 > 0) left.push_back(job);
  }
  EXPECT_EQ(Walk().size(), 200);
  for (std::size_t i = 0; i < 200; i += 3) End(JobId{i});
  // Who waits longest goes last. So few are walked without a look at all that is ready.
  std::ranges::reverse(left);
  left.resize(20);
  std::vector<JobId> shown;
  queue_.Walk(SystemView(state_), EarlyDrop(DropRule::kNone), [&](const ScoredSegment& segment) {
    shown.push_back(segment.job);
    return shown.size() < 20;
  });
  EXPECT_EQ(shown, left);
}

}  // namespace
}  // namespace fairlead
