#include "fairlead/report/figures.h"

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr double kJoulesPerPicojoule = 1e-12;

std::optional<double> Ratio(double numerator, double denominator) {
  if (!(denominator > 0)) return std::nullopt;
  return numerator / denominator;
}

// How fast requests were, beside how fast they could have been.
void AddLatencies(const FinishedRun& run, RunFigures& figures) {
  std::vector<std::int64_t> latencies;
  double normalised = 0;
  double comparable = 0;
  double isolated_total = 0;
  for (const LoggedJob& job : run.log.jobs()) {
    if (!job.finished()) continue;
    CHECK(job.network.index() < run.isolated.size());
    const Duration isolated = run.isolated[job.network.index()];
    isolated_total += static_cast<double>(isolated.count());
    if (job.arrival < run.measured_from) continue;
    const Duration latency = job.finish - job.arrival;
    latencies.push_back(latency.count());
    if (isolated == Duration::zero()) continue;
    normalised += static_cast<double>(latency.count()) / static_cast<double>(isolated.count());
    ++comparable;
  }
  figures.antt = Ratio(normalised, comparable);
  figures.stp = Ratio(isolated_total, static_cast<double>(figures.makespan.count()));
  if (!latencies.empty()) figures.latency = NearestRankPercentiles(std::move(latencies));
}

// The requests of this run alone: the ledger may go on from another's books.
struct MeasuredRequests {
  OutcomeCounts all;
  std::vector<std::int64_t> hits;              // by agreement
  std::vector<std::int64_t> covered_failures;  // likewise

  MeasuredRequests(const OutcomeLog& log, Instant measured_from, std::size_t agreements)
      : hits(agreements), covered_failures(agreements) {
    for (const LoggedJob& job : log.jobs()) {
      if (job.arrival < measured_from) continue;
      ++all.by_outcome[static_cast<std::size_t>(job.outcome)];
      if (job.outcome == Outcome::kHit) {
        ++hits[job.agreement.index()];
      } else if (job.covered) {
        ++covered_failures[job.agreement.index()];
      }
    }
  }
};

// What finished, of all requests in the whole run.
void AddMachineShares(const FinishedRun& run, std::span<AgreementFigures> agreements) {
  const SystemState& state = run.engine.state();
  const CostTable& costs = run.truth != nullptr ? *run.truth : *state.beliefs;
  const double machine = Seconds(run.totals.end - Instant{}) *
                         static_cast<double>(state.platform->accelerators.size());
  if (!(machine > 0)) return;
  for (const LoggedJob& job : run.log.jobs()) {
    if (job.finished())
      agreements[job.agreement.index()].machine_share +=
          Seconds(costs.FastestTotal(job.network)) / machine;
  }
}

// How fast each agreement's requests were, and why those that did not hit did not.
void AddLosses(const FinishedRun& run, std::span<AgreementFigures> agreements) {
  std::vector<std::vector<std::int64_t>> latencies(agreements.size());
  for (const LoggedJob& job : run.log.jobs()) {
    if (job.arrival < run.measured_from) continue;
    const std::size_t a = job.agreement.index();
    if (job.finished()) latencies[a].push_back((job.finish - job.arrival).count());
    if (job.outcome == Outcome::kMiss) {
      ++agreements[a].lost.late;
    } else if (job.outcome != Outcome::kHit) {
      ++agreements[a].lost.given_up[static_cast<std::size_t>(job.reason)];
    }
  }
  for (std::size_t a = 0; a < agreements.size(); ++a) {
    if (!latencies[a].empty())
      agreements[a].latency = NearestRankPercentiles(std::move(latencies[a]));
  }
}

double Revenue(const FairnessLedger& ledger, const MeasuredRequests& requests) {
  double revenue = 0;
  for (std::size_t a = 0; a < ledger.size(); ++a) {
    const ServiceAgreement& promise = ledger.Promise(AgreementId{a});
    revenue += promise.price * static_cast<double>(requests.hits[a]) -
               promise.penalty * static_cast<double>(requests.covered_failures[a]);
  }
  return revenue;
}

void AddPromises(const FinishedRun& run, RunFigures& figures) {
  const SystemState& state = run.engine.state();
  const MeasuredRequests requests(run.log, run.measured_from, state.ledger.size());
  figures.counts = requests.all;
  figures.hit_rate = Ratio(static_cast<double>(figures.counts.hits()),
                           static_cast<double>(figures.counts.ended()));
  figures.agreements = RatesOfAgreements(state.ledger);
  figures.tenants = RatesOfTenants(state.ledger);
  figures.per_agreement =
      DescribeAgreements(state.ledger, state.tenants, state.networks, run.totals.end);
  AddMachineShares(run, figures.per_agreement);
  AddLosses(run, figures.per_agreement);
  for (const AgreementFigures& agreement : figures.per_agreement)
    figures.window_violations += agreement.window_violations;
  figures.goodput = Ratio(static_cast<double>(figures.counts.hits()),
                          Seconds(run.totals.end - run.measured_from));
  figures.revenue = Revenue(state.ledger, requests);
}

