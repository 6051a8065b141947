// Once all that is needed at a time has been needed before, segments of real networks allocate
// nothing: not where a job goes on, not where it moves, not where runs are cleared for others.
#include "fairlead/execution/network_work.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/execution/testing/manual_clock.h"
#include "tests/allocation/counting_new.h"

namespace fairlead {
namespace {

constexpr std::size_t kSegments = 4;
constexpr std::size_t kSlots = 9;

// Jobs in all slots, segment by segment on any of two processors, alone or in pairs; in the end
// some are forgotten.
class Lap {
 public:
  Lap(std::uint64_t number, const LiveClock& clock) {
    RandomStream random(1, "moves");  // the same in each lap
    for (std::size_t segment = 0; segment < kSegments; ++segment) {
      for (std::size_t slot = 0; slot < kSlots;) {
        Assignment assignment;
        assignment.accelerator = AcceleratorId{random.Below(2)};
        assignment.network = NetworkId{0};
        assignment.segment = SegmentId{segment};
        const std::size_t jobs = 1 + random.Below(2);
        for (const std::size_t end = std::min(slot + jobs, kSlots); slot < end; ++slot) {
          assignment.jobs.emplace_back(slot);
          assignment.serials.push_back(number * kSlots + slot + 1);
        }
        runs_.push_back(std::make_unique<SegmentRun>(assignment, Duration{1}, clock));
      }
    }
    runs_.pop_back();  // never ends
    forgotten_ = {JobId{kSlots - 1}, number * kSlots + kSlots};
    also_forgotten_ = {JobId{kSlots - 2}, number * kSlots + kSlots - 1};
  }

  void Run(NetworkWork& work) {
    for (const auto& run : runs_) work.CarryOut(*run);
    work.Forget(forgotten_);
    work.Forget(also_forgotten_);
  }

 private:
  std::vector<std::unique_ptr<SegmentRun>> runs_;
  JobHandle forgotten_;
  JobHandle also_forgotten_;
};

TEST(NetworkWork, AllocatesNothingAfterWarmUp) {
  FakeBehaviour behaviour;
  LoadSpec spec;
  for (int i = 0; i < 2; ++i) {
    spec.processors.push_back(std::make_unique<FakeProcessor>("p", behaviour));
    spec.batches.push_back({{1, 2}});
  }
  spec.networks.push_back({FakeGraph("g", 8), {0, 2, 4, 6, 8}});
  const auto networks = LoadedNetworks::Load(std::move(spec));
  NetworkWork work(**networks);
  const ManualClock clock;
  Lap(0, clock).Run(work);
  Lap counted(1, clock);
  const int moved = behaviour.restored;
  testing::StartCounting();
  counted.Run(work);
  EXPECT_EQ(testing::StopCounting(), 0U);
  EXPECT_GT(behaviour.restored, moved + 10);
  EXPECT_TRUE(work.Empty());
}

}  // namespace
}  // namespace fairlead
