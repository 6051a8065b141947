#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "fairlead/recording/why.h"

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

}  // namespace fairlead