void AddMachine(const FinishedRun& run, RunFigures& figures) {
  const Platform& platform = *run.engine.state().platform;
  CHECK(run.totals.busy.size() == platform.accelerators.size());
  figures.energy = run.totals.energy_pj * kJoulesPerPicojoule;
  figures.policy_energy = run.totals.policy_energy_pj * kJoulesPerPicojoule;
  const auto makespan = static_cast<double>(figures.makespan.count());
  for (std::size_t a = 0; a < platform.accelerators.size(); ++a) {
    const Accelerator& accelerator = platform.accelerators[a];
    figures.busy.push_back({.accelerator = accelerator.name,
                            .kind = platform.kinds[accelerator.kind.index()].name,
                            .share = Ratio(run.totals.busy[a], makespan).value_or(0)});
  }
  figures.bandwidth_utilisation =
      Ratio(run.totals.traffic_bytes,
            static_cast<double>(platform.bandwidth) * Seconds(figures.makespan));
}

void AddHandOvers(const FinishedRun& run, RunFigures& figures) {
  const EngineCounters& counters = run.engine.counters();
  figures.hand_overs = {.moves = counters.moves,
                        .take_overs = counters.take_overs,
                        .moved_bytes = counters.moved_bytes,
                        .shares = std::nullopt};
  const double time = static_cast<double>(figures.makespan.count()) *
                      static_cast<double>(run.totals.hand_overs.size());
  if (!(time > 0)) return;
  HandOverShares& shares = figures.hand_overs.shares.emplace();
  for (const HandOverTimes& one : run.totals.hand_overs) {
    shares.boundaries += one.boundaries / time;
    shares.taking_over += one.take_overs / time;
    shares.moving += one.moves / time;
    shares.switching += one.switching / time;
  }
}

void AddPreference(const FinishedRun& run, RunFigures& figures) {
  if (run.truth == nullptr) return;
  const SystemState& state = run.engine.state();
  std::vector<double> requests(state.networks.size());
  for (const LoggedJob& job : run.log.jobs()) {
    if (job.arrival >= run.measured_from) ++requests[job.network.index()];
  }
  figures.work_prefers = PreferredKinds(*run.truth, *state.platform, state.networks, requests);
}

void AddWork(const FinishedRun& run, RunFigures& figures) {
  const EngineCounters& counters = run.engine.counters();
  figures.segments = counters.segments_finished;
  figures.plan_faults = counters.plan_faults;
  const auto segments = static_cast<double>(figures.segments);
  figures.deferrals_per_segment = Ratio(static_cast<double>(counters.deferrals), segments);
  figures.segments_per_second = Ratio(segments, Seconds(figures.wall_time));
  const auto taken = [&times = run.engine.decision_times()](double share) {
    return Duration{static_cast<std::int64_t>(times.Quantile(share))};
  };
  figures.decision = {.p50 = taken(0.5), .p99 = taken(0.99), .max = taken(1)};
}

void AddGuard(const FinishedRun& run, RunFigures& figures) {
  if (!run.guarded) return;
  const GuardBooks& books = run.engine.guard_books();
  figures.guard = {.wrong_plans = books.Strikes(StrikeCause::kWrongPlan),
                   .slow_decisions = books.Strikes(StrikeCause::kSlowDecision),
                   .idle_machine = books.Strikes(StrikeCause::kIdleMachine),
                   .fallbacks = books.fallbacks,
                   .returns = books.returns,
                   .under_fallback = books.UnderFallback(run.totals.end)};
}

}  // namespace

RunFigures ComputeFigures(const FinishedRun& run) {
  RunFigures figures;
  figures.policy = run.policy;
  figures.seed = run.seed;
  figures.makespan = run.totals.end - Instant{};
  figures.interrupted = run.totals.interrupted;
  figures.wall_time = run.wall_time;
  figures.bounds = run.bounds;
  AddPromises(run, figures);
  AddLatencies(run, figures);
  AddMachine(run, figures);
  AddHandOvers(run, figures);
  AddPreference(run, figures);
  AddWork(run, figures);
  AddGuard(run, figures);
  return figures;
}

}  // namespace fairlead
