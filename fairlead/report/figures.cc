#include "fairlead/report/figures.h"

#include <algorithm>

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

namespace {

// How one agreement fares, or one tenant with all its agreements.
struct Standing {
  double rate = 1;
  double worst_window = 1;
  std::optional<double> shortfall;   // target minus rate: positive when not met
  std::optional<bool> windows_kept;  // none: no such promise

  bool promised() const { return shortfall.has_value() || windows_kept.has_value(); }
  bool met() const { return shortfall.value_or(0) <= 0 && windows_kept.value_or(true); }
};

Standing StandingOf(const FairnessLedger& ledger, AgreementId id) {
  Standing standing{.rate = ledger.MeasuredRate(id), .worst_window = ledger.WorstWindow(id)};
  const ServiceAgreement& promise = ledger.Promise(id);
  if (promise.target.has_value()) {
    const std::optional<PeriodVerdicts> periods = ledger.Periods(id);
    const bool judged = periods.has_value() && periods->periods > 0;
    standing.shortfall = *promise.target - (judged ? periods->worst : standing.rate);
  }
  if (promise.window > 0) standing.windows_kept = ledger.Violations(id) == 0;
  return standing;
}

Standing StandingOf(const AgreementFigures& agreement) {
  Standing standing{.rate = agreement.hit_rate, .worst_window = agreement.worst_window};
  if (agreement.target.has_value()) {
    const bool judged = agreement.periods.has_value() && agreement.periods->periods > 0;
    standing.shortfall = *agreement.target - (judged ? agreement.periods->worst : standing.rate);
  }
  if (agreement.window > 0) standing.windows_kept = agreement.window_violations == 0;
  return standing;
}

void TakeWorst(Standing& standing, const Standing& other) {
  standing.rate = std::min(standing.rate, other.rate);
  standing.worst_window = std::min(standing.worst_window, other.worst_window);
  if (other.windows_kept.has_value())
    standing.windows_kept = standing.windows_kept.value_or(true) && *other.windows_kept;
  if (!other.shortfall.has_value()) return;
  standing.shortfall = std::max(standing.shortfall.value_or(*other.shortfall), *other.shortfall);
}

RateFigures SumUp(std::span<const Standing> standings) {
  RateFigures figures;
  std::vector<double> rates;
  double promised = 0;
  double met = 0;
  double targets = 0;
  double below = 0;
  double missing = 0;
  for (const Standing& standing : standings) {
    rates.push_back(standing.rate);
    figures.worst_window =
        std::min(figures.worst_window.value_or(standing.worst_window), standing.worst_window);
    if (standing.promised()) ++promised;
    if (standing.promised() && standing.met()) ++met;
    if (standing.shortfall.has_value()) ++targets;
    if (standing.shortfall.value_or(0) <= 0) continue;
    ++below;
    missing += *standing.shortfall;
  }
  figures.rates = Describe(rates);
  if (promised > 0) figures.met_share = met / promised;
  if (targets > 0) figures.mean_shortfall = below > 0 ? missing / below : 0;
  return figures;
}

SacrificeFigures SacrificesOf(const SacrificeBooks& books, Instant end) {
  SacrificeFigures figures{.times = books.times, .counts = books.ended};
  if (end > Instant{}) figures.share = Seconds(books.Time(end)) / Seconds(end - Instant{});
  return figures;
}

}  // namespace

LossFigures& LossFigures::operator+=(const LossFigures& other) {
  late += other.late;
  for (std::size_t r = 0; r < given_up.size(); ++r) given_up[r] += other.given_up[r];
  return *this;
}

std::optional<bool> AgreementFigures::Kept() const {
  const Standing standing = StandingOf(*this);
  return standing.promised() ? std::optional(standing.met()) : std::nullopt;
}

std::vector<AgreementFigures> DescribeAgreements(const FairnessLedger& ledger,
                                                 std::span<const Tenant> tenants,
                                                 std::span<const NetworkGraph> networks,
                                                 Instant end) {
  std::vector<AgreementFigures> list;
  list.reserve(ledger.size());
  for (std::size_t a = 0; a < ledger.size(); ++a) {
    const AgreementId id{a};
    const ServiceAgreement& promise = ledger.Promise(id);
    AgreementFigures figures{.tenant = tenants[promise.tenant.index()].name,
                             .network = networks[promise.network.index()].name(),
                             .target = promise.target,
                             .window = promise.window,
                             .max_misses = promise.max_misses,
                             .floor = promise.floor,
                             .counts = ledger.Measured(id),
                             .uncovered = ledger.Uncovered(id),
                             .hit_rate = ledger.MeasuredRate(id),
                             .worst_window = ledger.WorstWindow(id),
                             .window_violations = ledger.Violations(id),
                             .periods = ledger.Periods(id),
                             .sacrificed = SacrificesOf(ledger.Sacrifices(id), end)};
    const std::int64_t hits = figures.counts.hits() + figures.uncovered.hits();
    figures.revenue = promise.price * static_cast<double>(hits) -
                      promise.penalty * static_cast<double>(figures.counts.failures());
    if (promise.target.has_value()) {
      const std::int64_t failures = figures.counts.failures();
      figures.claim = JudgeClaim(figures.counts.hits(), failures, *promise.target);
      figures.requests_needed = RequestsNeeded(*promise.target, failures);
    }
    list.push_back(std::move(figures));
  }
  return list;
}

