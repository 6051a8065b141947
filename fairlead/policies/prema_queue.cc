#include "fairlead/policies/prema_queue.h"

#include <algorithm>

#include "fairlead/base/heap.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

constexpr int kTopLevel = 9;

// Tokens rounded down to a level.
int LevelOf(double tokens) {
  for (const int level : {kTopLevel, 3, 1}) {
    if (tokens >= level) return level;
  }
  return 0;
}

// From its queue: started, ended, or queued anew with less work left.
bool IsGone(const SystemView& view, const QueuedSegment& entry) {
  return !view.IsReady(entry.job, entry.serial, entry.segment) ||
         view.job(entry.job).work_left.count() != entry.key;
}

bool IsSame(const ScoredSegment& a, std::uint64_t serial, SegmentId segment) {
  return a.serial == serial && a.segment == segment;
}

}  // namespace

PremaQueue::PremaQueue(TokenRule rule) : rule_(rule) { settled_[0].level = kTopLevel; }

void PremaQueue::Observe(const SystemView& view, const Event& event) {
  if (event.kind != EventKind::kSegmentFinished) return;
  const Assignment& assignment = view.assignment(event.assignment);
  if (!Branches(view, assignment.network)) return;
  for (JobId id : assignment.jobs) moved_.push_back({id, view.job(id).serial});
}

// Several segments of a job of this network can be ready at once.
bool PremaQueue::Branches(const SystemView& view, NetworkId network) {
  while (branches_.size() <= network.index()) {
    const NetworkGraph& graph = view.networks()[branches_.size()];
    branches_.push_back(graph.Sources().size() > 1 ||
                        std::ranges::any_of(graph.TopologicalOrder(), [&](SegmentId segment) {
                          return graph.Successors(segment).size() > 1;
                        }));
  }
  return branches_[network.index()];
}

void PremaQueue::Take(const SystemView& view) {
  VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
    if (accounts_.size() <= ready.job.index()) accounts_.resize(ready.job.index() + 1);
    if (IsSettled(job, ready.job)) {
      Push(job, ready.job, ready.segment);
    } else {
      growing_.push_back(ready);
    }
  });
  FollowWorkLeft(view);
  if (!WorthSweeping(settled_[0].queue.size() + settled_[1].queue.size(), view.ready().size()))
    return;
  for (Settled& settled : settled_) {
    settled.queue.Sweep([&](const QueuedSegment& entry) { return IsGone(view, entry); });
  }
}

void PremaQueue::FollowWorkLeft(const SystemView& view) {
  if (costs_version_ != view.costs_version()) {
    costs_version_ = view.costs_version();
    for (Settled& settled : settled_) settled.queue.Clear();
    for (const ReadySegment& ready : view.ready()) {
      const Job& job = view.job(ready.job);
      if (IsSettled(job, ready.job)) Push(job, ready.job, ready.segment);
    }
  } else {
    for (const auto& [id, serial] : moved_) {
      const Job& job = view.job(id);
      if (job.serial != serial || !job.active || !IsSettled(job, id)) continue;
      for (std::size_t s = 0; s < view.networks()[job.network.index()].size(); ++s) {
        if (view.IsReady(id, SegmentId{s})) Push(job, id, SegmentId{s});
      }
    }
  }
  moved_.clear();
}

bool PremaQueue::IsSettled(const Job& job, JobId id) const {
  if (id.index() >= accounts_.size()) return false;
  const Account& account = accounts_[id.index()];
  return account.serial == job.serial && (account.tokens >= kTopLevel || job.priority == 0);
}

void PremaQueue::Push(const Job& job, JobId id, SegmentId segment) {
  Settled& settled = settled_[accounts_[id.index()].tokens >= kTopLevel ? 0 : 1];
  settled.queue.Push({job.work_left.count(), job.serial, segment, id, job.network, job.covered});
}

