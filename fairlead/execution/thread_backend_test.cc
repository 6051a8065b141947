#include "fairlead/execution/thread_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fairlead/domain/network_graph.h"
#include "fairlead/execution/processor.h"
#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;

constexpr NetworkId kNetwork{0};
constexpr NetworkId kOtherNetwork{1};
constexpr AcceleratorId kSmall{0};  // one unit
constexpr AcceleratorId kLarge{1};  // four

// Two networks of one segment each. It costs 10 ms on the small accelerator, 8 ms on one unit of
// the large one and 2 ms on all four.
class ThreadBackendTest : public testing::Test {
 protected:
  ThreadBackendTest() {
    platform_.AddKind("small", 1);
    platform_.AddKind("large", 1, 4);
    truth_ = std::make_unique<CostTable>(networks_, platform_);
    for (NetworkId network : {kNetwork, kOtherNetwork}) {
      const auto set = [&](KindId kind, Configuration configuration, Duration latency) {
        truth_->Set(network, SegmentId{0}, kind, configuration,
                    {.latency = latency, .dram_bytes = 5, .energy_pj = 100});
      };
      set(KindId{0}, {1, 1}, milliseconds(10));
      set(KindId{0}, {1, 4}, milliseconds(25));
      set(KindId{1}, {1, 1}, milliseconds(8));
      set(KindId{1}, {4, 1}, milliseconds(2));
    }
    truth_->SetSwitching(KindId{0}, {.latency = milliseconds(1), .energy_pj = 7});
    truth_->Seal(networks_);
  }

  std::unique_ptr<ThreadBackend> Make(SegmentWork work = SleepThrough) {
    return std::make_unique<ThreadBackend>(
        ThreadBackendSetup{.platform = &platform_,
                           .truth = truth_.get(),
                           .clock = &clock_,
                           .work =
                               [this, work = std::move(work)](SegmentRun& run) {
                                 ++begun_;
                                 return work(run);
                               },
                           .enter = enter_,
                           .report =
                               [this](const Input& input) {
                                 Note(input);
                                 if (after_report_ != nullptr) after_report_();
                               }});
  }

  // Slots count from 0 in the order of calls.
  Assignment Next(AcceleratorId accelerator, NetworkId network = kNetwork, int units = 1,
                  int batch = 1) {
    Assignment assignment;
    assignment.id = {next_slot_++, 1};
    assignment.accelerator = accelerator;
    assignment.network = network;
    assignment.segment = SegmentId{0};
    assignment.units = units;
    assignment.jobs.resize(static_cast<std::size_t>(batch));
    return assignment;
  }

