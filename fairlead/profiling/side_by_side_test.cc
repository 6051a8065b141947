#include "fairlead/profiling/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

// A network of three layers on a pretended processor with its thread.
class Stage {
 public:
  explicit Stage(PretendTime time)
      : processor_("p", std::move(time)),
        thread_(PartitionThread::Start(processor_).value()),
        network_(processor_.Load(graph_, 1).value()),
        run_(network_->NewRun()) {}

  Lane MakeLane(int passes) {
    return {.partition = thread_.get(), .run = run_.get(), .last = 3, .passes = passes};
  }

 private:
  OperatorGraph graph_ = PretendGraph("chain", 3);
  PretendProcessor processor_;
  std::unique_ptr<PartitionThread> thread_;
  std::unique_ptr<LoadedNetwork> network_;
  std::unique_ptr<NetworkRun> run_;
};

LaneTimes RunAlone(const Lane& lane) { return RunSideBySide({&lane, 1}, PretendClock()).front(); }

// Layers of 10, 20 and 30 ns.
Duration Tens(const PretendLayer& layer) {
  return Duration{10 * (static_cast<int>(layer.layer) + 1)};
}

TEST(SideBySide, TimesAPassAlone) {
  Stage stage(Tens);
  EXPECT_THAT(RunAlone(stage.MakeLane(4)).passes,
              AllOf(SizeIs(4), Each(Field(&TimedPass::nanoseconds, 60))));
}

TEST(SideBySide, TimesSomeLayers) {
  Stage stage(Tens);
  Lane lane = stage.MakeLane(2);
  lane.first = 1;
  lane.last = 2;
  EXPECT_THAT(RunAlone(lane).passes, Each(Field(&TimedPass::nanoseconds, 20)));
}

TEST(SideBySide, TimesLayersOneByOne) {
  Stage stage(Tens);
  Lane lane = stage.MakeLane(2);
  lane.by_layer = true;
  EXPECT_THAT(RunAlone(lane).layer_nanoseconds, ElementsAre(10, 20, 30, 10, 20, 30));
}

TEST(SideBySide, TimesOneOfManyRepeats) {
  Stage stage(Tens);
  Lane lane = stage.MakeLane(2);
  lane.repeats = 7;
  EXPECT_THAT(RunAlone(lane).passes, Each(Field(&TimedPass::nanoseconds, 60)));
}

TEST(SideBySide, DoesNotCountTheWarmUp) {
  int calls = 0;
  Stage stage([&](const PretendLayer&) { return Duration{++calls <= 6 ? 1000 : 10}; });
  Lane lane = stage.MakeLane(3);
  lane.warm_up = 2;
  EXPECT_THAT(RunAlone(lane).passes, Each(Field(&TimedPass::nanoseconds, 30)));
}

TEST(SideBySide, CountsOnlyWhileAllAreUnderWay) {
  // The other one is late: what runs before it does takes 10 ns a layer, afterwards 20.
  std::atomic<bool> other_runs = false;
  std::atomic<int> early = 0;
  Stage measured([&](const PretendLayer&) {
    if (!other_runs) ++early;
    return Duration{other_runs ? 20 : 10};
  });
  Stage other([&](const PretendLayer&) {
    while (early < 30) std::this_thread::yield();
    other_runs = true;
    return Duration{1};
  });
  const Lane lanes[] = {measured.MakeLane(5), other.MakeLane(0)};
  EXPECT_THAT(RunSideBySide(lanes, PretendClock())[0].passes,
              AllOf(SizeIs(5), Each(Field(&TimedPass::nanoseconds, 60))));
}

TEST(SideBySide, KeepsFastLanesGoingUntilSlowOnesAreDone) {
  // The slow one sees the other's layers go on until its own last pass.
  std::atomic<int> others_layers = 0;
  std::vector<int> seen;
  Stage slow([&](const PretendLayer&) {
    const int before = others_layers;
    while (others_layers < before + 3) std::this_thread::yield();
    return Duration{10};
  });
  Stage fast([&](const PretendLayer&) {
    ++others_layers;
    return Duration{1};
  });
  const Lane lanes[] = {slow.MakeLane(20), fast.MakeLane(1)};
  const auto times = RunSideBySide(lanes, PretendClock());  // would hang if the fast one stopped
  EXPECT_THAT(times[0].passes, SizeIs(20));
  EXPECT_THAT(times[1].passes, SizeIs(1));
}

TEST(SideBySide, TimesAllLanesByTheirOwn) {
  Stage slow([](const PretendLayer&) { return Duration{50}; });
  Stage fast([](const PretendLayer&) { return Duration{5}; });
  const Lane lanes[] = {slow.MakeLane(3), fast.MakeLane(4)};
  const auto times = RunSideBySide(lanes, PretendClock());
  EXPECT_THAT(times[0].passes, AllOf(SizeIs(3), Each(Field(&TimedPass::nanoseconds, 150))));
  EXPECT_THAT(times[1].passes, AllOf(SizeIs(4), Each(Field(&TimedPass::nanoseconds, 15))));
}

TEST(SideBySide, EndsAllLanesWhenOneFails) {
  Stage good(Tens);
  int calls = 0;
  Stage bad([&](const PretendLayer&) -> Duration {
    if (++calls > 50) throw std::runtime_error("out of order");
    return Duration{10};
  });
  const Lane lanes[] = {good.MakeLane(2), bad.MakeLane(1000)};
  EXPECT_THROW(RunSideBySide(lanes, PretendClock()), std::runtime_error);
}

TEST(MeanNanoseconds, LeavesOutWhatWasDisturbed) {
  const TimedPass passes[] = {{10, false}, {90, true}, {20, false}};
  EXPECT_EQ(MeanNanoseconds(passes), 15);
}

TEST(MeanNanoseconds, TakesAllWhereAllWereDisturbed) {
  const TimedPass passes[] = {{10, true}, {20, true}};
  EXPECT_EQ(MeanNanoseconds(passes), 15);
}

}  // namespace
}  // namespace fairlead
