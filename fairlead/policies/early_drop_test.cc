#include "fairlead/policies/early_drop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/costs/beside_slowdowns.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

constexpr Duration kLatency{10};

// Jobs of one segment each, which are all ready.
class EarlyDropTest : public ::testing::Test {
 protected:
  EarlyDropTest() {
    costs_.Set(NetworkId{std::size_t{0}}, SegmentId{std::size_t{0}}, KindId{std::size_t{0}}, {},
               {.latency = kLatency});
    costs_.Seal(networks_);
    state_.beliefs = &costs_;
  }

  void Arrive(std::int64_t deadline) {
    const JobId id{state_.jobs.size()};
    state_.jobs.push_back({.serial = id.value + std::uint64_t{1},
                           .network = NetworkId{std::size_t{0}},
                           .deadline = AtNanoseconds(deadline),
                           .first_state = id.value,
                           .active = true});
    state_.segment_states.push_back(SegmentState::kReady);
    state_.newly_ready.push_back(
        {.job = id, .segment = SegmentId{std::size_t{0}}, .serial = state_.jobs.back().serial});
  }
  // What a decision at this instant gives up, in order; it is gone afterwards.
  std::vector<std::uint32_t> GivenUpAt(std::int64_t now) {
    state_.now = AtNanoseconds(now);
    SchedulingPlan plan;
    drop_.Begin(SystemView(state_), plan);
    state_.newly_ready.clear();
    std::vector<std::uint32_t> jobs;
    for (const PlanEntry& entry : plan.entries()) {
      const JobId job = plan.JobsOf(entry).front();
      jobs.push_back(job.value);
      state_.jobs[job.index()].active = false;
      state_.segment_states[job.index()] = SegmentState::kTaken;
    }
    return jobs;
  }
  // The same by looking at every job.
  std::vector<std::uint32_t> HopelessAt(std::int64_t now) const {
    std::vector<std::uint32_t> jobs;
    for (std::uint32_t i = 0; i < state_.jobs.size(); ++i) {
      if (state_.jobs[i].active && state_.jobs[i].deadline - kLatency < AtNanoseconds(now))
        jobs.push_back(i);
    }
    std::ranges::sort(jobs, {}, [&](std::uint32_t i) {
      return std::tuple(state_.jobs[i].deadline, state_.jobs[i].serial);
    });
    return jobs;
  }

  std::vector<NetworkGraph> networks_ = {NetworkGraph::Chain("network", 1)};
  Platform platform_{.kinds = {{.name = "npu", .units = 1}},
                     .accelerators = {{.name = "npu", .kind = KindId{std::size_t{0}}}}};
  CostTable costs_{networks_, platform_};
  SystemState state_;
  EarlyDrop drop_{DropRule::kEarly};
};

TEST_F(EarlyDropTest, GivesUpWhatCannotMakeItsDeadline) {
  Arrive(30);
  Arrive(20);
  EXPECT_THAT(GivenUpAt(10), ElementsAre());
  EXPECT_THAT(GivenUpAt(11), ElementsAre(1));
  EXPECT_THAT(GivenUpAt(40), ElementsAre(0));
}

// Where it would be done in 10 goes away, and where it is done in 30 is left.
TEST_F(EarlyDropTest, WhatIsHopelessFollowsWhatIsOnline) {
  CostTable slow(networks_, platform_);
  slow.Set(NetworkId{std::size_t{0}}, SegmentId{std::size_t{0}}, KindId{std::size_t{0}}, {},
           {.latency = 3 * kLatency});
  slow.Seal(networks_);
  Arrive(100);
  Arrive(110);
  EXPECT_THAT(GivenUpAt(71), ElementsAre());
  state_.beliefs = &slow;
  ++state_.beliefs_version;
  EXPECT_THAT(GivenUpAt(72), ElementsAre(0));
  state_.beliefs = &costs_;
  ++state_.beliefs_version;
  EXPECT_THAT(GivenUpAt(90), ElementsAre());
}

// Half of what it is believed to take is slowdown, and nobody is there to slow it.
TEST_F(EarlyDropTest, KeepsWhoCanMakeItBesideWhatRunsNow) {
  auto slowdowns = std::make_shared<BesideSlowdowns>(1, 1);
  slowdowns->SetMean({NetworkId{std::size_t{0}}, AcceleratorId{std::size_t{0}}},
                     BesideSlowdowns::LogOf(2));
  costs_.SetSlowdowns(slowdowns);
  state_.accelerators = {{.kind = KindId{std::size_t{0}}}};
  drop_.BesideNow();
  Arrive(20);
  EXPECT_THAT(GivenUpAt(14), ElementsAre());
  EXPECT_THAT(GivenUpAt(16), ElementsAre(0));
}

// Few at once and many at once take different ways.
TEST_F(EarlyDropTest, GivesUpInTheOrderOfDeadlines) {
  RandomStream random(1, "early drop");
  std::int64_t now = 0;
  for (int round = 0; round < 100; ++round) {
    for (std::uint64_t i = random.Below(200); i > 0; --i)
      Arrive(now + static_cast<std::int64_t>(random.Below(1'000)));
    now += static_cast<std::int64_t>(random.Below(round % 10 == 0 ? 900 : 30));
    const std::vector<std::uint32_t> expected = HopelessAt(now);
    ASSERT_EQ(GivenUpAt(now), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace fairlead