RateFigures RatesOfAgreements(const FairnessLedger& ledger) {
  std::vector<Standing> standings;
  for (std::size_t a = 0; a < ledger.size(); ++a)
    standings.push_back(StandingOf(ledger, AgreementId{a}));
  return SumUp(standings);
}

RateFigures RatesOf(std::span<const AgreementFigures* const> agreements) {
  std::vector<Standing> standings;
  for (const AgreementFigures* agreement : agreements) standings.push_back(StandingOf(*agreement));
  return SumUp(standings);
}

RateFigures RatesOfTenants(const FairnessLedger& ledger) {
  std::vector<std::optional<Standing>> by_tenant;
  for (std::size_t a = 0; a < ledger.size(); ++a) {
    const AgreementId id{a};
    const std::size_t tenant = ledger.Promise(id).tenant.index();
    if (by_tenant.size() <= tenant) by_tenant.resize(tenant + 1);
    if (!by_tenant[tenant].has_value()) by_tenant[tenant].emplace();
    TakeWorst(*by_tenant[tenant], StandingOf(ledger, id));
  }
  std::vector<Standing> standings;
  for (const std::optional<Standing>& standing : by_tenant) {
    if (standing.has_value()) standings.push_back(*standing);
  }
  return SumUp(standings);
}

namespace {

struct Preference {
  KindId kind;         // invalid where none is clearly faster
  Duration latency{};  // where it is least
};

Preference PreferenceOf(std::span<const Duration> latencies, std::span<const int> accelerators) {
  KindId best;
  Duration second = CostTable::kCannotRun;
  for (std::size_t k = 0; k < latencies.size(); ++k) {
    if (accelerators[k] == 0 || latencies[k] == CostTable::kCannotRun) continue;
    if (!best.valid() || latencies[k] < latencies[best.index()]) {
      if (best.valid()) second = latencies[best.index()];
      best = KindId{k};
    } else {
      second = std::min(second, latencies[k]);
    }
  }
  if (!best.valid()) return {};
  const Duration least = latencies[best.index()];
  const bool clear =
      second == CostTable::kCannotRun ||
      static_cast<double>(second.count()) / static_cast<double>(least.count()) >= kClearlyFaster;
  return {.kind = clear ? best : KindId{}, .latency = least};
}

}  // namespace

std::vector<KindShare> BusyByKind(std::span<const BusyShare> busy) {
  std::vector<KindShare> kinds;
  std::vector<double> counts;
  for (const BusyShare& one : busy) {
    auto found = std::ranges::find(kinds, one.kind, &KindShare::kind);
    if (found == kinds.end()) {
      found = kinds.insert(found, {.kind = one.kind});
      counts.push_back(0);
    }
    found->share += one.share;
    ++counts[static_cast<std::size_t>(found - kinds.begin())];
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k].share /= counts[k];
  return kinds;
}

std::optional<WorkPreference> PreferredKinds(const CostTable& costs, const Platform& platform,
                                             std::span<const NetworkGraph> networks,
                                             std::span<const double> requests) {
  const std::vector<int> accelerators = platform.CountByKind();
  WorkPreference preference;
  for (const AcceleratorKind& kind : platform.kinds)
    preference.kinds.push_back({.kind = kind.name});
  double total = 0;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    for (std::size_t s = 0; s < networks[n].size(); ++s) {
      const Preference preferred =
          PreferenceOf(costs.LatenciesAlone(NetworkId{n}, SegmentId{s}), accelerators);
      const double work = requests[n] * static_cast<double>(preferred.latency.count());
      (preferred.kind.valid() ? preference.kinds[preferred.kind.index()].share
                              : preference.undecided) += work;
      total += work;
    }
  }
  if (!(total > 0)) return std::nullopt;
  for (KindShare& kind : preference.kinds) kind.share /= total;
  preference.undecided /= total;
  return preference;
}

}  // namespace fairlead
