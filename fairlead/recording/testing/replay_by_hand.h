// A small run made by hand, event by event, and recorded: for the tests of replay and why.
//
// Tenant a has network x (one segment of 3 us), tenant b network y (1 us, then 2 us) and network z
// (a diamond of four segments of 1 us). All accelerators are of one kind with one unit.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/scheduling/engine.h"

namespace fairlead {

// Decides one given plan after another, then nothing.
class ScriptedPolicy final : public SchedulingPolicy {
 public:
  // The plans are not owned.
  explicit ScriptedPolicy(std::deque<SchedulingPlan>& plans) : plans_(plans) {}

  std::string_view Name() const override { return "script"; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& plan) override {
    if (plans_.empty()) return;
    plan = plans_.front();
    plans_.pop_front();
  }

 private:
  std::deque<SchedulingPlan>& plans_;
};

class RunByHand {
 public:
  // Whatever policy takes over follows the same script.
  explicit RunByHand(int accelerators, Duration switching = {},
                     const HandOverCosts& hand_overs = HandOverCosts(1))
      : world_(MakeWorld(accelerators, switching, hand_overs)),
        engine_(world_.ForEngine(), {}, std::make_unique<ScriptedPolicy>(plans_), backend_),
        writer_(stream_, {.policy = "script", .policy_name = "script"}, world_.ForEngine()) {
    engine_.set_recorder(&writer_);
    engine_.set_policy_factory(
        [this](std::string_view) -> Result<std::unique_ptr<SchedulingPolicy>> {
          return std::make_unique<ScriptedPolicy>(plans_);
        });
  }

  SchedulingEngine& engine() { return engine_; }
  std::deque<SchedulingPlan>& plans() { return plans_; }  // for the next decisions

  void Now(std::int64_t now) { engine_.Advance(AtNanoseconds(now)); }
  // Agreements: 0 is a's x, 1 is b's y, 2 is b's z.
  JobId Arrive(RequestNumber number, std::size_t agreement, std::int64_t deadline,
               Duration waited = {}) {
    return engine_
        .Apply(Arrival{{.number = number,
                        .agreement = AgreementId{agreement},
                        .arrival = engine_.state().now - waited,
                        .deadline = Duration{deadline}}})
        .id;
  }
  void Plan(const std::function<void(SchedulingPlan&)>& make) {
    plans_.emplace_back();
    make(plans_.back());
    engine_.Decide();
    CHECK(engine_.Commit().has_value());
  }
  void Start(JobId job, std::size_t segment, std::size_t accelerator = 0) {
    Plan([&](SchedulingPlan& plan) {
      plan.Start(AcceleratorId{accelerator}, job, SegmentId{segment});
    });
  }
  // Of what runs there.
  void Finish(std::size_t accelerator = 0) {
    engine_.Apply(SegmentFinish{engine_.state().accelerators[accelerator].running.front()});
  }

  // Ends the run.
  Recording Recorded() {
    CHECK(writer_.Close().has_value());
    auto recording = ReadRecording("f.rec", stream_.str());
    CHECK_MSG(recording.has_value(), recording.error().message);
    return std::move(*recording);
  }

 private:
  class IdleBackend final : public ExecutionBackend {
    void Start(const Assignment& /*assignment*/) override {}
    void Resize(const Assignment& /*assignment*/) override {}
    void Abort(const Assignment& /*assignment*/) override {}
  };

  static RecordedWorld MakeWorld(int accelerators, Duration switching,
                                 const HandOverCosts& hand_overs) {
    Platform platform;
    platform.AddKind("acc", accelerators);
    std::vector<NetworkGraph> networks = {
        NetworkGraph::Chain("x", 1), NetworkGraph::Chain("y", 2),
        *NetworkGraph::Create("z", {{"top", {}}, {"left", {0}}, {"right", {0}}, {"join", {1, 2}}})};
    CostTable costs(networks, platform);
    const auto set = [&costs](std::size_t network, std::size_t segment, std::int64_t latency) {
      costs.Set(NetworkId{network}, SegmentId{segment}, KindId{0}, {1, 1}, {Duration{latency}});
    };
    set(0, 0, 3000);
    set(1, 0, 1000);
    set(1, 1, 2000);
    for (std::size_t s = 0; s < 4; ++s) set(2, s, 1000);
    costs.SetSwitching(KindId{0}, {switching});
    costs.SetHandOvers(hand_overs);
    costs.SetAliveBytes(NetworkId{1}, SegmentId{0}, 50);
    costs.Seal(networks);
    return {
        std::move(platform),
        std::move(networks),
        std::move(costs),
        {{"a"}, {"b"}},
        {{TenantId{0}, NetworkId{0}}, {TenantId{1}, NetworkId{1}}, {TenantId{1}, NetworkId{2}}}};
  }

  RecordedWorld world_;
  IdleBackend backend_;
  std::deque<SchedulingPlan> plans_;
  SchedulingEngine engine_;
  std::ostringstream stream_;
  RecordingWriter writer_;
};

// Request 0 of a runs from 0 to 4 us, a microsecond longer than alone. Request 1 of b arrives at 1
// with a deadline of 5, runs its first segment from 4 to 5.5, waits for request 2 of a until 8.5,
// and ends at 10.5.
inline Recording TwoTenants() {
  RunByHand run(1);
  run.Now(0);
  run.Start(run.Arrive(0, 0, 10'000), 0);
  run.Now(1000);
  const JobId second = run.Arrive(1, 1, 5000);
  run.Now(4000);
  run.Finish();
  run.Start(second, 0);
  run.Now(5000);
  const JobId third = run.Arrive(2, 0, 10'000);
  run.Now(5500);
  run.Finish();
  run.Start(third, 0);
  run.Now(8500);
  run.Finish();
  run.Start(second, 1);
  run.Now(10'500);
  run.Finish();
  return run.Recorded();
}

}  // namespace fairlead
