#include "fairlead/recording/why.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "fairlead/recording/recorded_run.h"
#include "fairlead/recording/why_history.h"

namespace fairlead {
namespace {

// ---- The run as it was ---------------------------------------------------------------------

struct RequestRange {
  RequestNumber first = UINT64_MAX;
  RequestNumber last = 0;
  std::uint64_t count = 0;
};

class Rerun {
 public:
  explicit Rerun(const Recording& recording)
      : recording_(recording), run_(recording, {history_, history_, history_}) {
    history_.set_state(run_.state());
  }

  // Runs to the end of the request, or of the recording.
  Status Follow(RequestNumber request) {
    while (!history_.ended()) {
      ASSIGN_OR_RETURN(const RecordedStep* const step, run_.Next());
      if (step == nullptr) break;
      if (step->kind != RecordedStep::Kind::kInput) continue;
      const auto* arrival = std::get_if<Arrival>(&step->input);
      if (arrival == nullptr) continue;
      const RequestNumber number = arrival->request.number;
      range_.first = std::min(range_.first, number);
      range_.last = std::max(range_.last, number);
      ++range_.count;
      if (number == request && !history_.began()) history_.Begin(run_.last_arrival());
    }
    if (!history_.began()) return Missing(request);
    if (!history_.ended()) history_.BreakOff();
    return {};
  }

  const RequestHistory& history() const { return history_; }
  const SystemState& state() const { return run_.state(); }

 private:
  Status Missing(RequestNumber request) const {
    if (range_.count == 0) return FailAt({recording_.file()}, "it has no requests");
    return FailAt({recording_.file()}, "no request {}; its {} requests are numbered {} to {}",
                  request, range_.count, range_.first, range_.last);
  }

  const Recording& recording_;
  RequestHistory history_;
  RecordedRun run_;
  RequestRange range_;
};

// ---- The account of it ---------------------------------------------------------------------

// A part of a duration.
Duration Share(Duration time, double share) {
  if (share == 1) return time;
  return Duration{std::llround(static_cast<double>(time.count()) * share)};
}

void SortByTime(std::vector<Blocker>& blockers) {
  std::ranges::stable_sort(blockers,
                           [](const Blocker& a, const Blocker& b) { return a.time > b.time; });
}

class Accountant {
 public:
  Accountant(const SystemState& state, const RequestHistory& history)
      : state_(state),
        history_(history),
        job_(history.job()),
        network_(state.networks[job_.network.index()]),
        finished_(network_.size(), kNever) {}

  RequestAccount Account() {
    account_ = {.request = job_.request,
                .tenant = state_.tenants[job_.tenant.index()].name,
                .network = network_.name(),
                .priority = job_.priority,
                .covered = job_.covered,
                .arrival = job_.arrival,
                .deadline = job_.deadline,
                .first_start = job_.first_start,
                .end = history_.end(),
                .segments_in_all = network_.size(),
                .guard = history_.guard_notes(),
                .sacrificed = history_.sacrifices(),
                .admission = history_.admitted() - job_.arrival};
    if (history_.ended()) {
      account_.outcome = history_.outcome();
      account_.reason = history_.reason();
    }
    std::vector<std::vector<const Try*>> tries(network_.size());
    for (const Try& one : history_.tries()) {
      tries[one.segment.index()].push_back(&one);
      if (one.how == Try::End::kFinished) finished_[one.segment.index()] = one.end;
    }
    for (SegmentId segment : network_.TopologicalOrder()) {
      const Instant ready = ReadyAt(segment);
      if (ready != kNever) AddSegment(segment, ready, tries[segment.index()]);
    }
    std::ranges::stable_sort(account_.segments, {}, &SegmentAccount::ready);
    FollowPath();
    return std::move(account_);
  }

 private:
  Instant ReadyAt(SegmentId segment) const {
    Instant ready = history_.admitted();
    for (SegmentId before : network_.Predecessors(segment))
      ready = std::max(ready, finished_[before.index()]);
    return ready;
  }

  void AddSegment(SegmentId segment, Instant ready, const std::vector<const Try*>& tries) {
    SegmentAccount one{.segment = segment, .name = network_.SegmentName(segment), .ready = ready};
    behind_.clear();
    Instant since = ready;
    bool taken = false;  // it has finished, or runs still
    for (const Try* attempt : tries) {
      AddWait(one.wait, since, attempt->start, {attempt->accelerator});
      const Instant end = std::min(attempt->end, history_.end());
      if (attempt->how == Try::End::kFailed) {
        ++one.failures;
        one.lost += end - attempt->start;
        since = end;
        continue;
      }
      taken = true;
      AddRun(one, *attempt, end);
    }
    if (!taken) AddWait(one.wait, since, history_.end(), WhereItCouldRun(segment));
    for (const auto& [who, time] : behind_) {
      const auto& [request, tenant, network] = who;
      one.wait.behind.push_back({request, state_.tenants[tenant.index()].name,
                                 state_.networks[network.index()].name(), time});
    }
    SortByTime(one.wait.behind);
    account_.segments.push_back(std::move(one));
  }

