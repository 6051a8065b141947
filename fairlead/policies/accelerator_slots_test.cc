#include "fairlead/policies/accelerator_slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/costs/beside_slowdowns.h"

namespace fairlead {
namespace {

constexpr NetworkId kNetwork{std::size_t{0}};
constexpr JobId kJob{0};  // where it is does not matter
constexpr SegmentId kSegment{std::size_t{0}};

// Two kinds, of more accelerators than are looked at one by one, and of fewer.
class AcceleratorSlotsTest : public ::testing::TestWithParam<int> {
 protected:
  AcceleratorSlotsTest() {
    platform_.AddKind("many", GetParam(), 1);
    platform_.AddKind("few", 3, 1);
    networks_ = {NetworkGraph::Chain("n", 1)};
    costs_.emplace(networks_, platform_);
    for (std::size_t kind = 0; kind < 2; ++kind)
      costs_->Set(kNetwork, kSegment, KindId{kind}, {},
                  {.latency = Duration{static_cast<std::int64_t>(10 + 90 * kind)}});
    costs_->Seal(networks_);
    state_.platform = &platform_;
    state_.networks = networks_;
    state_.beliefs = &*costs_;
    state_.ready.resize(1);
    state_.ready_by_affinity.assign(costs_->affinities(), 1);
  }

  void DrawAccelerators(RandomStream& random) {
    state_.accelerators.clear();
    for (const Accelerator& accelerator : platform_.accelerators) {
      const bool busy = random.Below(4) > 0;
      state_.accelerators.push_back(
          {.kind = accelerator.kind,
           .online = random.Below(8) > 0,
           .free_units = busy ? 0 : 1,
           .believed_free = AtNanoseconds(static_cast<std::int64_t>(random.Below(50)))});
    }
  }

  // By looking at every slot.
  static const AcceleratorSlot* Best(std::span<const AcceleratorSlot> slots) {
    const AcceleratorSlot* best = nullptr;
    const auto finish = [](const AcceleratorSlot& slot) {
      return slot.available + Duration{static_cast<std::int64_t>(10 + 90 * slot.kind.index())};
    };
    for (const AcceleratorSlot& slot : slots) {
      if (slot.available == kNever) continue;
      if (best == nullptr || finish(slot) < finish(*best)) best = &slot;
    }
    return best;
  }

  // The first accelerators of both kinds are idle, the others away but for the last, which is busy.
  void LeaveTwoIdle() {
    for (std::size_t a = 0; a < platform_.accelerators.size(); ++a)
      state_.accelerators.push_back(
          {.kind = platform_.accelerators[a].kind, .online = a == 0 || a == FirstOfFew()});
    state_.accelerators.back() = {.kind = KindId{std::size_t{1}}, .free_units = 0};
    state_.accelerators.back().believed_free = AtNanoseconds(1'000);
    state_.assignments.resize(1);
    state_.assignments.front().network = kNetwork;
    state_.accelerators.back().running = {AssignmentId{}};
    state_.accelerators.back().running.front().slot = 0;
  }
  std::size_t FirstOfFew() const { return platform_.accelerators.size() - 3; }

  // The accelerator, and when the network ends there.
  std::pair<std::size_t, std::int64_t> Chosen(AcceleratorSlots::Beside beside) const {
    AcceleratorSlots slots(AcceleratorSlots::Index::kOnline);
    slots.set_beside(beside);
    slots.Begin(SystemView(state_));
    const auto [slot, finish] = slots.EarliestFinish(SystemView(state_), kJob, kNetwork, kSegment);
    return {slot->id.index(), Nanoseconds(finish - Instant{})};
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> costs_;
  SystemState state_;
};

TEST_P(AcceleratorSlotsTest, FindsTheFirstOfEachKindHoweverManyAreBooked) {
  RandomStream random(1, "slots");
  AcceleratorSlots slots(AcceleratorSlots::Index::kOnline);
  for (int decision = 0; decision < 20; ++decision) {
    DrawAccelerators(random);
    slots.Begin(SystemView(state_));
    for (int booked = 0; booked < 300; ++booked) {
      const auto [slot, finish] =
          slots.EarliestFinish(SystemView(state_), kJob, kNetwork, kSegment);
      ASSERT_EQ(slot, Best(slots.slots()));
      if (slot == nullptr) break;
      slots.Book(*slot, Duration{static_cast<std::int64_t>(random.Below(100))});
    }
  }
}

// Slowdowns know so many accelerators at most.
class KnownBesideTest : public AcceleratorSlotsTest {
 protected:
  // Beside what runs on the last one, the network is twenty times as slow on the first as usual,
  // and as fast as usual on the others.
  KnownBesideTest() {
    const std::size_t accelerators = platform_.accelerators.size();
    auto slowdowns = std::make_shared<BesideSlowdowns>(1, accelerators);
    slowdowns->SetPair({kNetwork, AcceleratorId{std::size_t{0}}},
                       {kNetwork, AcceleratorId{accelerators - 1}}, BesideSlowdowns::LogOf(20));
    costs_->SetSlowdowns(slowdowns);
    LeaveTwoIdle();
  }
};

TEST_P(KnownBesideTest, CountsTheUsualUnlessAskedToDoOtherwise) {
  EXPECT_EQ(Chosen(AcceleratorSlots::Beside::kUsual), std::pair(std::size_t{0}, std::int64_t{10}));
}

TEST_P(KnownBesideTest, CountsWhatRunsNowIfAskedTo) {
  EXPECT_EQ(Chosen(AcceleratorSlots::Beside::kNow), std::pair(FirstOfFew(), std::int64_t{100}));
}

TEST_P(AcceleratorSlotsTest, CountsTheUsualWhereNobodyKnowsWhatRunsNow) {
  LeaveTwoIdle();
  EXPECT_EQ(Chosen(AcceleratorSlots::Beside::kNow), std::pair(std::size_t{0}, std::int64_t{10}));
}

INSTANTIATE_TEST_SUITE_P(Sizes, AcceleratorSlotsTest, ::testing::Values(1, 32, 33, 64, 100, 513));
INSTANTIATE_TEST_SUITE_P(Sizes, KnownBesideTest,
                         ::testing::Values(1, 32, 33, 64, 100,
                                           int{BesideSlowdowns::kMostPlaces} - 3));

}  // namespace
}  // namespace fairlead
