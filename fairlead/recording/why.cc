#include "fairlead/recording/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/recording/recorded_run.h"
#include "fairlead/recording/why_history.h"

namespace fairlead {

namespace {

constexpr std::size_t kShownSegments = 12;
constexpr std::size_t kShownBlockers = 5;

// With three decimals of the unit that suits it: 3.104 ms.
std::string Human(Duration time) {
  struct Unit {
    double nanoseconds;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  const auto count = static_cast<double>(time.count());
  for (const Unit& unit : kUnits) {
    if (std::abs(count) >= unit.nanoseconds)
      return fmt::format("{:.3f} {}", count / unit.nanoseconds, unit.name);
  }
  return fmt::format("{} ns", time.count());
}

// To the nanosecond.
std::string Exact(Instant at) {
  const std::int64_t ns = Nanoseconds(at);
  return fmt::format("{}.{:09} s", ns / 1'000'000'000, ns % 1'000'000'000);
}

double Percent(Duration part, Duration whole) {
  return whole == Duration::zero()
             ? 0
             : 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string Fate(const RequestAccount& account) {
  if (!account.outcome.has_value()) return "had not ended when the recording did";
  switch (*account.outcome) {
    case Outcome::kHit:
      return fmt::format("made its deadline with {} to spare",
                         Human(account.deadline - account.end));
    case Outcome::kMiss:
      return fmt::format("missed its deadline by {}", Human(account.end - account.deadline));
    case Outcome::kDropped:
    case Outcome::kRejected:
      return fmt::format("was {} ({}) {} after its arrival", ToString(*account.outcome),
                         ToString(account.reason), Human(account.total()));
  }
  return "?";
}

// What stood in its way longest while it waited; empty if it did not wait.
std::string MainObstacle(const RequestAccount& account) {
  const Wait& wait = account.wait;
  Duration most = account.admission;
  std::string what = "for its admission";
  const auto consider = [&](Duration time, std::string text) {
    if (time <= most) return;
    most = time;
    what = std::move(text);
  };
  consider(wait.idle, "beside an idle accelerator");
  consider(wait.away, "for an accelerator that was away");
  consider(wait.deciding, "for the policy to decide");
  if (!wait.behind.empty()) {
    const Blocker& first = wait.behind.front();
    Duration all{};
    for (const Blocker& blocker : wait.behind) all += blocker.time;
    consider(all,
             fmt::format("behind {}{}'s {}", wait.behind.size() > 1 ? "others, first of all " : "",
                         first.tenant, first.network));
  }
  if (most == Duration::zero()) return "";
  const bool mostly = 2 * most >= wait.time + account.admission;
  return fmt::format(", {} {}", mostly ? "mostly" : "most of all", what);
}

std::string_view MainHandOver(const GoingOn& going_on) {
  if (going_on.moving >= std::max(going_on.taking_over, going_on.handing_over))
    return "moves to other accelerators";
  return going_on.taking_over >= going_on.handing_over ? "taking over after other jobs"
                                                       : "boundaries between its segments";
}

std::string MainPart(const RequestAccount& account) {
  const Duration total = account.total();
  const Duration waited = account.admission + account.wait.time;
  const Duration ran = account.alone + account.switching;
  const Duration going_on = account.going_on.sum();
  if (total == Duration::zero()) return "it took no time";
  if (waited >= std::max({ran, going_on, account.slowed, account.lost}))
    return fmt::format("{:.0f} % of its time it waited{}", Percent(waited, total),
                       MainObstacle(account));
  if (account.lost >= std::max({ran, going_on, account.slowed}))
    return fmt::format("{:.0f} % of its time was lost in tries that failed",
                       Percent(account.lost, total));
  if (going_on >= std::max(ran, account.slowed))
    return fmt::format("{:.0f} % of its time went into going on, mostly into {}",
                       Percent(going_on, total), MainHandOver(account.going_on));
  if (account.slowed >= ran)
    return fmt::format(
        "{:.0f} % of its time it was slowed: what ran took {:.1f} times as long as "
        "it is believed to take alone",
        Percent(account.slowed, total),
        static_cast<double>((ran + account.slowed).count()) /
            static_cast<double>(std::max(ran, Duration{1}).count()));
  const bool hopeless = account.arrival + ran > account.deadline;
  return fmt::format("{:.0f} % of its time it ran as fast as alone{}", Percent(ran, total),
                     hopeless ? ", and that alone exceeds its deadline" : "");
}

using Out = std::back_insert_iterator<std::string>;

void PrintHead(Out out, const RequestAccount& account) {
  fmt::format_to(out, "request {}: {} of {}, priority {}{}\n", account.request, account.network,
                 account.tenant, account.priority,
                 account.covered ? "" : ", not covered by its contract");
  fmt::format_to(out, "  arrived      {:>18}\n", Exact(account.arrival));
  fmt::format_to(out, "  deadline     {:>18}  {} after it\n", Exact(account.deadline),
                 Human(account.deadline - account.arrival));
  if (account.first_start != kNever)
    fmt::format_to(out, "  first start  {:>18}  {} after it\n", Exact(account.first_start),
                   Human(account.before_first_start()));
  fmt::format_to(out, "  end          {:>18}  {} after it: {}\n", Exact(account.end),
                 Human(account.total()),
                 account.outcome.has_value() ? ToString(*account.outcome) : "still under way");
}

void PrintParts(Out out, const RequestAccount& account) {
  fmt::format_to(out, "\nwhere its {} went, along {} of {} segments\n", Human(account.total()),
                 account.path.size(), account.segments_in_all);
  const auto print = [&](std::string_view what, Duration time) {
    if (time != Duration::zero())
      fmt::format_to(out, "  {:<34}{:>14}{:>8.1f} %\n", what, Human(time),
                     Percent(time, account.total()));
  };
  print("not admitted yet", account.admission);
  print("waiting before the first segment",
        account.path.empty() ? Duration::zero() : account.segments[account.path[0]].wait.time);
  print("waiting later on", account.path.empty()
                                ? Duration::zero()
                                : account.wait.time - account.segments[account.path[0]].wait.time);
  print("running, as believed alone", account.alone);
  print("switching networks, as believed", account.switching);
  print("handing over, as believed", account.going_on.handing_over);
  print("taking over after other jobs", account.going_on.taking_over);
  print("moving to other accelerators", account.going_on.moving);
  print(account.slowed < Duration::zero() ? "running faster than believed"
                                          : "slowed down while running",
        account.slowed);
  print("lost in tries that failed", account.lost);
}

void PrintBlockers(Out out, const RequestAccount& account) {
  const Wait& wait = account.wait;
  if (wait.time == Duration::zero()) return;
  fmt::format_to(out, "\nwhile it waited {}, this used the accelerator\n", Human(wait.time));
  const auto print = [&](std::string_view what, Duration time) {
    if (time != Duration::zero())
      fmt::format_to(out, "  {:<50}{:>14}{:>8.1f} %\n", what, Human(time),
                     Percent(time, wait.time));
  };
  const std::size_t shown = std::min(wait.behind.size(), kShownBlockers);
  Duration others{};
  for (std::size_t i = 0; i < wait.behind.size(); ++i) {
    const Blocker& blocker = wait.behind[i];
    if (i < shown) {
      print(fmt::format("{}'s {}, above all request {}", blocker.tenant, blocker.network,
                        blocker.request),
            blocker.time);
    } else {
      others += blocker.time;
    }
  }
  print("others", others);
  print("the policy, deciding", wait.deciding);
  print("nobody: it was away", wait.away);
  print("nobody: it was idle", wait.idle);
}

void PrintGuard(Out out, const RequestAccount& account) {
  if (account.guard.empty()) return;
  fmt::format_to(out, "\nmeanwhile the guard\n");
  for (const GuardNote& note : account.guard)
    fmt::format_to(out, "  {:>18}  {}\n", Exact(note.at), note.what);
}

void PrintGrounds(Out out, const SacrificeGrounds& grounds) {
  fmt::format_to(out,
                 "    it had {:.1f} of {:.1f} %; a failure costs {:.4g}, {:.4g} per second of the "
                 "machine\n",
                 100 * grounds.received, 100 * grounds.promised, grounds.penalty, grounds.stake);
  fmt::format_to(out, "    of {} {}, {} cost{} less and {} as much; {} {} given up then\n",
                 grounds.promises, grounds.promises == 1 ? "promise" : "promises", grounds.cheaper,
                 grounds.cheaper == 1 ? "s" : "", grounds.alike, grounds.given_up,
                 grounds.given_up == 1 ? "was" : "were");
}

void PrintSacrifices(Out out, const RequestAccount& account) {
  if (account.sacrificed.empty()) return;
  fmt::format_to(out, "\nits promise was given up by the policy, or by who stood in for it\n");
  for (const SacrificeSpell& spell : account.sacrificed) {
    fmt::format_to(out, "  from {:>18}  {}{}\n", Exact(spell.since),
                   spell.until == kNever ? "until after its end" : "to " + Exact(spell.until),
                   spell.fallback.empty() ? "" : ", by " + spell.fallback);
    PrintGrounds(out, spell.grounds);
  }
}

// Of a long path those that lost most, in order of time.
std::vector<std::size_t> ShownSegments(const RequestAccount& account) {
  std::vector<std::size_t> shown = account.path;
  if (shown.size() > kShownSegments) {
    const auto loss = [&](std::size_t at) {
      const SegmentAccount& one = account.segments[at];
      return one.wait.time + one.slowed + one.switching + one.going_on.sum() + one.lost;
    };
    std::ranges::stable_sort(shown, std::ranges::greater{}, loss);
    shown.resize(kShownSegments);
    std::ranges::sort(shown);
  }
  return shown;
}

void PrintSegments(Out out, const RequestAccount& account) {
  const std::vector<std::size_t> shown = ShownSegments(account);
  if (shown.size() < account.path.size())
    fmt::format_to(out, "\nthe {} of these segments that lost most\n", shown.size());
  else
    fmt::format_to(out, "\nthese segments\n");
  fmt::format_to(out, "  {:<16} {:<14} {:>12} {:>12} {:>12} {:>12} {:>12}  {}\n", "segment",
                 "accelerator", "ready after", "waited", "ran", "alone", "slowed", "behind");
  for (std::size_t at : shown) {
    const SegmentAccount& one = account.segments[at];
    std::string behind = "-";
    if (!one.wait.behind.empty()) {
      const Blocker& first = one.wait.behind.front();
      behind = fmt::format("request {} ({})", first.request, first.tenant);
    }
    fmt::format_to(out, "  {:<16} {:<14} {:>12} {:>12} {:>12} {:>12} {:>12}  {}\n", one.name,
                   one.accelerator.empty() ? "-" : one.accelerator,
                   Human(one.ready - account.arrival), Human(one.wait.time), Human(one.ran),
                   Human(one.alone), Human(one.slowed), behind);
  }
}

}  // namespace

std::string Verdict(const RequestAccount& account) {
  std::string verdict = fmt::format("It {}: {}.", Fate(account), MainPart(account));
  const bool given_up = !account.sacrificed.empty() && account.sacrificed.back().until == kNever;
  if (given_up && account.outcome != Outcome::kHit)
    verdict +=
        fmt::format(" Its promise was given up since {}.", Exact(account.sacrificed.back().since));
  return verdict;
}

std::string ToText(const RequestAccount& account) {
  std::string text;
  const Out out(text);
  PrintHead(out, account);
  PrintParts(out, account);
  PrintBlockers(out, account);
  PrintSegments(out, account);
  PrintGuard(out, account);
  PrintSacrifices(out, account);
  return text + "\n" + Verdict(account) + "\n";
}

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