  void AddRun(SegmentAccount& one, const Try& attempt, Instant end) const {
    one.start = attempt.start;
    one.end = attempt.end;
    one.accelerator = state_.platform->accelerators[attempt.accelerator.index()].name;
    one.units = attempt.units;
    one.batch = attempt.batch;
    one.ran = end - attempt.start;
    one.alone = attempt.alone;
    one.switching = attempt.switching;
    one.going_on = attempt.going_on;
    if (attempt.how == Try::End::kNone) {  // it runs still: nothing is known of the rest
      Duration left = one.ran;
      for (Duration* part : {&one.alone, &one.switching, &one.going_on.handing_over,
                             &one.going_on.taking_over, &one.going_on.moving}) {
        *part = std::min(*part, left);
        left -= *part;
      }
    }
    one.slowed = one.ran - one.alone - one.switching - one.going_on.sum();
  }

  std::vector<AcceleratorId> WhereItCouldRun(SegmentId segment) const {
    std::vector<AcceleratorId> where;
    for (std::size_t a = 0; a < state_.accelerators.size(); ++a) {
      if (state_.beliefs->Alone(job_.network, segment, state_.accelerators[a].kind) != nullptr)
        where.emplace_back(a);
    }
    return where;
  }

  // Adds a wait, ascending `where`, and says who was in the way: segments in behind_.
  void AddWait(Wait& wait, Instant from, Instant to, const std::vector<AcceleratorId>& where) {
    if (to <= from) return;
    wait.time += to - from;
    Duration known{};
    for (const Spell& spell : history_.spells()) {
      const Duration overlap = std::min(spell.end, to) - std::max(spell.start, from);
      if (overlap <= Duration::zero() || !std::ranges::binary_search(where, spell.accelerator))
        continue;
      const double units = state_.accelerators[spell.accelerator.index()].units;
      const Duration time = Share(overlap, spell.units / units / static_cast<double>(where.size()));
      known += time;
      switch (spell.use) {
        case Spell::Use::kSegment:
          behind_[{spell.request, spell.tenant, spell.network}] += time;
          break;
        case Spell::Use::kDecision: wait.deciding += time; break;
        case Spell::Use::kAway: wait.away += time; break;
      }
    }
    wait.idle += std::max(to - from - known, Duration::zero());
  }

  // The segment where the walk back begins: the last to finish, or, if the job did not, what it has
  // been waiting for longest. Ties go to the later in the network, else to the earlier.
  std::size_t EndOfPath() const {
    const bool complete = account_.outcome == Outcome::kHit || account_.outcome == Outcome::kMiss;
    const std::vector<SegmentAccount>& segments = account_.segments;
    std::size_t best = segments.size();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (complete) {
        if (best == segments.size() || segments[i].end >= segments[best].end) best = i;
      } else if (segments[i].end == kNever) {
        if (best == segments.size() || segments[i].ready < segments[best].ready) best = i;
      }
    }
    return best;
  }

  void FollowPath() {
    std::vector<SegmentAccount>& segments = account_.segments;
    std::vector<std::size_t> position(network_.size(), segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i) position[segments[i].segment.index()] = i;
    for (std::size_t at = EndOfPath(); at < segments.size();) {
      account_.path.push_back(at);
      std::size_t before = segments.size();
      for (SegmentId id : network_.Predecessors(segments[at].segment)) {
        const std::size_t candidate = position[id.index()];
        if (before == segments.size() || segments[candidate].end > segments[before].end)
          before = candidate;
      }
      at = before;
    }
    std::ranges::reverse(account_.path);
    for (std::size_t at : account_.path) AddUp(segments[at]);
    SortByTime(account_.wait.behind);
  }

  void AddUp(SegmentAccount& one) {
    one.on_path = true;
    account_.wait.time += one.wait.time;
    account_.wait.deciding += one.wait.deciding;
    account_.wait.away += one.wait.away;
    account_.wait.idle += one.wait.idle;
    account_.alone += one.alone;
    account_.switching += one.switching;
    account_.going_on.handing_over += one.going_on.handing_over;
    account_.going_on.taking_over += one.going_on.taking_over;
    account_.going_on.moving += one.going_on.moving;
    account_.slowed += one.slowed;
    account_.lost += one.lost;
    for (const Blocker& blocker : one.wait.behind) AddBlocker(blocker);
  }

  void AddBlocker(const Blocker& blocker) {
    std::vector<Blocker>& all = account_.wait.behind;
    const auto same = std::ranges::find_if(all, [&blocker](const Blocker& other) {
      return other.tenant == blocker.tenant && other.network == blocker.network;
    });
    Duration& of_request = by_request_[blocker.request];
    of_request += blocker.time;
    if (same == all.end()) {
      all.push_back(blocker);
      return;
    }
    same->time += blocker.time;
    if (of_request > by_request_[same->request]) same->request = blocker.request;
  }

  const SystemState& state_;
  const RequestHistory& history_;
  const Job& job_;
  const NetworkGraph& network_;
  std::vector<Instant> finished_;  // per segment; kNever: it did not
  RequestAccount account_;
  std::map<std::tuple<RequestNumber, TenantId, NetworkId>, Duration> behind_;  // of one segment
  std::map<RequestNumber, Duration> by_request_;                               // along the path
};

}  // namespace

RequestAccount AccountOf(const SystemState& state, const RequestHistory& history) {
  return Accountant(state, history).Account();
}

Result<RequestAccount> AccountFor(const Recording& recording, RequestNumber request) {
  Rerun rerun(recording);
  RETURN_IF_ERROR(rerun.Follow(request));
  return AccountOf(rerun.state(), rerun.history());
}

Result<std::string> Why(const Recording& recording, RequestNumber request) {
  ASSIGN_OR_RETURN(const RequestAccount account, AccountFor(recording, request));
  return ToText(account);
}

}  // namespace fairlead