void PremaQueue::Count(const SystemView& view, const EarlyDrop& early_drop) {
  ++decision_;
  most_ = 0;
  scored_.clear();
  std::erase_if(growing_, [&](const ReadySegment& ready) {
    if (!view.IsReady(ready.job, ready.serial, ready.segment)) return true;
    if (early_drop.GivenUp(ready.job, ready.serial)) return false;
    const Job& job = view.job(ready.job);
    Account& account = accounts_[ready.job.index()];
    Update(view, job, account);
    const bool newcomer = account.opened == decision_;
    if (!newcomer && IsSettled(job, ready.job)) {
      Push(job, ready.job, ready.segment);
      return true;
    }
    if (!newcomer) most_ = std::max(most_, account.tokens);
    scored_.push_back({.score = static_cast<double>(job.work_left.count()),
                       .serial = job.serial,
                       .job = ready.job,
                       .segment = ready.segment,
                       .rank = -LevelOf(account.tokens),
                       .covered = job.covered});
    return false;
  });
}

void PremaQueue::Update(const SystemView& view, const Job& job, Account& account) const {
  if (account.serial != job.serial) {
    account = {.serial = job.serial,
               .opened = decision_,
               .updated = decision_,
               .updated_at = job.arrival,
               .tokens = static_cast<double>(job.priority)};
    return;
  }
  if (account.updated == decision_) return;  // by another branch of the job
  Duration waiting = WaitingTime(view, job);
  if (rule_ == TokenRule::kSinceLastUpdate)
    waiting = std::min(waiting, view.now() - account.updated_at);
  account.tokens += static_cast<double>(job.priority) * static_cast<double>(waiting.count()) /
                    Divisor(view.costs().FastestTotal(job.network));
  account.updated = decision_;
  account.updated_at = view.now();
}

void PremaQueue::Open(const SystemView& view, const EarlyDrop& early_drop) {
  last_ = {};
  for (Settled& settled : settled_) FindHead(view, early_drop, settled);
  const int threshold = settled_[0].head.serial != 0 ? kTopLevel : std::max(LevelOf(most_), 1);
  for (ScoredSegment& segment : scored_) segment.rank = std::max(segment.rank, -threshold);
  std::ranges::make_heap(scored_, std::greater<>{});
}

void PremaQueue::FindHead(const SystemView& view, const EarlyDrop& early_drop, Settled& settled) {
  settled.head.serial = 0;
  for (const QueuedSegment* entry = settled.queue.At(settled.cursor); entry != nullptr;
       entry = settled.queue.At(settled.cursor)) {
    // A start that was taken back has shown its segment anew while it may still stand here.
    if (IsSame(last_, entry->serial, entry->segment) || IsGone(view, *entry) ||
        early_drop.GivenUp(entry->job, entry->serial)) {
      ReadyQueue::Remove(settled.cursor);
      continue;
    }
    settled.head = {.score = static_cast<double>(entry->key),
                    .serial = entry->serial,
                    .job = entry->job,
                    .segment = entry->segment,
                    .rank = -settled.level,
                    .covered = entry->covered};
    return;
  }
}

const ScoredSegment* PremaQueue::NextGrowing() {
  while (!scored_.empty() && IsSame(last_, scored_.front().serial, scored_.front().segment))
    PopHeap(scored_);
  return scored_.empty() ? nullptr : &scored_.front();
}

bool PremaQueue::Next(const SystemView& view, const EarlyDrop& early_drop) {
  const ScoredSegment* first = NextGrowing();
  Settled* from = nullptr;
  for (Settled& settled : settled_) {
    if (settled.head.serial == 0 || (first != nullptr && *first < settled.head)) continue;
    first = &settled.head;
    from = &settled;
  }
  if (first == nullptr) return false;
  last_ = *first;
  if (from != nullptr) {
    from->queue.Keep(from->cursor);
    FindHead(view, early_drop, *from);
  }
  return true;
}

void PremaQueue::Close() {
  for (Settled& settled : settled_) settled.queue.Close(settled.cursor);
}

}  // namespace fairlead
