#include "fairlead/report/agreement_figures.h"

#include <algorithm>

namespace fairlead {
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

}  // namespace fairlead