  std::vector<std::string> Reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  void AwaitReports(std::size_t count) {
    while (Reports().size() < count) std::this_thread::sleep_for(Duration{100'000});
  }
  // How many segments a thread has taken up so far.
  void AwaitBegun(int count) {
    while (begun_ < count) std::this_thread::sleep_for(Duration{100'000});
  }
  // Time for a thread that does what it should not.
  static void GiveThreadsAChance() { std::this_thread::sleep_for(milliseconds(5)); }

  ManualClock clock_;
  std::function<Status(AcceleratorId)> enter_;
  std::function<void()> after_report_;

 private:
  void Note(const Input& input) {
    const std::lock_guard lock(mutex_);
    if (const auto* finish = std::get_if<SegmentFinish>(&input)) {
      reports_.push_back("finish " + std::to_string(finish->assignment.slot));
    } else if (const auto* failure = std::get_if<SegmentFailure>(&input)) {
      reports_.push_back("failure " + std::to_string(failure->assignment.slot));
    } else if (const auto* loss = std::get_if<AcceleratorLoss>(&input)) {
      reports_.push_back("loss " + std::to_string(loss->accelerator.value));
    } else {
      reports_.emplace_back("?");
    }
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_ = {NetworkGraph::Chain("a", 1), NetworkGraph::Chain("b", 1)};
  std::unique_ptr<CostTable> truth_;
  std::uint32_t next_slot_ = 0;
  std::atomic<int> begun_ = 0;
  std::mutex mutex_;
  std::vector<std::string> reports_;
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_F(ThreadBackendTest, ASegmentTakesItsCostAndTheSwitch) {
  const auto backend = Make();
  backend->Start(Next(kSmall));
  AwaitBegun(1);
  clock_.Advance(milliseconds(11) - Duration{1});
  GiveThreadsAChance();
  EXPECT_THAT(Reports(), IsEmpty());
  clock_.Advance(Duration{1});
  AwaitReports(1);
  EXPECT_THAT(Reports(), ElementsAre("finish 0"));

  backend->Start(Next(kSmall));  // the same network: no switch
  AwaitBegun(2);
  clock_.Advance(milliseconds(10));
  AwaitReports(2);
  const ExecutionTotals totals = backend->totals();
  EXPECT_EQ(totals.energy_pj, 100 + 7 + 100);
  EXPECT_EQ(totals.traffic_bytes, 10);
}

TEST_F(ThreadBackendTest, ABatchTakesTheCostOfTheBatch) {
  const auto backend = Make();
  backend->Start(Next(kSmall, kNetwork, 1, 3));  // the row for 4
  AwaitBegun(1);
  clock_.Advance(milliseconds(26) - Duration{1});
  GiveThreadsAChance();
  EXPECT_THAT(Reports(), IsEmpty());
  clock_.Advance(Duration{1});
  AwaitReports(1);
}

TEST_F(ThreadBackendTest, UnitsOfOneAcceleratorRunSideBySide) {
  const auto backend = Make(SpinThrough);
  backend->Start(Next(kLarge));
  backend->Start(Next(kLarge, kOtherNetwork));
  AwaitBegun(2);
  clock_.Advance(milliseconds(8));
  AwaitReports(2);
  EXPECT_THAT(Reports(), UnorderedElementsAre("finish 0", "finish 1"));
}

TEST_F(ThreadBackendTest, AcceleratorsRunSideBySide) {
  const auto backend = Make();
  backend->Start(Next(kSmall));
  backend->Start(Next(kLarge));
  AwaitBegun(2);
  clock_.Advance(milliseconds(8));
  AwaitReports(1);
  clock_.Advance(milliseconds(3));
  AwaitReports(2);
  EXPECT_THAT(Reports(), ElementsAre("finish 1", "finish 0"));
}

TEST_F(ThreadBackendTest, MoreUnitsMakeTheRestFaster) {
  const auto backend = Make();
  Assignment assignment = Next(kLarge);
  backend->Start(assignment);
  AwaitBegun(1);
  clock_.Advance(milliseconds(4));
  assignment.units = 4;
  backend->Resize(assignment);  // half is left: 1 ms
  clock_.Advance(milliseconds(1));
  AwaitReports(1);
}

TEST_F(ThreadBackendTest, WhatIsAbortedReportsNothing) {
  const auto backend = Make();
  const Assignment first = Next(kSmall);
  backend->Start(first);
  AwaitBegun(1);
  backend->Abort(first);
  backend->Start(Next(kSmall));  // the thread is free for the next
  AwaitBegun(2);
  clock_.Advance(milliseconds(11));
  AwaitReports(1);
  EXPECT_THAT(Reports(), ElementsAre("finish 1"));
  backend->Abort(first);   // nothing to abort any more
  backend->Resize(first);  // nor to resize
}

TEST_F(ThreadBackendTest, WhatWaitsForAnAbortedSegmentCanBeAbortedToo) {
  std::atomic<bool> stuck = true;
  const auto backend = Make([&](SegmentRun& /*run*/) {
    while (stuck) std::this_thread::sleep_for(Duration{100'000});
    return WorkResult::kDone;
  });
  const Assignment first = Next(kSmall);
  const Assignment second = Next(kSmall);
  backend->Start(first);
  AwaitBegun(1);
  backend->Abort(first);
  backend->Start(second);  // no thread is left for it
  backend->Abort(second);
  stuck = false;
  backend->Start(Next(kSmall));
  AwaitReports(1);
  EXPECT_THAT(Reports(), ElementsAre("finish 2"));
}

TEST_F(ThreadBackendTest, MisfortunesBecomeEvents) {
  const auto backend = Make([](SegmentRun& run) -> WorkResult {
    switch (run.assignment().id.slot) {
      case 0: throw std::runtime_error("out of luck");
      case 1: throw 42;
      case 2: return WorkResult::kSegmentFailed;
      case 3: return WorkResult::kAcceleratorLost;
      case 4: throw ProcessorLost("it was unplugged");
      default: return WorkResult::kDone;
    }
  });
  for (std::size_t i = 0; i < 6; ++i) {
    backend->Start(Next(kSmall));
    AwaitReports(i + 1);
  }
  EXPECT_THAT(Reports(),
              ElementsAre("failure 0", "failure 1", "failure 2", "loss 0", "loss 0", "finish 5"));
}

TEST_F(ThreadBackendTest, EachThreadEntersItsAcceleratorOnce) {
  std::atomic<int> entered = 0;
  enter_ = [&](AcceleratorId accelerator) -> Status {
    EXPECT_EQ(accelerator, kLarge);
    ++entered;
    return {};
  };
  const auto backend = Make();
  for (int i = 0; i < 2; ++i) {
    backend->Start(Next(kLarge));
    backend->Start(Next(kLarge));
    AwaitBegun(2 * i + 2);
    clock_.Advance(milliseconds(8));
    AwaitReports(2 * static_cast<std::size_t>(i) + 2);
  }
  EXPECT_EQ(entered, 2);
}

TEST_F(ThreadBackendTest, AThreadThatReportsIsFreeForTheNextSegment) {
  std::atomic<int> entered = 0;
  enter_ = [&](AcceleratorId) -> Status {
    ++entered;
    return {};
  };
  std::atomic<bool> started_next = false;
  after_report_ = [&] {
    while (!started_next) std::this_thread::sleep_for(Duration{100'000});
  };
  const auto backend = Make([](SegmentRun&) { return WorkResult::kDone; });
  backend->Start(Next(kLarge));
  AwaitReports(1);
  backend->Start(Next(kLarge));  // while the first report is still under way
  started_next = true;
  AwaitReports(2);
  EXPECT_EQ(entered, 1);
}

TEST_F(ThreadBackendTest, WhoCannotEnterHasLostItsAcceleratorUntilItCan) {
  std::atomic<bool> open = false;
  enter_ = [&](AcceleratorId) -> Status {
    if (open) return {};
    return Fail("the door is closed");
  };
  const auto backend = Make([](SegmentRun&) { return WorkResult::kDone; });
  backend->Start(Next(kSmall));
  AwaitReports(1);
  open = true;
  backend->Start(Next(kSmall));
  AwaitReports(2);
  EXPECT_THAT(Reports(), ElementsAre("loss 0", "finish 1"));
}

TEST_F(ThreadBackendTest, StopEndsWhatRunsAndStartsNothingMore) {
  const auto backend = Make();
  backend->Start(Next(kSmall));
  backend->Start(Next(kLarge));
  backend->Stop();
  backend->Start(Next(kSmall));
  clock_.Advance(milliseconds(100));
  GiveThreadsAChance();
  EXPECT_THAT(Reports(), IsEmpty());
}

}  // namespace
}  // namespace fairlead
