#include "fairlead/report/summary.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

class Collector {
 public:
  void Enter(std::string group) { group_ = std::move(group); }
  void Leave() { group_.clear(); }
  void Add(std::string name, std::optional<double> value, FigureUnit unit = FigureUnit::kNumber) {
    figures_.push_back({.group = group_, .name = std::move(name), .value = {}, .unit = unit});
    if (value.has_value()) figures_.back().value = *value;
  }
  void Share(std::string name, std::optional<double> value) {
    Add(std::move(name), value, FigureUnit::kShare);
  }
  void Count(std::string name, auto count, FigureUnit unit = FigureUnit::kNumber) {
    figures_.push_back({.group = group_,
                        .name = std::move(name),
                        .value = static_cast<std::int64_t>(count),
                        .unit = unit});
  }
  void Nanoseconds(std::string name, std::int64_t time) {
    Count(std::move(name), time, FigureUnit::kNanoseconds);
  }

  std::vector<ScalarFigure> Take() { return std::move(figures_); }

 private:
  std::string group_;
  std::vector<ScalarFigure> figures_;
};

void AddRates(const RateFigures& figures, Collector& out) {
  const Distribution& rates = figures.rates;
  const auto known = [&rates](double value) {
    return rates.count > 0 ? std::optional(value) : std::nullopt;
  };
  out.Count("count", rates.count);
  out.Share("min", known(rates.min));
  out.Share("q1", known(rates.q1));
  out.Share("median", known(rates.median));
  out.Share("q3", known(rates.q3));
  out.Share("max", known(rates.max));
  out.Share("mean", known(rates.mean));
  out.Share("std", known(rates.std));
  out.Share("jain", known(rates.jain));
  out.Share("met_share", figures.met_share);
  out.Share("mean_shortfall", figures.mean_shortfall);
  out.Share("worst_window", figures.worst_window);
}

void AddRequests(const RunFigures& run, Collector& out) {
  out.Count("requests", run.counts.ended());
  out.Count("hits", run.counts.hits());
  out.Count("misses", run.counts.Of(Outcome::kMiss));
  out.Count("dropped", run.counts.Of(Outcome::kDropped));
  out.Count("rejected", run.counts.Of(Outcome::kRejected));
  out.Share("hit_rate", run.hit_rate);
}

void AddLatency(const RunFigures& run, Collector& out) {
  out.Enter("latency");
  if (run.latency.has_value()) {
    out.Nanoseconds("p50", run.latency->p50);
    out.Nanoseconds("p95", run.latency->p95);
    out.Nanoseconds("p99", run.latency->p99);
  } else {
    for (const char* name : {"p50", "p95", "p99"})
      out.Add(name, std::nullopt, FigureUnit::kNanoseconds);
  }
  out.Leave();
}

void AddPreference(const RunFigures& run, std::span<const KindShare> kinds, Collector& out) {
  out.Enter("work_prefers");
  for (const KindShare& kind : kinds) {
    std::optional<double> share;
    if (run.work_prefers.has_value()) {
      const auto found = std::ranges::find(run.work_prefers->kinds, kind.kind, &KindShare::kind);
      if (found != run.work_prefers->kinds.end()) share = found->share;
    }
    out.Share(kind.kind, share);
  }
  out.Leave();
  out.Share("work_undecided",
            run.work_prefers ? std::optional(run.work_prefers->undecided) : std::nullopt);
}

void AddHandOvers(const HandOverFigures& figures, Collector& out) {
  const auto share = [&figures](double HandOverShares::*part) {
    return figures.shares ? std::optional(*figures.shares.*part) : std::nullopt;
  };
  out.Enter("hand_overs");
  out.Count("moves", figures.moves);
  out.Count("take_overs", figures.take_overs);
  out.Add("moved_bytes", figures.moved_bytes);
  out.Share("boundaries", share(&HandOverShares::boundaries));
  out.Share("taking_over", share(&HandOverShares::taking_over));
  out.Share("moving", share(&HandOverShares::moving));
  out.Share("switching", share(&HandOverShares::switching));
  out.Share("share", figures.shares ? std::optional(figures.shares->sum()) : std::nullopt);
  out.Leave();
}

