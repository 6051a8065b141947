#include "fairlead/report/scalar_figures.h"

#include <algorithm>
#include <span>
#include <utility>

namespace fairlead {
namespace {

class Collector {
 public:
  void Enter(std::string group) { group_ = std::move(group); }
  void Leave() { group_.clear(); }
  void Add(std::string name, std::optional<double> value) {
    figures_.push_back({group_, std::move(name), {}});
    if (value.has_value()) figures_.back().value = *value;
  }
  void Count(std::string name, auto count) {
    figures_.push_back({group_, std::move(name), static_cast<std::int64_t>(count)});
  }

  std::vector<ScalarFigure> Take() { return std::move(figures_); }

 private:
  std::string group_;
  std::vector<ScalarFigure> figures_;
};

void AddRates(const RateFigures& figures, std::string group, Collector& out) {
  const Distribution& rates = figures.rates;
  const auto known = [&rates](double value) {
    return rates.count > 0 ? std::optional(value) : std::nullopt;
  };
  out.Enter(std::move(group));
  out.Count("count", rates.count);
  out.Add("min", known(rates.min));
  out.Add("q1", known(rates.q1));
  out.Add("median", known(rates.median));
  out.Add("q3", known(rates.q3));
  out.Add("max", known(rates.max));
  out.Add("mean", known(rates.mean));
  out.Add("std", known(rates.std));
  out.Add("jain", known(rates.jain));
  out.Add("met_share", figures.met_share);
  out.Add("mean_shortfall", figures.mean_shortfall);
  out.Add("worst_window", figures.worst_window);
  out.Leave();
}

void AddRequests(const RunFigures& run, Collector& out) {
  out.Count("requests", run.counts.ended());
  out.Count("hits", run.counts.hits());
  out.Count("misses", run.counts.Of(Outcome::kMiss));
  out.Count("dropped", run.counts.Of(Outcome::kDropped));
  out.Count("rejected", run.counts.Of(Outcome::kRejected));
  out.Add("hit_rate", run.hit_rate);
}

void AddLatency(const RunFigures& run, Collector& out) {
  out.Enter("latency");
  if (run.latency.has_value()) {
    out.Count("p50", run.latency->p50);
    out.Count("p95", run.latency->p95);
    out.Count("p99", run.latency->p99);
  } else {
    for (const char* name : {"p50", "p95", "p99"}) out.Add(name, std::nullopt);
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
    out.Add(kind.kind, share);
  }
  out.Leave();
  out.Add("work_undecided",
          run.work_prefers ? std::optional(run.work_prefers->undecided) : std::nullopt);
}

void AddMachine(const RunFigures& run, Collector& out) {
  out.Add("antt", run.antt);
  out.Add("stp", run.stp);
  out.Add("goodput_per_s", run.goodput);
  out.Add("revenue", run.revenue);
  out.Add("energy_j", run.energy);
  out.Add("policy_energy_j", run.policy_energy);
  out.Add("deferrals_per_segment", run.deferrals_per_segment);
  out.Count("makespan_ns", run.makespan.count());
  out.Enter("busy");
  for (const BusyShare& busy : run.busy) out.Add(busy.accelerator, busy.share);
  out.Leave();
  const std::vector<KindShare> kinds = BusyByKind(run.busy);
  out.Enter("busy_by_kind");
  for (const KindShare& kind : kinds) out.Add(kind.kind, kind.share);
  out.Leave();
  AddPreference(run, kinds, out);
  out.Add("bandwidth_utilisation", run.bandwidth_utilisation);
}

void AddWork(const RunFigures& run, Collector& out) {
  const auto microseconds = [](Duration time) { return static_cast<double>(time.count()) / 1000; };
  out.Enter("decision_us");
  out.Add("p50", microseconds(run.decision.p50));
  out.Add("p99", microseconds(run.decision.p99));
  out.Add("max", microseconds(run.decision.max));
  out.Leave();
  out.Count("segments", run.segments);
  out.Add("wall_s", Seconds(run.wall_time));
  out.Add("segments_per_s", run.segments_per_second);
  out.Enter("bounds");
  out.Add("hit_rate", run.bounds ? std::optional(run.bounds->hit_rate) : std::nullopt);
  out.Add("worst_tenant", run.bounds ? std::optional(run.bounds->worst_agreement) : std::nullopt);
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
  out.Count("under_fallback_ns", guard.under_fallback.count());
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
  AddRates(run.agreements, "agreements", out);
  AddRates(run.tenants, "tenants", out);
  out.Count("window_violations", run.window_violations);
  AddLatency(run, out);
  AddMachine(run, out);
  AddWork(run, out);
  if (run.guard.has_value()) AddGuard(*run.guard, out);
  return out.Take();
}

const ScalarFigure* FindFigure(const std::vector<ScalarFigure>& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &ScalarFigure::Path);
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace fairlead
