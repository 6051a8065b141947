#include "fairlead/execution/network_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

constexpr std::size_t kLayers = 9;
constexpr std::size_t kSegments = 3;  // of three layers each
constexpr std::size_t kProcessors = 3;

// One network on three processors, alone or in batches of up to four, with two runs for each. A
// job's input is its serial, half of it and a third of it.
class NetworkWorkTest : public testing::Test {  // NOLINT: GoogleTest makes and deletes it
 protected:
  NetworkWorkTest() {
    LoadSpec spec;
    for (std::size_t p = 0; p < kProcessors; ++p) {
      spec.processors.push_back(
          std::make_unique<FakeProcessor>("p" + std::to_string(p), behaviour_[p]));
      spec.batches.push_back({{1, 2, 4}});
    }
    spec.networks.push_back({FakeGraph("g", kLayers), {0, 3, 6, 9}});
    networks_ = std::move(*LoadedNetworks::Load(std::move(spec)));
    work_ = std::make_unique<NetworkWork>(
        *networks_,
        NetworkHooks{.input =
                         [](const JobSample& tensor, std::span<float> numbers) {
                           for (std::size_t i = 0; i < numbers.size(); ++i)
                             numbers[i] =
                                 static_cast<float>(tensor.job.serial) / static_cast<float>(i + 1);
                         },
                     .output =
                         [this](const JobSample& tensor, std::span<const float> numbers) {
                           const std::lock_guard lock(mutex_);
                           outputs_[tensor.job.serial] = {numbers.begin(), numbers.end()};
                         }});
  }
  ~NetworkWorkTest() override { EXPECT_TRUE(work_->Empty()); }

  // Slots are serials unless a test wants another.
  static Assignment Segment(std::size_t processor, std::size_t segment,
                            const std::vector<std::uint64_t>& serials) {
    Assignment assignment;
    assignment.accelerator = AcceleratorId{processor};
    assignment.network = NetworkId{0};
    assignment.segment = SegmentId{segment};
    for (const std::uint64_t serial : serials) assignment.jobs.emplace_back(serial);
    assignment.serials = serials;
    return assignment;
  }
  void Run(const Assignment& assignment) {
    SegmentRun run(assignment, Duration{1}, clock_);
    EXPECT_EQ(work_->CarryOut(run), WorkResult::kDone);
  }
  void Run(std::size_t processor, std::size_t segment, const std::vector<std::uint64_t>& serials) {
    Run(Segment(processor, segment, serials));
  }

  void ExpectOutput(std::uint64_t serial) {
    const std::lock_guard lock(mutex_);
    const float factor = FakeFactor(kLayers) * static_cast<float>(serial);
    ASSERT_TRUE(outputs_.contains(serial)) << serial;
    ASSERT_EQ(outputs_[serial].size(), 3);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(outputs_[serial][i], factor / static_cast<float>(i + 1), 1e-4F * factor)
          << serial;
  }
  int Saved() const {
    int saved = 0;
    for (const FakeBehaviour& behaviour : behaviour_) saved += behaviour.saved;
    return saved;
  }

  const ManualClock clock_;
  std::array<FakeBehaviour, kProcessors> behaviour_;
  std::unique_ptr<LoadedNetworks> networks_;
  std::unique_ptr<NetworkWork> work_;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<float>> outputs_;
};

// ---- Where tensors are ---------------------------------------------------------------------

TEST_F(NetworkWorkTest, AJobThatStaysFindsItsTensorsInPlace) {
  for (std::size_t segment = 0; segment < kSegments; ++segment) Run(0, segment, {7});
  ExpectOutput(7);
  EXPECT_EQ(Saved(), 0);
  EXPECT_EQ(behaviour_[0].restored, 0);
  EXPECT_EQ(behaviour_[0].carried, kLayers);
}

TEST_F(NetworkWorkTest, AJobThatMovesTakesItsTensorsAlong) {
  Run(0, 0, {7});
  Run(1, 1, {7});
  Run(2, 2, {7});
  ExpectOutput(7);
  EXPECT_EQ(behaviour_[0].saved, 1);
  EXPECT_EQ(behaviour_[1].restored, 1);
  EXPECT_EQ(behaviour_[1].saved, 1);
  EXPECT_EQ(behaviour_[2].restored, 1);
  EXPECT_EQ(behaviour_[0].carried + behaviour_[1].carried + behaviour_[2].carried, kLayers);
}

