// What becomes of jobs whose deadline has passed, where they are not finished.
#include <algorithm>
#include <functional>

#include "fairlead/base/heap.h"
#include "fairlead/scheduling/engine.h"

namespace fairlead {

// Those of jobs that have ended are left there until they come up, or are most of all.
void SchedulingEngine::RememberDeadline(JobId id) {
  constexpr std::size_t kFew = 64;
  const Job& job = state_.jobs[id.index()];
  if (deadlines_.size() > kFew + 2 * active_jobs_) {
    std::erase_if(deadlines_, [&](const Due& due) { return IsStale(due); });
    std::ranges::make_heap(deadlines_, std::greater<>{});
  }
  PushHeap(deadlines_, Due{job.deadline, job.serial, id});
}

void SchedulingEngine::DropLateJobs() {
  while (!deadlines_.empty() && deadlines_.front().at < state_.now) {
    const Due due = deadlines_.front();
    PopHeap(deadlines_);
    if (!IsStale(due)) GiveUp(due.job, Reason::kLate);
  }
}

bool SchedulingEngine::IsStale(const Due& due) const {
  const Job& job = state_.jobs[due.job.index()];
  return job.serial != due.serial || !job.active;
}

void SchedulingEngine::Apply(const Expiry& expiry) {
  Record(expiry);
  if (options_.late == LateJobs::kDrop) DropLateJobs();
}

Instant SchedulingEngine::NextExpiry() {
  while (!deadlines_.empty() && IsStale(deadlines_.front())) PopHeap(deadlines_);
  return deadlines_.empty() ? kNever : deadlines_.front().at + Duration{1};
}

}  // namespace fairlead
