#include "fairlead/policies/vtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace fairlead {
namespace {

// One network with one segment of 12 ns; two tenants, the second with three times the weight.
class CountersTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kLight = 0;
  static constexpr std::size_t kHeavy = 1;

  CountersTest() {
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

  void Observe(const Event& event) { rule_->Observe(SystemView(state_), event); }
  JobId Arrive(std::size_t tenant) {
    const JobId id{state_.jobs.size()};
    state_.jobs.push_back({.serial = state_.jobs.size() + 1,
                           .tenant = TenantId{tenant},
                           .network = NetworkId{std::size_t{0}},
                           .active = true});
    waiting_.push_back(id);
    Observe({.kind = EventKind::kJobArrived, .job = id});
    return id;
  }
  AssignmentId AssignmentOf(JobId job) {
    state_.assignments[0] = {.id = {0, 0}, .segment = kSegment, .jobs = {job}};
    return {0, 0};
  }
  void Start(JobId job) {
    std::erase(waiting_, job);
    Observe({.kind = EventKind::kSegmentStarted, .assignment = AssignmentOf(job)});
  }
  void Finish(JobId job) { Observe({.kind = EventKind::kJobFinished, .job = job}); }
  // Whose turn it is, one after another: what waits, in order.
  std::vector<JobId> TurnsOfJobs() {
    std::vector<ScoredSegment> segments;
    segments.reserve(waiting_.size());
    for (const JobId job : waiting_)
      segments.push_back(
          {.serial = state_.jobs[job.index()].serial, .job = job, .segment = kSegment});
    rule_->Score(SystemView(state_), segments);
    std::ranges::sort(segments, std::less<>{});
    std::vector<JobId> jobs;
    jobs.reserve(segments.size());
    for (const ScoredSegment& segment : segments) jobs.push_back(segment.job);
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
  std::vector<JobId> waiting_;
  std::unique_ptr<ScoringRule> rule_ = MakeVirtualTokenCounters(Preemption::kNone);
};

// Prices are 12 and 4: tags 0, 12, 24 and 0, 4, 8, 12, 16, 20.
TEST_F(CountersTest, TurnsAreInProportionToWeights) {
  for (int i = 0; i < 3; ++i) Arrive(kLight);
  for (int i = 0; i < 6; ++i) Arrive(kHeavy);
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kLight, kHeavy, kHeavy, kHeavy, kLight, kHeavy,
                                               kHeavy, kHeavy, kLight}));
}

TEST_F(CountersTest, WhatHasStartedCounts) {
  const JobId first = Arrive(kLight);
  Arrive(kLight);
  Arrive(kHeavy);
  Start(first);
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
}

TEST_F(CountersTest, WhoComesBackIsLiftedToTheOthers) {
  const JobId first = Arrive(kLight);
  Arrive(kLight);
  Start(first);
  Arrive(kHeavy);  // lifted from 0 to 12: a tie, which goes to the earlier arrival
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kLight, kHeavy}));
}

TEST_F(CountersTest, WhoComesToAnEmptyHouseIsLiftedToTheLastThatLeft) {
  const JobId first = Arrive(kLight);
  Start(first);
  Finish(first);
  Arrive(kHeavy);  // lifted to 12
  Arrive(kLight);  // has 12 itself
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
  Arrive(kHeavy);  // 16
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight, kHeavy}));
}

TEST_F(CountersTest, WhoWasAdmittedGoesOnInOrderOfAdmission) {
  const JobId first = Arrive(kLight);
  const JobId second = Arrive(kLight);
  Arrive(kHeavy);
  for (const JobId job : {second, first}) {  // admitted in this order; both are ready again
    state_.jobs[job.index()].first_start = Instant{Duration{job == second ? 1 : 2}};
    Observe({.kind = EventKind::kSegmentStarted, .assignment = AssignmentOf(job)});
  }
  EXPECT_EQ(TurnsOfJobs(), (std::vector<JobId>{second, first, waiting_.back()}));
  rule_ = MakeVirtualTokenCounters(Preemption::kSegment);  // counters at 0: the earlier arrival
  Observe({.kind = EventKind::kPolicyChanged});
  EXPECT_EQ(TurnsOfJobs(), (std::vector<JobId>{first, waiting_.back(), second}));
}

TEST_F(CountersTest, LiftingTakesNothingAway) {
  const JobId first = Arrive(kLight);
  Arrive(kHeavy);
  Start(first);
  Finish(first);
  Arrive(kLight);  // keeps its 12, although the other has 0
  EXPECT_EQ(Turns(), (std::vector<std::size_t>{kHeavy, kLight}));
}

}  // namespace
}  // namespace fairlead
