// A recorded live run, replayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <variant>
#include <vector>

#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/testing/run_log.h"
#include "fairlead/serving/testing/sample_world.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A plan as numbers that can be compared.
std::vector<std::uint64_t> Numbers(const SchedulingPlan& plan) {
  std::vector<std::uint64_t> numbers;
  for (const PlanEntry& entry : plan.entries()) {
    numbers.insert(numbers.end(), {static_cast<std::uint64_t>(entry.verb), entry.accelerator.value,
                                   entry.segment.value, entry.assignment.slot});
    for (JobId job : plan.JobsOf(entry)) numbers.push_back(job.value);
  }
  return numbers;
}

// Keeps a run in memory, and feeds an engine with it.
class Recording final : public RunRecorder {
 public:
  void Advanced(Instant now) override { steps_.emplace_back(now); }
  void Applied(const Input& input) override { steps_.emplace_back(input); }
  void Decided(const SchedulingPlan& plan) override {
    steps_.emplace_back(kDecide);
    plans.push_back(Numbers(plan));
  }
  void Committed() override { steps_.emplace_back(kCommit); }

  void Replay(SchedulingEngine& engine) const {
    for (const Step& step : steps_) {
      if (const Instant* now = std::get_if<Instant>(&step)) {
        engine.Advance(*now);
      } else if (const Input* input = std::get_if<Input>(&step)) {
        engine.Apply(*input);
      } else if (std::get<Call>(step) == kDecide) {
        engine.Decide();
      } else {
        ASSERT_TRUE(engine.Commit().has_value());
      }
    }
  }

  std::vector<std::vector<std::uint64_t>> plans;

 private:
  enum Call : std::uint8_t { kDecide, kCommit };
  using Step = std::variant<Instant, Input, Call>;
  std::vector<Step> steps_;
};

class NoBackend final : public ExecutionBackend {
 public:
  void Start(const Assignment& /*assignment*/) override {}
  void Resize(const Assignment& /*assignment*/) override {}
  void Abort(const Assignment& /*assignment*/) override {}
};

class LiveReplayTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(live_.impossibilities, 0); }

  const SampleWorld world_;
  RunLog live_;
  EndListener listener_{live_};
};

TEST_F(LiveReplayTest, ARecordedRunReplaysDecisionForDecision) {
  const RealClock clock;
  std::vector<Request> requests = Simultaneous(10);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].arrival = Instant{microseconds(700) * i};
    if (i % 3 == 0) requests[i].agreement = kDiamond;
  }
  ListedRequests source(requests);
  Recording recording;
  std::atomic<int> calls = 0;
  LiveSetup setup = world_.Live(clock, &source, &listener_);
  setup.recorder = &recording;
  setup.timeline = {{Instant{milliseconds(4)}, AcceleratorLoss{kRight}},
                    {Instant{milliseconds(9)}, AcceleratorReturn{kRight}}};
  setup.work = [&](SegmentRun& run) {
    if (++calls % 7 == 0) throw std::runtime_error("now and then");
    return SleepThrough(run);
  };
  const EngineOptions options = setup.engine;
  LiveWorld live(std::move(setup), Edf(live_));
  ASSERT_TRUE(live.Run().has_value());

  RunLog replayed;
  NoBackend backend;
  Recording again;
  SchedulingEngine engine(world_.ForEngine(), options, Edf(replayed), backend);
  engine.set_recorder(&again);
  recording.Replay(engine);
  EXPECT_EQ(replayed.starts(), live_.starts());
  EXPECT_EQ(again.plans, recording.plans);
  EXPECT_GE(recording.plans.size(), requests.size());
  EXPECT_TRUE(engine.Drained());
}

}  // namespace
}  // namespace fairlead
