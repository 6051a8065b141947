// What a run showed, for tests: which segments started in which order, and how jobs ended.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/temporal_rule.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/serving/inbox.h"

namespace fairlead {

struct StartedSegment {
  std::uint32_t accelerator;
  RequestNumber request;
  std::uint32_t segment;
  friend bool operator==(const StartedSegment&, const StartedSegment&) = default;
  friend std::ostream& operator<<(std::ostream& out, const StartedSegment& s) {
    return out << "request " << s.request << " segment " << s.segment << " on " << s.accelerator;
  }
};

struct EndedJob {
  Job job;
  Outcome outcome;
  Reason reason;
  Instant at;
};

// What a run showed; it may be read while the run goes on.
class RunLog {
 public:
  void Add(const StartedSegment& started) {
    const std::lock_guard lock(mutex_);
    starts_.push_back(started);
  }
  void Add(const EndedJob& ended) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(ended);
  }
  std::vector<StartedSegment> starts() const {
    const std::lock_guard lock(mutex_);
    return starts_;
  }
  std::vector<EndedJob> ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  std::vector<StartedSegment> StartsOn(AcceleratorId accelerator) const {
    std::vector<StartedSegment> found;
    for (const StartedSegment& start : starts()) {
      if (start.accelerator == accelerator.value) found.push_back(start);
    }
    return found;
  }
  void AwaitStarts(std::size_t count) const {
    while (starts().size() < count) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  std::atomic<int> arrivals = 0;
  std::atomic<int> impossibilities = 0;  // segments faster than their cost, arrivals to come

 private:
  mutable std::mutex mutex_;
  std::vector<StartedSegment> starts_;
  std::vector<EndedJob> ends_;
};

// What clients were answered, in order: "taken", or the code of the refusal.
class ReplyLog {
 public:
  InputReply ToRemember() {
    return [this](const InputAnswer& answer) {
      const std::lock_guard lock(mutex_);
      words_.emplace_back(answer.has_value() ? "taken" : ToString(answer.error().code));
    };
  }
  std::vector<std::string> words() const {
    const std::lock_guard lock(mutex_);
    return words_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> words_;
};

// Decides as another policy does, and notes what it observes.
class WatchedPolicy final : public SchedulingPolicy {
 public:
  WatchedPolicy(std::unique_ptr<SchedulingPolicy> policy, RunLog& log)
      : policy_(std::move(policy)), log_(log) {}

  std::string_view Name() const override { return policy_->Name(); }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    policy_->Decide(view, plan);
  }
  void Observe(const SystemView& view, const Event& event) override {
    policy_->Observe(view, event);
    if (event.kind == EventKind::kSegmentStarted) {
      const Assignment& started = view.assignment(event.assignment);
      log_.Add(StartedSegment{started.accelerator.value, view.job(started.jobs.front()).request,
                              started.segment.value});
    } else if (event.kind == EventKind::kSegmentFinished) {
      const Assignment& ended = view.assignment(event.assignment);
      const KindId kind = view.accelerators()[ended.accelerator.index()].kind;
      if (view.now() - ended.start <
          view.costs().Alone(ended.network, ended.segment, kind)->latency)
        ++log_.impossibilities;
    } else if (event.kind == EventKind::kJobArrived) {
      if (view.job(event.job).arrival > view.now()) ++log_.impossibilities;
      ++log_.arrivals;
    }
  }

 private:
  std::unique_ptr<SchedulingPolicy> policy_;
  RunLog& log_;
};

// Notes how jobs end.
class EndListener final : public RunListener {
 public:
  explicit EndListener(RunLog& log) : log_(log) {}
  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override {
    log_.Add(EndedJob{job, outcome, reason, now});
    if (then) then();
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}

  std::function<void()> then;  // after each end

 private:
  RunLog& log_;
};

inline std::unique_ptr<SchedulingPolicy> Fcfs(RunLog& log) {
  return std::make_unique<WatchedPolicy>(
      MakeListPolicy("fcfs", MakeFirstComeFirstServed(), {}, RandomStream(1, "policy")), log);
}
inline std::unique_ptr<SchedulingPolicy> Edf(RunLog& log) {
  return std::make_unique<WatchedPolicy>(
      MakeListPolicy("edf", MakeEarliestDeadlineFirst(), {}, RandomStream(1, "policy")), log);
}

}  // namespace fairlead