TEST_F(NetworkWorkTest, AJobThatMovesIsCopiedRightAwayWhereThatCanBe) {
  for (FakeBehaviour& behaviour : behaviour_) behaviour.copies = true;
  for (std::size_t segment : {0, 1}) Run(segment, segment, {7});
  for (std::size_t segment : {0, 1}) Run(2, segment, {5});
  Run(2, 2, {7, 5});  // from two runs
  for (const std::uint64_t serial : {7, 5}) ExpectOutput(serial);
  EXPECT_EQ(Saved() + behaviour_[2].copied, 2);
}

TEST_F(NetworkWorkTest, ABatchThatStaysFindsItsTensorsInPlace) {
  for (std::size_t segment = 0; segment < kSegments; ++segment) Run(0, segment, {5, 3, 8});
  for (const std::uint64_t serial : {5, 3, 8}) ExpectOutput(serial);
  EXPECT_EQ(Saved(), 0);
}

TEST_F(NetworkWorkTest, BatchesFormAndBreak) {
  Run(0, 0, {5});
  Run(1, 0, {3, 8});
  Run(0, 1, {8, 5, 3});  // from two processors and two batches, in another order
  Run(0, 2, {3});
  Run(2, 2, {5, 8});
  for (const std::uint64_t serial : {5, 3, 8}) ExpectOutput(serial);
}

TEST_F(NetworkWorkTest, AnotherOrderIsAnotherBatch) {
  Run(0, 0, {5, 3});
  Run(0, 1, {3, 5});
  Run(0, 2, {3, 5});
  for (const std::uint64_t serial : {5, 3}) ExpectOutput(serial);
  EXPECT_EQ(Saved(), 2);
}

TEST_F(NetworkWorkTest, APartOfABatchIsAnotherBatch) {
  Run(0, 0, {5, 3});
  work_->Forget({JobId{3}, 3});
  Run(0, 1, {5});
  Run(0, 2, {5});
  ExpectOutput(5);
  EXPECT_EQ(Saved(), 1);
}

TEST_F(NetworkWorkTest, TwoBatchesChangePartners) {
  Run(0, 0, {1, 2});
  Run(0, 0, {3, 4});  // now both runs are taken
  Run(0, 1, {1, 3});
  Run(0, 1, {2, 4});
  Run(0, 2, {1, 3});
  Run(0, 2, {2, 4});
  for (const std::uint64_t serial : {1, 2, 3, 4}) ExpectOutput(serial);
}

TEST_F(NetworkWorkTest, MoreJobsThanRunsWaitInMemory) {
  std::vector<std::uint64_t> serials = {1, 2, 3, 4, 5};
  for (const std::uint64_t serial : serials) Run(0, 0, {serial});
  EXPECT_EQ(Saved(), 3);  // two are still in their runs
  Run(0, 1, {5});         // one of them
  EXPECT_EQ(Saved(), 3);
  for (const std::uint64_t serial : {1, 2, 3, 4}) Run(0, 1, {serial});
  for (const std::uint64_t serial : serials) Run(0, 2, {serial});
  for (const std::uint64_t serial : serials) ExpectOutput(serial);
}

TEST_F(NetworkWorkTest, TheRunThatHasWaitedLongestIsCleared) {
  Run(0, 0, {1});
  Run(0, 0, {2});
  Run(0, 1, {1});
  Run(0, 0, {3});  // takes the place of 2
  Run(0, 2, {1});
  EXPECT_EQ(behaviour_[0].restored, 0);
  for (const std::uint64_t serial : {2, 3}) work_->Forget({JobId{serial}, serial});
}

// ---- Who has gone --------------------------------------------------------------------------

