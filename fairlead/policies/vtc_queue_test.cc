#include "fairlead/policies/vtc_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace fairlead {
namespace {

// One network with one segment of 12 ns; two tenants, the second with three times the weight.
class VtcQueueTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kLight = 0;
  static constexpr std::size_t kHeavy = 1;

  VtcQueueTest() {
    platform_.AddKind("npu", 1);
    networks_.push_back(NetworkGraph::Chain("a", 1));
    costs_ = std::make_unique<CostTable>(networks_, platform_);
    costs_->Set(NetworkId{std::size_t{0}}, kSegment, KindId{std::size_t{0}}, {},
                {.latency = Duration{12}});
    costs_->Seal(networks_);
    state_.platform = &platform_;
    state_.networks = networks_;
    state_.beliefs = costs_.get();
    state_.tenants = {{.name = "light", .weight = 1}, {.name = "heavy", .weight = 3}};
    state_.assignments.resize(1);
  }

  void Observe(const Event& event) { queue_->Observe(SystemView(state_), event); }
  JobId Arrive(std::size_t tenant) {
    const JobId id{state_.jobs.size()};
    state_.jobs.push_back({.serial = state_.jobs.size() + 1,
                           .tenant = TenantId{tenant},
                           .network = NetworkId{std::size_t{0}},
                           .first_state = static_cast<std::uint32_t>(state_.jobs.size()),
                           .active = true});
    state_.segment_states.push_back(SegmentState::kReady);
    Show(id);
    Observe({.kind = EventKind::kJobArrived, .job = id});
    return id;
  }
  AssignmentId AssignmentOf(JobId job) {
    state_.assignments[0] = {.id = {0, 0}, .segment = kSegment, .jobs = {job}};
    return {0, 0};
  }
  void Show(JobId job) {
    state_.newly_ready.push_back(
        {.job = job, .segment = kSegment, .serial = state_.jobs[job.index()].serial});
  }
  void Start(JobId job) {
    state_.segment_states[job.index()] = SegmentState::kTaken;
    Observe({.kind = EventKind::kSegmentStarted, .assignment = AssignmentOf(job)});
  }
  void Finish(JobId job) { Observe({.kind = EventKind::kJobFinished, .job = job}); }
  // Whose turn it is, one after another: what waits, in order.
  std::vector<JobId> TurnsOfJobs() {
    std::vector<JobId> jobs;
    queue_->Take(SystemView(state_));
    state_.newly_ready.clear();
    queue_->Walk(SystemView(state_), EarlyDrop(DropRule::kNone), [&](const ScoredSegment& segment) {
      jobs.push_back(segment.job);
      return true;
    });
    return jobs;
  }
  std::vector<std::size_t> Turns() {
    std::vector<std::size_t> tenants;
    for (const JobId job : TurnsOfJobs())
      tenants.push_back(state_.jobs[job.index()].tenant.index());
    return tenants;
  }

  static constexpr SegmentId kSegment{std::size_t{0}};
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::unique_ptr<CostTable> costs_;
  SystemState state_;
  std::unique_ptr<VtcQueue> queue_ = std::make_unique<VtcQueue>(Preemption::kNone);
};

// Prices are 12 and 4: tags 0, 12, 24 and 0, 4, 8, 12, 16, 20.
TEST_F(VtcQueueTest, TurnsAreInProportionToWeights) {
  for (int i = 0; i < 3; ++i) Arrive(kLight);
  for (int i = 0; i < 6; ++i) Arrive(kHeavy);
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kLight, kHeavy, kHeavy, kHeavy, kLight, kHeavy,
                                               kHeavy, kHeavy, kLight}));
}

TEST_F(VtcQueueTest, WhatHasStartedCounts) {
  const JobId first = Arrive(kLight);
  Arrive(kLight);
  Arrive(kHeavy);
  Start(first);
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
}

TEST_F(VtcQueueTest, WhoComesBackIsLiftedToTheOthers) {
  const JobId first = Arrive(kLight);
  Arrive(kLight);
  Start(first);
  Arrive(kHeavy);  // lifted from 0 to 12: a tie, which goes to the earlier arrival
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kLight, kHeavy}));
}

TEST_F(VtcQueueTest, WhoComesToAnEmptyHouseIsLiftedToTheLastThatLeft) {
  const JobId first = Arrive(kLight);
  Start(first);
  Finish(first);
  Arrive(kHeavy);  // lifted to 12
  Arrive(kLight);  // has 12 itself
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
  Arrive(kHeavy);  // 16
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight, kHeavy}));
}

TEST_F(VtcQueueTest, WhoWasAdmittedGoesOnInOrderOfAdmission) {
  const JobId first = Arrive(kLight);
  const JobId second = Arrive(kLight);
  const JobId third = Arrive(kHeavy);
  for (const JobId job : {second, first}) {  // admitted in this order; both are ready again
    state_.jobs[job.index()].first_start = Instant{Duration{job == second ? 1 : 2}};
    Observe({.kind = EventKind::kSegmentStarted, .assignment = AssignmentOf(job)});
  }
  EXPECT_EQ(TurnsOfJobs(), (std::vector<JobId>{second, first, third}));
  // Another takes over, with counters at 0: the earlier arrival.
  queue_ = std::make_unique<VtcQueue>(Preemption::kSegment);
  Observe({.kind = EventKind::kPolicyChanged});
  for (const JobId job : {first, second, third}) Show(job);
  EXPECT_EQ(TurnsOfJobs(), (std::vector<JobId>{first, third, second}));
}

TEST_F(VtcQueueTest, LiftingTakesNothingAway) {
  const JobId first = Arrive(kLight);
  Arrive(kHeavy);
  Start(first);
  Finish(first);
  Arrive(kLight);  // keeps its 12, although the other has 0
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
}

// Those that end without having been walked to are thrown out by and by.
TEST_F(VtcQueueTest, ForgetsWhatIsGone) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 1'000; ++i) jobs.push_back(Arrive(kLight));
  queue_->Take(SystemView(state_));
  for (const JobId job : jobs) Start(job);
  const JobId last = Arrive(kHeavy);
  EXPECT_EQ(TurnsOfJobs(), std::vector<JobId>{last});
}

TEST_F(VtcQueueTest, WhatNoContractCoversIsBehindEverything) {
  const JobId first = Arrive(kLight);
  state_.jobs[first.index()].covered = false;
  const JobId second = Arrive(kLight);
  EXPECT_EQ(TurnsOfJobs(), (std::vector<JobId>{second, first}));
}

}  // namespace
}  // namespace fairlead
