#include "fairlead/running/quote_trial.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/running/run.h"

namespace fairlead {

namespace {

constexpr double kTailShare = 0.2;
constexpr double kLargestTail = 60;

struct PeriodSlice {
  double requests = 0;
  double hits = 0;
};

// Time is cut as the ledger cuts it (fairness/agreement_history.h).
std::map<std::int64_t, PeriodSlice> SlicesOf(Duration length,
                                             std::span<const JudgedRequest> requests) {
  std::map<std::int64_t, PeriodSlice> slices;
  for (const JudgedRequest& request : requests) {
    PeriodSlice& slice = slices[request.arrival.time_since_epoch() / length];
    ++slice.requests;
    slice.hits += request.hit ? 1 : 0;
  }
  return slices;
}

Chances FromStretches(const std::map<std::int64_t, double>& worst, double grain) {
  Chances chances{.grain = grain};
  for (const auto& [stretch, margin] : worst) chances.margins.push_back(margin);
  return chances;
}

void TakeWorst(std::map<std::int64_t, double>& worst, std::int64_t stretch, double margin) {
  const auto [place, first] = worst.emplace(stretch, margin);
  if (!first) place->second = std::min(place->second, margin);
}

}  // namespace

Chances PeriodChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests) {
  const int in_period = agreement.period_kind == PeriodKind::kSliding ? kSlices : 1;
  const Duration length{(agreement.period->count() + in_period - 1) / in_period};
  const auto slices = SlicesOf(length, requests);
  if (slices.empty()) return {};
  const std::int64_t first = slices.begin()->first;
  const std::int64_t last = slices.rbegin()->first;
  std::map<std::int64_t, double> worst;
  double periods = 0;
  double counted = 0;
  // Periods of several slices are judged from the first whole one on.
  for (std::int64_t end = std::min(first + in_period - 1, last); end <= last; ++end) {
    PeriodSlice sum;
    for (auto one = slices.lower_bound(end - in_period + 1);
         one != slices.end() && one->first <= end; ++one) {
      sum.requests += one->second.requests;
      sum.hits += one->second.hits;
    }
    if (sum.requests == 0) continue;
    ++periods;
    counted += sum.requests;
    TakeWorst(worst, end / in_period, sum.hits / sum.requests - *agreement.target);
  }
  return FromStretches(worst, periods / std::max(counted, 1.0));
}

Chances WindowChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests) {
  const auto window = static_cast<std::size_t>(agreement.window);
  const auto size = static_cast<double>(window);
  std::map<std::int64_t, double> worst;
  int failures = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    failures += requests[i].hit ? 0 : 1;
    if (i >= window) failures -= requests[i - window].hit ? 0 : 1;
    if (i + 1 >= window)
      TakeWorst(worst, static_cast<std::int64_t>(i / window),
                (agreement.max_misses - failures) / size);
  }
  Chances chances = FromStretches(worst, 1 / size);
  chances.step = 1 / size;
  return chances;
}

TailPrediction::TailPrediction(const Chances& seen, double per_traffic)
    : margins_(seen.margins), per_traffic_(per_traffic), step_(seen.step) {
  CHECK(!margins_.empty() && per_traffic > 0);
  std::ranges::sort(margins_);
  const auto count = static_cast<double>(margins_.size());
  tail_ = std::clamp(std::floor(kTailShare * count), 1.0, kLargestTail);
  const auto below = std::min(static_cast<std::size_t>(tail_), margins_.size() - 1);
  threshold_ = margins_[below];
  for (std::size_t i = 0; i < below; ++i) excess_ += (threshold_ - margins_[i]) / tail_;
  excess_ = std::max(excess_, seen.grain);
}

TailPrediction TailPrediction::OfOne(double alike) const {
  TailPrediction one = *this;
  one.per_traffic_ /= alike;
  return one;
}

double TailPrediction::ChanceFallsBelow(double value) const {
  const auto count = static_cast<double>(margins_.size());
  if (value > threshold_) {
    const auto below = std::ranges::lower_bound(margins_, value) - margins_.begin();
    return std::max(tail_, static_cast<double>(below)) / count;
  }
  return tail_ / count * std::pow(1 + (threshold_ - value) / (tail_ * excess_), -tail_);
}

double TailPrediction::FallsBelow(double value) const {
  // Between two multiples of a step it makes no difference where.
  const double chance = std::min(ChanceFallsBelow(value - step_ / 2), 1.0);
  return 1 - std::pow(1 - chance, per_traffic_);
}

namespace {

std::optional<PromiseMargin> TargetMargin(const ServiceAgreement& agreement,
                                          const AgreementFigures& figures) {
  if (!figures.target.has_value()) return std::nullopt;
  const double hit_rate = figures.counts.HitRateOr(*figures.target);
  auto requests = static_cast<double>(figures.counts.ended());
  double rate = hit_rate;
  if (agreement.period.has_value() && figures.periods.has_value() && figures.periods->periods > 0) {
    rate = figures.periods->worst;
    const double overlap = agreement.period_kind == PeriodKind::kSliding ? kSlices : 1;
    requests =
        std::min(requests, overlap * requests / static_cast<double>(figures.periods->periods));
  }
  return PromiseMargin{
      .margin = rate - *figures.target, .share = hit_rate, .grain = 1 / std::max(requests, 1.0)};
}

std::optional<PromiseMargin> WindowMargin(const ServiceAgreement& agreement,
                                          const AgreementFigures& figures) {
  if (agreement.window == 0) return std::nullopt;
  const double window = agreement.window;
  return PromiseMargin{.margin = figures.worst_window - (1 - agreement.max_misses / window),
                       .share = figures.counts.HitRateOr(1),
                       .grain = 1 / window};
}

// What one agreement promises again and again; fewer than twice in a traffic is once.
struct JudgedAgain {
  bool period = false;
  bool window = false;