void AddMachine(const RunFigures& run, Collector& out) {
  out.Add("antt", run.antt);
  out.Add("stp", run.stp);
  out.Add("goodput_per_s", run.goodput);
  out.Add("revenue", run.revenue);
  out.Add("energy_j", run.energy);
  out.Add("policy_energy_j", run.policy_energy);
  out.Add("deferrals_per_segment", run.deferrals_per_segment);
  out.Nanoseconds("makespan_ns", run.makespan.count());
  out.Enter("busy");
  for (const BusyShare& busy : run.busy) out.Share(busy.accelerator, busy.share);
  out.Leave();
  const std::vector<KindShare> kinds = BusyByKind(run.busy);
  out.Enter("busy_by_kind");
  for (const KindShare& kind : kinds) out.Share(kind.kind, kind.share);
  out.Leave();
  AddHandOvers(run.hand_overs, out);
  AddPreference(run, kinds, out);
  out.Share("bandwidth_utilisation", run.bandwidth_utilisation);
}

void AddWork(const RunFigures& run, Collector& out) {
  const auto microseconds = [](Duration time) { return static_cast<double>(time.count()) / 1000; };
  out.Enter("decision_us");
  out.Add("p50", microseconds(run.decision.p50), FigureUnit::kMicroseconds);
  out.Add("p99", microseconds(run.decision.p99), FigureUnit::kMicroseconds);
  out.Add("max", microseconds(run.decision.max), FigureUnit::kMicroseconds);
  out.Leave();
  out.Count("segments", run.segments);
  out.Add("wall_s", Seconds(run.wall_time), FigureUnit::kSeconds);
  out.Add("segments_per_s", run.segments_per_second);
  out.Enter("bounds");
  out.Share("hit_rate", run.bounds ? std::optional(run.bounds->hit_rate) : std::nullopt);
  out.Share("worst_tenant", run.bounds ? std::optional(run.bounds->worst_agreement) : std::nullopt);
  out.Leave();
}

void AddGuard(const GuardFigures& guard, Collector& out) {
  out.Enter("guard");
  out.Count("strikes", guard.strikes());
  out.Count("wrong_plans", guard.wrong_plans);
  out.Count("slow_decisions", guard.slow_decisions);
  out.Count("idle_machine", guard.idle_machine);
  out.Count("fallbacks", guard.fallbacks);
  out.Count("returns", guard.returns);
  out.Nanoseconds("under_fallback_ns", guard.under_fallback.count());
  out.Leave();
}

}  // namespace

std::optional<double> ScalarFigure::Number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::vector<ScalarFigure> ScalarFigures(const RunFigures& run) {
  Collector out;
  AddRequests(run, out);
  out.Enter("agreements");
  AddRates(run.agreements, out);
  out.Enter("tenants");
  AddRates(run.tenants, out);
  out.Leave();
  out.Count("window_violations", run.window_violations);
  AddLatency(run, out);
  AddMachine(run, out);
  AddWork(run, out);
  if (run.guard.has_value()) AddGuard(*run.guard, out);
  return out.Take();
}

std::vector<ScalarFigure> FiguresOfAgreements(std::span<const AgreementFigures* const> agreements) {
  OutcomeCounts covered;
  OutcomeCounts uncovered;
  std::int64_t violations = 0;
  PeriodVerdicts periods;
  double sacrificed = 0;
  double revenue = 0;
  for (const AgreementFigures* agreement : agreements) {
    covered += agreement->counts;
    uncovered += agreement->uncovered;
    violations += agreement->window_violations;
    if (agreement->periods.has_value()) {
      periods.periods += agreement->periods->periods;
      periods.kept += agreement->periods->kept;
    }
    sacrificed += agreement->sacrificed.share / static_cast<double>(agreements.size());
    revenue += agreement->revenue;
  }
  const RateFigures rates = RatesOf(agreements);
  const auto hit_rate = covered.ended() > 0 ? std::optional(covered.HitRateOr(0)) : std::nullopt;
  Collector out;
  out.Share("hit_rate", hit_rate);
  out.Share("worst", agreements.empty() ? std::nullopt : std::optional(rates.rates.min));
  out.Share("promises_kept", rates.met_share);
  AddRates(rates, out);
  out.Count("requests", covered.ended() + uncovered.ended());
  out.Count("hits", covered.hits() + uncovered.hits());
  out.Count("covered", covered.ended());
  out.Count("uncovered", uncovered.ended());
  out.Count("window_violations", violations);
  const auto kept_periods =
      static_cast<double>(periods.kept) / static_cast<double>(periods.periods);
  out.Share("periods_kept", periods.periods > 0 ? std::optional(kept_periods) : std::nullopt);
  out.Share("sacrificed_share", agreements.empty() ? std::nullopt : std::optional(sacrificed));
  out.Add("revenue", revenue);
  return out.Take();
}