TEST_F(NetworkWorkTest, AForgottenJobLeavesNothing) {
  Run(0, 0, {1});
  Run(0, 0, {2});
  Run(0, 0, {3});  // 1 waits in memory now
  for (const std::uint64_t serial : {1, 2, 3}) work_->Forget({JobId{serial}, serial});
  EXPECT_TRUE(work_->Empty());
}

TEST_F(NetworkWorkTest, WhoTakesOverASlotFindsNothingOfItsPredecessor) {
  Assignment segment = Segment(0, 0, {1});
  Run(segment);
  for (std::size_t s = 0; s < kSegments; ++s) {
    segment = Segment(0, s, {2});
    segment.jobs = {JobId{1}};
    Run(segment);
  }
  ExpectOutput(2);
  work_->Forget({JobId{1}, 1});  // too late to matter
}

TEST_F(NetworkWorkTest, AJobThatEndsWhileItRunsLeavesNothing) {
  behaviour_[0].before_layer = [&](std::size_t layer) {
    if (layer == 1) work_->Forget({JobId{7}, 7});
  };
  Run(0, 0, {7});
  EXPECT_TRUE(work_->Empty());
}

TEST_F(NetworkWorkTest, AJobThatEndsBeforeItsSegmentBeginsLeavesNothing) {
  work_->Forget({JobId{7}, 7});
  Run(0, 0, {7});
  EXPECT_TRUE(work_->Empty());
}

// ---- What goes wrong -----------------------------------------------------------------------

TEST_F(NetworkWorkTest, AnAbortedSegmentStopsAtTheNextLayerAndGoesOnThere) {
  const Assignment segment = Segment(0, 0, {7});
  SegmentRun run(segment, Duration{1}, clock_);
  behaviour_[0].before_layer = [&](std::size_t layer) {
    if (layer == 1) run.Abort();
  };
  work_->CarryOut(run);
  EXPECT_EQ(behaviour_[0].carried, 2);
  behaviour_[0].before_layer = nullptr;
  Run(1, 0, {7});
  EXPECT_EQ(behaviour_[1].carried, 1);
  Run(1, 1, {7});
  Run(1, 2, {7});
  ExpectOutput(7);
}

TEST_F(NetworkWorkTest, AJobBeginsAnewWhileItsAbortedSegmentHasNotNoticed) {
  std::atomic<bool> begun = false;
  std::atomic<bool> stuck = true;
  behaviour_[0].before_layer = [&](std::size_t layer) {
    begun = layer == 4;
    while (layer == 4 && stuck) std::this_thread::yield();
  };
  Run(0, 0, {7});
  SegmentRun run(Segment(0, 1, {7}), Duration{1}, clock_);
  std::thread old([&] { work_->CarryOut(run); });
  while (!begun) std::this_thread::yield();
  run.Abort();
  Run(1, 1, {7});
  EXPECT_EQ(behaviour_[1].carried, 6);
  stuck = false;
  old.join();
  Run(1, 2, {7});
  ExpectOutput(7);
}

TEST_F(NetworkWorkTest, JobsThatStandApartBeginAnewTogether) {
  SegmentRun run(Segment(0, 0, {7}), Duration{1}, clock_);
  behaviour_[0].before_layer = [&](std::size_t layer) {
    if (layer == 1) run.Abort();
  };
  work_->CarryOut(run);
  behaviour_[0].before_layer = nullptr;
  for (std::size_t segment = 0; segment < kSegments; ++segment) Run(0, segment, {7, 4});
  ExpectOutput(7);
  ExpectOutput(4);
}

TEST_F(NetworkWorkTest, AFailedSegmentIsComputedAgainFromTheInput) {
  Run(0, 0, {7});
  behaviour_[0].before_layer = [](std::size_t layer) {
    if (layer == 4) throw std::runtime_error("out of luck");
  };
  SegmentRun run(Segment(0, 1, {7}), Duration{1}, clock_);
  EXPECT_THROW(work_->CarryOut(run), std::runtime_error);
  behaviour_[0].before_layer = nullptr;
  Run(0, 1, {7});
  Run(0, 2, {7});
  ExpectOutput(7);
}