  bool any() const { return period || window; }
};
JudgedAgain JudgedAgainIn(const World& world, std::size_t a, std::span<const Traffic> traffics) {
  constexpr int kTwice = 2;
  const ServiceAgreement& agreement = world.agreements[a].agreement;
  JudgedAgain again;
  again.period = agreement.target.has_value() && agreement.period.has_value() &&
                 world.scenario.horizon - world.scenario.warm_up >= kTwice * *agreement.period;
  again.window = agreement.window > 0 && std::ranges::all_of(traffics, [&](const Traffic& traffic) {
                   return traffic.counts[a] >= std::int64_t{kTwice} * agreement.window;
                 });
  return again;
}

// By agreement, in order of arrival.
std::vector<std::vector<JudgedRequest>> JudgedRequests(const World& world,
                                                       std::vector<LoggedJob>& jobs) {
  std::ranges::sort(jobs, {}, &LoggedJob::request);
  const Instant measured_from = Instant{} + world.scenario.warm_up;
  std::vector<std::vector<JudgedRequest>> judged(world.agreements.size());
  for (const LoggedJob& job : jobs) {
    if (job.covered && job.arrival >= measured_from)
      judged[job.agreement.index()].push_back({job.arrival, job.outcome == Outcome::kHit});
  }
  return judged;
}

// What a traffic said of promises, taken apart by how often they are judged.
void TakeApart(const World& world, std::span<const JudgedAgain> again, const RunFigures& figures,
               std::vector<LoggedJob>& jobs, Trial& trial) {
  const auto requests = JudgedRequests(world, jobs);
  for (std::size_t a = 0; a < again.size(); ++a) {
    ServiceAgreement once = world.agreements[a].agreement;
    std::vector<Chances>& chances = trial.again.emplace_back();
    if (again[a].period) chances.push_back(PeriodChances(once, requests[a]));
    if (again[a].window) chances.push_back(WindowChances(once, requests[a]));
    AgreementFigures judged = figures.per_agreement[a];
    if (again[a].period) judged.target.reset();
    if (again[a].window) once.window = 0;
    trial.once.push_back(MarginOf(once, judged));
  }
}

}  // namespace

std::optional<PromiseMargin> MarginOf(const ServiceAgreement& agreement,
                                      const AgreementFigures& figures) {
  if (figures.counts.ended() == 0) return std::nullopt;
  const auto by_target = TargetMargin(agreement, figures);
  const auto by_window = WindowMargin(agreement, figures);
  if (!by_target.has_value()) return by_window;
  if (!by_window.has_value() || by_target->margin < by_window->margin) return by_target;
  return by_window;
}

std::optional<std::size_t> Trial::WorstAgreement() const {
  std::optional<std::size_t> worst;
  for (std::size_t a = 0; a < margins.size(); ++a) {
    if (!margins[a].has_value()) continue;
    if (!worst.has_value() || margins[a]->margin < margins[*worst]->margin) worst = a;
  }
  return worst;
}

std::optional<PromiseMargin> Trial::Worst() const {
  const auto worst = WorstAgreement();
  return worst.has_value() ? margins[*worst] : std::nullopt;
}

bool Trial::Broken() const {
  const auto worst = Worst();
  return worst.has_value() && worst->margin < 0;
}

Result<std::vector<Trial>> RunTrials(const World& world, const TrialPlan& plan,
                                     std::span<const Traffic> traffics) {
  std::vector<JudgedAgain> again;
  for (std::size_t a = 0; a < world.agreements.size(); ++a)
    again.push_back(JudgedAgainIn(world, a, traffics));
  const bool apart = std::ranges::any_of(again, &JudgedAgain::any);
  std::vector<std::vector<LoggedJob>> jobs(traffics.size());
  RunPlan runs{.threads = plan.threads, .progressed = plan.progressed};
  if (apart)
    runs.open = [&](std::size_t run) -> Result<RunOutputs> {
      return RunOutputs{.jobs = &jobs[run]};
    };
  for (const Traffic& traffic : traffics)
    runs.specs.push_back({.policy = plan.policy, .seed = traffic.seed, .bounds = false});
  ASSIGN_OR_RETURN(const auto figures, RunAll(world, runs));
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < traffics.size(); ++i) {
    Trial trial{.seed = traffics[i].seed, .weight = traffics[i].weight, .margins = {}};
    for (std::size_t a = 0; a < world.agreements.size(); ++a) {
      trial.margins.push_back(MarginOf(world.agreements[a].agreement, figures[i].per_agreement[a]));
    }
    if (apart) TakeApart(world, again, figures[i], jobs[i], trial);
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace fairlead
