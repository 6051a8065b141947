#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "fairlead/profiling/measuring_plan.h"
#include "fairlead/profiling/resident_networks.h"
#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Two networks whose layers take 10 ns times their number, from 1, and note that they ran.
class InTurnTest : public ::testing::Test {
 protected:
  InTurnTest() {
    PartitionThread* const threads[] = {thread_.get()};
    const OperatorGraph* const graphs[] = {&first_, &second_};
    const std::int64_t batches[] = {1};
    resident_ = ResidentNetworks::Load(graphs, batches, threads).value();
    lanes_ = {resident_->Whole(0, 0, 0), resident_->Whole(1, 0, 0)};
  }

  std::vector<LaneTimes> Run(const TurnOptions& options) {
    return RunInTurn(lanes_, options, random_, clock_);
  }

  std::string ran_;
  Duration slept_{};
  Instant idle_since_{};
  OperatorGraph first_ = PretendGraph("a", 2);
  OperatorGraph second_ = PretendGraph("b", 1);
  PretendProcessor processor_{"p0", [this](const PretendLayer& layer) {
                                ran_ += layer.graph.name;
                                slept_ += PretendClock().Now() - idle_since_;
                                const Duration time{10 * static_cast<int>(layer.layer + 1)};
                                idle_since_ = PretendClock().Now() + time;
                                return time;
                              }};
  std::unique_ptr<PartitionThread> thread_ = PartitionThread::Start(processor_).value();
  std::unique_ptr<ResidentNetworks> resident_;
  std::vector<Lane> lanes_;
  RandomStream random_{1, "turns"};
  PretendClock clock_;
};

TEST_F(InTurnTest, PassesOneNetworkAfterTheOther) {
  Run({.cycles = 2});
  EXPECT_EQ(ran_, "aabaab");
}

TEST_F(InTurnTest, TimesWholesAndLayersAlternately) {
  const std::vector<LaneTimes> times = Run({.cycles = 4});
  ASSERT_THAT(times, SizeIs(2));
  ASSERT_THAT(times[0].passes, SizeIs(2));
  EXPECT_EQ(times[0].passes[1].nanoseconds, 30);
  EXPECT_THAT(times[0].layer_nanoseconds, ElementsAre(10, 20, 10, 20));
  EXPECT_THAT(times[1].layer_nanoseconds, ElementsAre(10, 10));
}

TEST_F(InTurnTest, PausesBeforeEachPass) {
  const std::vector<LaneTimes> times = Run({.cycles = 2, .longest_pause = Duration{1000}});
  EXPECT_GT(slept_, Duration::zero());
  EXPECT_LE(slept_, 4 * Duration{1000});
  EXPECT_EQ(times[0].passes[0].nanoseconds, 30);  // pauses do not count
}

TEST_F(InTurnTest, DoesNotPauseUnlessTold) {
  Run({.cycles = 2});
  EXPECT_EQ(slept_, Duration::zero());
}

TEST_F(InTurnTest, PassesOnWhatARunThrows) {
  PretendProcessor broken{"p1", [](const PretendLayer& layer) -> Duration {
                            if (layer.layer == 1) throw std::runtime_error("broken");
                            return Duration{1};
                          }};
  const auto thread = PartitionThread::Start(broken).value();
  PartitionThread* const threads[] = {thread.get()};
  const OperatorGraph* const graphs[] = {&first_};
  const std::int64_t batches[] = {1};
  const auto resident = ResidentNetworks::Load(graphs, batches, threads).value();
  lanes_ = {resident->Whole(0, 0, 0)};
  EXPECT_THROW(Run({.cycles = 2}), std::runtime_error);
}

}  // namespace
}  // namespace fairlead
