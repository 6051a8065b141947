// An engine in a small world whose policy does what the test says, for the tests of the engine.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/scheduling/engine.h"

namespace fairlead {

inline constexpr NetworkId kChain{std::size_t{0}};
inline constexpr NetworkId kFork{std::size_t{1}};
inline constexpr AcceleratorId kNpu{std::size_t{0}};
inline constexpr AcceleratorId kCpu{std::size_t{1}};  // four units
inline constexpr SegmentId kFirst{std::size_t{0}};
inline constexpr SegmentId kSecond{std::size_t{1}};
inline constexpr SegmentId kThird{std::size_t{2}};

// A policy that does what the test says.
class Scripted final : public SchedulingPolicy {
 public:
  using Script = std::function<void(const SystemView&, SchedulingPlan&)>;
  explicit Scripted(Script& script, std::vector<EventKind>& seen) : script_(script), seen_(seen) {}
  std::string_view Name() const override { return "scripted"; }
  void Observe(const SystemView&, const Event& event) override { seen_.push_back(event.kind); }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (script_) script_(view, plan);
  }

 private:
  Script& script_;
  std::vector<EventKind>& seen_;
};

struct NullBackend final : ExecutionBackend {
  std::vector<Assignment> started;
  std::vector<Assignment> resized;
  std::vector<Assignment> aborted;
  void Start(const Assignment& assignment) override { started.push_back(assignment); }
  void Resize(const Assignment& assignment) override { resized.push_back(assignment); }
  void Abort(const Assignment& assignment) override { aborted.push_back(assignment); }
  void Forget(const JobHandle& job) override { forgotten.push_back(job.serial); }
  void Cut(const Assignment& assignment) override { cut.push_back(assignment.id); }
  std::vector<std::uint64_t> forgotten;
  std::vector<AssignmentId> cut;
};

struct Ends final : RunListener {
  std::vector<Outcome> outcomes;
  std::vector<Reason> reasons;
  void JobEnded(const Job&, Outcome outcome, Reason reason, Instant) override {
    outcomes.push_back(outcome);
    reasons.push_back(reason);
  }
  void SegmentEnded(const Assignment&, Instant) override {}
};

// Two networks, a chain of two segments and a fork of three, on an npu of one unit and a cpu of
// four, where segments also run on one or two units, and two at a time.
class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    platform_.AddKind("npu", 1);
    platform_.AddKind("cpu", 1, 4);
    networks_.push_back(NetworkGraph::Chain("chain", 2));
    networks_.push_back(
        NetworkGraph::Create("fork", {{"root", {}}, {"left", {0}}, {"right", {0}}}).value());
    costs_ = std::make_unique<CostTable>(networks_, platform_);
    for (std::size_t n = 0; n < networks_.size(); ++n) {
      for (std::size_t s = 0; s < networks_[n].size(); ++s) {
        costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{0}}, {1, 1}, {Duration{10}});
        costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{0}}, {1, 2}, {Duration{15}});
        for (int units : {1, 2, 4}) {
          costs_->Set(NetworkId{n}, SegmentId{s}, KindId{std::size_t{1}}, {units, 1},
                      {Duration{80 / units}});
        }
      }
    }
    costs_->Seal(networks_);
  }

  SchedulingEngine& Make(EngineOptions options = {}) {
    EngineWorld world{.platform = &platform_,
                      .networks = networks_,
                      .beliefs = costs_.get(),
                      .tenants = {{.name = "t"}},
                      .agreements = {{.tenant = TenantId{std::size_t{0}}, .network = kChain},
                                     {.tenant = TenantId{std::size_t{0}}, .network = kFork}}};
    engine_ =
        std::make_unique<SchedulingEngine>(std::move(world), options, MakeScripted(), backend_);
    engine_->set_listener(&ends_);
    return *engine_;
  }

  std::unique_ptr<SchedulingPolicy> MakeScripted() {
    return std::make_unique<Scripted>(script_, seen_);
  }

  JobId Arrive(NetworkId network, std::int64_t deadline = 1000) {
    return engine_
        ->Apply(Arrival{{.number = next_request_++,
                         .agreement = AgreementId{network.index()},
                         .arrival = engine_->state().now,
                         .deadline = Duration{deadline}}})
        .id;
  }
  Status Decide(Scripted::Script script) {
    script_ = std::move(script);
    engine_->Decide();
    return engine_->Commit();
  }
  // Decides to start it on the npu.
  Status Start(JobId job, SegmentId segment) {
    return Decide([=](const SystemView&, SchedulingPlan& plan) { plan.Start(kNpu, job, segment); });
  }
  // Likewise, the first segments of both: one there, one behind it.
  Status StartAndEnqueue(JobId first, JobId second) {
    return Decide([=](const SystemView&, SchedulingPlan& plan) {
      plan.Start(kNpu, first, kFirst);
      plan.Enqueue(kNpu, second, kFirst);
    });
  }
  // Decides by the script and returns the complaint about its plan.
  std::string Complaint(Scripted::Script script) {
    const Status status = Decide(std::move(script));
    return status.has_value() ? "" : status.error().message;
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::unique_ptr<CostTable> costs_;
  Scripted::Script script_;
  std::vector<EventKind> seen_;
  NullBackend backend_;
  Ends ends_;
  std::unique_ptr<SchedulingEngine> engine_;
  RequestNumber next_request_ = 0;
};

}  // namespace fairlead