const ScalarFigure* FindFigure(const std::vector<ScalarFigure>& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &ScalarFigure::Path);
  return found == figures.end() ? nullptr : &*found;
}

namespace {

constexpr std::size_t kMostPoliciesInPairs = 8;

struct SeedFigures {
  std::uint64_t seed;
  std::vector<ScalarFigure> figures;
};

struct PolicyFigures {
  std::string policy;
  std::vector<SeedFigures> seeds;
};

PolicyFigures FiguresOf(const PolicyRuns& group) {
  PolicyFigures result{.policy = group.policy, .seeds = {}};
  for (const RunFigures* run : group.runs) {
    result.seeds.push_back({run->seed, ScalarFigures(*run)});
    CHECK(result.seeds.back().figures.size() == result.seeds.front().figures.size());
  }
  return result;
}

PolicySummary SumUp(const PolicyFigures& policy) {
  PolicySummary summary{.policy = policy.policy, .seeds = {}};
  for (const SeedFigures& one : policy.seeds) summary.seeds.push_back(one.seed);
  const std::vector<ScalarFigure>& names = policy.seeds.front().figures;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<double> values;
    for (const SeedFigures& one : policy.seeds) {
      if (const auto value = one.figures[f].Number()) values.push_back(*value);
    }
    summary.figures.push_back(
        {names[f].group, names[f].name, EstimateMean(values, kSummaryConfidence)});
  }
  return summary;
}

PolicyDifference Compare(const PolicyFigures& policy, const PolicyFigures& against) {
  PolicyDifference difference{.policy = policy.policy, .against = against.policy, .seeds = {}};
  struct Pair {
    const SeedFigures* ours;
    const SeedFigures* theirs;
  };
  std::vector<Pair> pairs;
  for (const SeedFigures& ours : policy.seeds) {
    const auto theirs = std::ranges::find(against.seeds, ours.seed, &SeedFigures::seed);
    if (theirs == against.seeds.end()) continue;
    pairs.push_back({&ours, &*theirs});
    difference.seeds.push_back(ours.seed);
  }
  const std::vector<ScalarFigure>& names = policy.seeds.front().figures;
  for (std::size_t f = 0; f < names.size(); ++f) {
    std::vector<double> ours;
    std::vector<double> theirs;
    for (const Pair& pair : pairs) {
      const auto one = pair.ours->figures[f].Number();
      const auto other = pair.theirs->figures[f].Number();
      if (!one.has_value() || !other.has_value()) continue;
      ours.push_back(*one);
      theirs.push_back(*other);
    }
    difference.figures.push_back(
        {names[f].group, names[f].name, EstimateDifference(ours, theirs, kSummaryConfidence)});
  }
  return difference;
}

}  // namespace

Estimate FindEstimate(std::span<const SummaryFigure> figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &SummaryFigure::Path);
  return found == figures.end() ? Estimate{} : found->estimate;
}

std::vector<PolicyRuns> GroupByPolicy(std::span<const RunFigures> runs) {
  std::vector<PolicyRuns> groups;
  for (const RunFigures& run : runs) {
    auto group = std::ranges::find(groups, run.policy, &PolicyRuns::policy);
    if (group == groups.end()) {
      groups.push_back({run.policy, {}});
      group = groups.end() - 1;
    }
    group->runs.push_back(&run);
  }
  return groups;
}

Summary Summarise(std::span<const RunFigures> runs) {
  std::vector<PolicyFigures> policies;
  for (const PolicyRuns& group : GroupByPolicy(runs)) policies.push_back(FiguresOf(group));
  Summary summary;
  for (const PolicyFigures& policy : policies) summary.policies.push_back(SumUp(policy));
  const bool all_pairs = policies.size() <= kMostPoliciesInPairs;
  for (std::size_t a = 0; a < policies.size(); ++a) {
    for (std::size_t p = a + 1; p < policies.size(); ++p)
      summary.differences.push_back(Compare(policies[p], policies[a]));
    if (!all_pairs) break;
  }
  return summary;
}

}  // namespace fairlead