TEST_F(NetworkWorkTest, ALostProcessorTakesTheTensorsOfAllItsJobsWithIt) {
  Run(0, 0, {7});
  Run(0, 0, {8});
  behaviour_[0].before_layer = [](std::size_t /*layer*/) { throw ProcessorLost("fell off"); };
  SegmentRun run(Segment(0, 1, {7}), Duration{1}, clock_);
  EXPECT_THROW(work_->CarryOut(run), ProcessorLost);
  for (const std::uint64_t serial : {7, 8}) {
    Run(1, 1, {serial});
    Run(1, 2, {serial});
    ExpectOutput(serial);
  }
  EXPECT_EQ(Saved(), 0);
}

// ---- All at once ---------------------------------------------------------------------------

// Jobs that several threads take turns with: a slot each, given to the next job when one ends.
class SharedJobs {
 public:
  static constexpr std::size_t kSlots = 12;
  static constexpr std::uint64_t kJobs = 600;

  SharedJobs() {
    for (std::size_t slot = 0; slot < kSlots; ++slot) Renew(slot);
  }

  enum class Taken : std::uint8_t { kSome, kNone, kOver };
  // Takes a few idle jobs that are at the same segment.
  Taken Take(RandomStream& random, Assignment& segment) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return next_serial_ > kJobs ? Taken::kOver : Taken::kNone;
    const std::size_t most = 1 + random.Below(4);
    for (int tries = 0; tries < 8 && segment.jobs.size() < most && !idle_.empty(); ++tries) {
      const std::size_t place = random.Below(idle_.size());
      const std::size_t slot = idle_[place];
      if (!segment.jobs.empty() && slots_[slot].segment != segment.segment.index()) continue;
      segment.segment = SegmentId{slots_[slot].segment};
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(place));
      segment.jobs.emplace_back(slot);
      segment.serials.push_back(slots_[slot].serial);
    }
    return Taken::kSome;
  }

  // After their segment. Now and then a job is dropped in the middle: `forget` is told.
  void GiveBack(RandomStream& random, const Assignment& segment,
                const std::function<void(const JobHandle&)>& forget) {
    const std::lock_guard lock(mutex_);
    for (const JobId id : segment.jobs) {
      const std::size_t slot = id.index();
      const JobHandle job{id, slots_[slot].serial};
      if (++slots_[slot].segment == kSegments) {
        finished_.push_back(job.serial);
        Renew(slot);
      } else if (random.Below(20) == 0) {
        forget(job);
        Renew(slot);
      } else {
        idle_.push_back(slot);
      }
    }
  }

  const std::vector<std::uint64_t>& finished() const { return finished_; }

 private:
  struct Slot {
    std::uint64_t serial = 0;
    std::size_t segment = 0;
  };

  void Renew(std::size_t slot) {
    if (next_serial_ > kJobs) return;
    slots_[slot] = {next_serial_++};
    idle_.push_back(slot);
  }

  std::mutex mutex_;
  std::array<Slot, kSlots> slots_;
  std::vector<std::size_t> idle_;
  std::uint64_t next_serial_ = 1;
  std::vector<std::uint64_t> finished_;
};

// Each processor has a thread that takes any job and carries out its next segment, alone or with
// others.
TEST_F(NetworkWorkTest, ThreadsHandJobsToEachOther) {
  SharedJobs jobs;
  const auto serve = [&](std::size_t processor) {
    RandomStream random(processor, "test");
    while (true) {
      Assignment segment = Segment(processor, 0, {});
      const SharedJobs::Taken taken = jobs.Take(random, segment);
      if (taken == SharedJobs::Taken::kOver) return;
      if (taken == SharedJobs::Taken::kNone) continue;
      Run(segment);
      jobs.GiveBack(random, segment, [this](const JobHandle& job) { work_->Forget(job); });
    }
  };
  for (FakeBehaviour& behaviour : behaviour_)
    behaviour.before_layer = [](std::size_t /*layer*/) { std::this_thread::yield(); };
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < kProcessors; ++p) threads.emplace_back(serve, p);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(jobs.finished().size(), SharedJobs::kJobs / 2);
  for (const std::uint64_t serial : jobs.finished()) ExpectOutput(serial);
}

}  // namespace
}  // namespace fairlead
