#include "fairlead/report/run_json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "fairlead/report/json_text.h"
#include "fairlead/report/summary.h"
#include "fairlead/report/table.h"

namespace fairlead {
namespace {

// Figures stand in the object of their group, or at the top; those of a group stand together.
class Groups {
 public:
  explicit Groups(JsonText& json) : json_(json) {}
  ~Groups() { Enter({}); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void Enter(const std::string& group) {
    if (group == group_) return;
    if (!group_.empty()) json_.End();
    if (!group.empty()) json_.BeginObject(group);
    group_ = group;
  }

 private:
  JsonText& json_;
  std::string group_;
};

void PutFigures(JsonText& json, const std::vector<SummaryFigure>& figures) {
  json.BeginObject("figures");
  {
    Groups groups(json);
    for (const SummaryFigure& figure : figures) {
      groups.Enter(figure.group);
      const Estimate& estimate = figure.estimate;
      if (estimate.count == 0) {
        json.Put(figure.name, nullptr);
        continue;
      }
      json.BeginObject(figure.name);
      json.Put("mean", estimate.mean);
      if (const auto half = estimate.half_width; half.has_value())
        json.Put("interval", std::vector{estimate.mean - *half, estimate.mean + *half});
      else
        json.Put("interval", nullptr);
      json.Put("count", estimate.count);
      json.End();
    }
  }
  json.End();
}

void PutSummary(JsonText& json, const Summary& summary) {
  json.BeginObject("summary");
  json.Put("confidence", kSummaryConfidence);
  json.BeginList("policies");
  for (const PolicySummary& policy : summary.policies) {
    json.BeginObject();
    json.Put("policy", policy.policy, "seeds", policy.seeds);
    PutFigures(json, policy.figures);
    json.End();
  }
  json.End();
  json.BeginList("differences");
  for (const PolicyDifference& difference : summary.differences) {
    json.BeginObject();
    json.Put("policy", difference.policy, "against", difference.against, "seeds", difference.seeds);
    PutFigures(json, difference.figures);
    json.End();
  }
  json.End();
  json.End();
}

void PutAgreement(JsonText& json, const AgreementFigures& agreement) {
  OutcomeCounts all = agreement.counts;
  all += agreement.uncovered;
  const auto if_positive = [](auto value) {
    return value > 0 ? std::optional(value) : std::nullopt;
  };
  const bool windows = agreement.window > 0;
  const auto& periods = agreement.periods;
  const auto& latency = agreement.latency;
  json.BeginObject();
  json.Put("tenant", agreement.tenant, "network", agreement.network, "target", agreement.target,
           "window", if_positive(agreement.window), "max_misses",
           windows ? std::optional(agreement.max_misses) : std::nullopt, "kept", agreement.Kept(),
           "floor", if_positive(agreement.floor), "machine_share", agreement.machine_share,
           "requests", all.ended(), "hits", all.hits(), "misses", all.Of(Outcome::kMiss), "dropped",
           all.Of(Outcome::kDropped), "rejected", all.Of(Outcome::kRejected), "covered",
           agreement.counts.ended(), "uncovered", agreement.uncovered.ended(), "uncovered_hits",
           agreement.uncovered.hits(), "hit_rate", agreement.hit_rate, "worst_window",
           agreement.worst_window, "window_violations", agreement.window_violations, "periods",
           periods ? std::optional(periods->periods) : std::nullopt, "periods_kept",
           periods ? std::optional(periods->kept) : std::nullopt, "revenue", agreement.revenue,
           "sacrificed_times", agreement.sacrificed.times, "sacrificed_share",
           agreement.sacrificed.share, "sacrificed_requests", agreement.sacrificed.counts.ended(),
           "sacrificed_hits", agreement.sacrificed.counts.hits(), "fallback_sacrificed_times",
           agreement.sacrificed_by_fallback.times, "fallback_sacrificed_share",
           agreement.sacrificed_by_fallback.share);
  json.BeginObject("lost");
  json.Put("late", agreement.lost.late);
  const auto& given_up = agreement.lost.given_up;
  if (std::ranges::any_of(given_up, [](std::int64_t count) { return count > 0; })) {
    json.BeginObject("given_up");
    for (std::size_t r = 0; r < given_up.size(); ++r)
      if (given_up[r] > 0) json.Put(kReasonNames[r], given_up[r]);
    json.End();
  }
  json.End();
  json.Put("latency_p50", latency ? std::optional(latency->p50) : std::nullopt, "latency_p99",
           latency ? std::optional(latency->p99) : std::nullopt, "claim",
           agreement.claim ? std::optional(ToString(*agreement.claim)) : std::nullopt,
           "requests_needed", agreement.requests_needed);
  json.End();
}

void PutTenant(JsonText& json, std::string_view key, const TenantFigures& tenant) {
  json.Object(key, "hit_rate", tenant.hit_rate, "p50_ms", tenant.p50_ms, "p95_ms", tenant.p95_ms);
}

void PutLive(JsonText& json, const LiveFigures& live) {
  static constexpr std::string_view kPassages[] = {"goes_on", "takes_over", "moves"};
  json.BeginObject("live");
  json.Put("pace", live.pace);
  json.Object("segments", kPassages[0], live.passages[0], kPassages[1], live.passages[1],
              kPassages[2], live.passages[2]);
  json.Put("others_share", live.others_share, "stolen_share", live.stolen_share);
  if (live.comparison.has_value()) {
    json.BeginObject("comparison");
    json.Put("simulated_moves", live.comparison->simulated_moves);
    json.BeginList("tenants");
    for (const TenantComparison& tenant : live.comparison->tenants) {
      json.BeginObject();
      json.Put("tenant", tenant.tenant, "network", tenant.network, "requests", tenant.requests);
      PutTenant(json, "simulated", tenant.simulated);
      PutTenant(json, "live", tenant.live);
      PutTenant(json, "simulated_on_measured", tenant.again);
      json.End();
    }
    json.End();
    json.BeginList("segments");
    for (const SegmentComparison& one : live.comparison->segments)
      json.Row("network", one.network, "kind", one.kind, "passage",
               kPassages[static_cast<std::size_t>(one.passage)], "segments", one.segments,
               "predicted_us", one.predicted_us, "measured_us", one.measured_us, "beyond_p50_us",
               one.beyond_p50_us, "beyond_p95_us", one.beyond_p95_us);
    json.End();
    json.End();
  }
  json.End();
}

}  // namespace

void PutRun(JsonText& json, const RunFigures& run, RunDetail detail) {
  json.Put("policy", run.policy, "seed", run.seed);
  if (run.interrupted) json.Put("interrupted", true);
  {
    Groups groups(json);
    for (const ScalarFigure& figure : ScalarFigures(run)) {
      groups.Enter(figure.group);
      if (figure.Path() == "window_violations" && detail == RunDetail::kAgreements) {
        json.BeginList("per_agreement");
        for (const AgreementFigures& agreement : run.per_agreement) PutAgreement(json, agreement);
        json.End();
      }
      if (const auto* whole = std::get_if<std::int64_t>(&figure.value))
        json.Put(figure.name, *whole);
      else
        json.Put(figure.name, figure.Number());
    }
  }
  if (run.live.has_value()) PutLive(json, *run.live);
}

void PutResults(JsonText& json, const ReportHeading& heading, std::span<const RunFigures> runs,
                std::span<const ObjectiveVerdict> verdicts) {
  json.Put("scenario", heading.scenario, "version", heading.version);
  json.PutJson("config", heading.config);
  json.BeginList("runs");
  for (const RunFigures& run : runs) {
    json.BeginObject();
    PutRun(json, run, RunDetail::kAgreements);
    if (const auto incentives = IncentivesOf(run, runs); incentives.has_value()) {
      const Distribution phi = Describe(incentives->phi);
      json.Object("phi", "against", incentives->against, "min", phi.min, "mean", phi.mean,
                  "share_at_least_1", incentives->gaining);
    }
    json.End();
  }
  json.End();
  if (!verdicts.empty()) {
    json.BeginList("objectives");
    for (const ObjectiveVerdict& verdict : verdicts)
      json.Row("policy", verdict.policy, "objective", verdict.objective->text, "asked_by",
               verdict.objective->asked_by == AskedBy::kScenario ? "scenario" : "command line",
               "seeds", verdict.seeds, "value", verdict.value, "bound", verdict.bound, "met",
               verdict.met);
    json.End();
  }
  const bool several_seeds = std::ranges::any_of(
      runs, [&runs](const RunFigures& run) { return run.seed != runs.front().seed; });
  if (several_seeds) PutSummary(json, Summarise(runs));
}

std::string FormatJson(const ReportHeading& heading, std::span<const RunFigures> runs,
                       std::span<const ObjectiveVerdict> verdicts) {
  JsonText json;
  PutResults(json, heading, runs, verdicts);
  return std::move(json).Finish();
}

}  // namespace fairlead
