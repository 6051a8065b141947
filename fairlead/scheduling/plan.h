// All that a policy may ask for at one instant. What the plan does not mention stays waiting:
// deferring is silence, and preemption between segments needs no verb.
//
// Entries are carried out in the order in which they stand. New powers become new verbs here,
// never new methods of the policy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"

namespace fairlead {

enum class Verb : std::uint8_t {
  kStart,
  kEnqueue,
  kResize,
  kDrop,
  kReject,
  kWake,
  kSacrifice,
  kRestore
};

struct StartOptions {
  int units = 0;                   // 0: all units of the accelerator
  std::int64_t bandwidth_cap = 0;  // bytes per second; 0: none
  int version = 0;                 // of those that the costs have
};

struct PlanEntry {
  Verb verb{};
  AcceleratorId accelerator{};
  SegmentId segment{};
  StartOptions options{};
  std::uint32_t first_job = 0;  // into the plan's list of jobs
  std::uint32_t job_count = 0;
  AssignmentId assignment{};  // resize
  Reason reason{};            // drop, reject
  Instant at{};               // wake
  AgreementId agreement{};    // sacrifice, restore
};

class SchedulingPlan {
 public:
  SchedulingPlan() {
    entries_.reserve(kRoomAtFirst);
    jobs_.reserve(kRoomAtFirst);
  }

  // Runs a ready segment now, on an accelerator with enough free units.
  void Start(AcceleratorId accelerator, JobId job, SegmentId segment, StartOptions options = {}) {
    Add(Verb::kStart, accelerator, {&job, 1}, segment, options);
  }
  // The same segment of several jobs of one network at once, where the costs have such a batch.
  void StartBatch(AcceleratorId accelerator, std::span<const JobId> jobs, SegmentId segment,
                  StartOptions options = {}) {
    Add(Verb::kStart, accelerator, jobs, segment, options);
  }
  // Commits a ready segment to an accelerator, to start as soon as what was given to it before
  // leaves enough units.
  void Enqueue(AcceleratorId accelerator, JobId job, SegmentId segment, StartOptions options = {}) {
    Add(Verb::kEnqueue, accelerator, {&job, 1}, segment, options);
  }
  // The same for a batch. A job that ends before it starts leaves the batch.
  void EnqueueBatch(AcceleratorId accelerator, std::span<const JobId> jobs, SegmentId segment,
                    StartOptions options = {}) {
    Add(Verb::kEnqueue, accelerator, jobs, segment, options);
  }
  // Changes the units of something that runs; its progress is kept.
  void Resize(AssignmentId assignment, int units) {
    entries_.push_back(
        {.verb = Verb::kResize, .options = {.units = units}, .assignment = assignment});
  }
  // Gives up a job that already ran. What runs of it finishes.
  void Drop(JobId job, Reason reason) { GiveUp(Verb::kDrop, job, reason); }
  // Gives up a job that did not run yet.
  void Reject(JobId job, Reason reason) { GiveUp(Verb::kReject, job, reason); }
  // Asks to be called at an instant, even if nothing else happens then.
  void Wake(Instant at) { entries_.push_back({.verb = Verb::kWake, .at = at}); }

  // Gives up the promise of an agreement for now: the policy does not try to keep it, so that
  // others are kept. Until it is restored, the agreement loses its promise or ends, or another
  // policy takes over; SystemView::Sacrificed tells. Results and `why` show it; how its requests
  // are served is still up to the policy.
  void Sacrifice(AgreementId agreement) {
    entries_.push_back({.verb = Verb::kSacrifice, .agreement = agreement});
  }
  // Takes it up again.
  void Restore(AgreementId agreement) {
    entries_.push_back({.verb = Verb::kRestore, .agreement = agreement});
  }

  // An entry as it was in another plan, with its jobs there.
  void Append(PlanEntry entry, std::span<const JobId> jobs) {
    entry.first_job = static_cast<std::uint32_t>(jobs_.size());
    entry.job_count = static_cast<std::uint32_t>(jobs.size());
    entries_.push_back(entry);
    jobs_.insert(jobs_.end(), jobs.begin(), jobs.end());
  }

  bool empty() const { return entries_.empty(); }
  std::span<const PlanEntry> entries() const { return entries_; }
  std::span<const JobId> JobsOf(const PlanEntry& entry) const {
    return std::span(jobs_).subspan(entry.first_job, entry.job_count);
  }
  void Clear() {
    entries_.clear();
    jobs_.clear();
  }

 private:
  static constexpr std::size_t kRoomAtFirst = 64;

  void Add(Verb verb, AcceleratorId accelerator, std::span<const JobId> jobs, SegmentId segment,
           StartOptions options) {
    // Filled in its place: copying it from elsewhere takes longer than the rest.
    PlanEntry& entry = entries_.emplace_back();
    entry.verb = verb;
    entry.accelerator = accelerator;
    entry.segment = segment;
    entry.options = options;
    entry.first_job = static_cast<std::uint32_t>(jobs_.size());
    entry.job_count = static_cast<std::uint32_t>(jobs.size());
    for (JobId job : jobs) jobs_.push_back(job);
  }
  void GiveUp(Verb verb, JobId job, Reason reason) {
    Add(verb, {}, {&job, 1}, {}, {});
    entries_.back().reason = reason;
  }

  std::vector<PlanEntry> entries_;
  std::vector<JobId> jobs_;
};

}  // namespace fairlead
