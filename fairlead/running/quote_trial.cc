#include "fairlead/running/quote_trial.h"

#include <algorithm>
#include <utility>

#include "fairlead/report/outcome_log.h"
#include "fairlead/running/run.h"

namespace fairlead {
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
