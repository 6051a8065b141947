#include "fairlead/profiling/memory_bandwidth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// A millisecond passes whenever somebody looks.
class TickingClock final : public LiveClock {
 public:
  Instant Now() const override {
    PretendClock::Advance(std::chrono::milliseconds{1});
    return PretendClock().Now();
  }
  void WaitUntil(std::condition_variable&, std::unique_lock<std::mutex>&, Instant) const override {}
};

class Bandwidth : public ::testing::Test {
 protected:
  static Duration NoTime(const PretendLayer&) { return Duration{1}; }

  PretendProcessor first_{"p0", NoTime};
  PretendProcessor second_{"p1", NoTime};
  std::unique_ptr<PartitionThread> first_thread_ = PartitionThread::Start(first_).value();
  std::unique_ptr<PartitionThread> second_thread_ = PartitionThread::Start(second_).value();
};

TEST_F(Bandwidth, IsBytesOverTime) {
  const BandwidthLane lanes[] = {{first_thread_.get(), {0}}};
  EXPECT_THAT(MeasureBandwidth(lanes, {.bytes_per_core = 64'000}, TickingClock()),
              ElementsAre(64e6));
}

TEST_F(Bandwidth, AddsUpTheCoresOfAPartition) {
  const BandwidthLane lanes[] = {{first_thread_.get(), {0, 0, 0}}};
  EXPECT_THAT(MeasureBandwidth(lanes, {.bytes_per_core = 64'000}, TickingClock()),
              ElementsAre(3 * 64e6));
}

TEST_F(Bandwidth, IsThatOfEachPartition) {
  const BandwidthLane lanes[] = {{first_thread_.get(), {0}}, {second_thread_.get(), {0, 0}}};
  EXPECT_THAT(MeasureBandwidth(lanes, {.bytes_per_core = 64'000}, TickingClock()),
              ElementsAre(64e6, 128e6));
}

}  // namespace
}  // namespace fairlead
