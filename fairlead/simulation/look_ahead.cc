#include "fairlead/simulation/look_ahead.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fairlead/domain/promised_share.h"

namespace fairlead {

LookAhead::LookAhead(LookAheadOptions options, EngineOptions engine,
                     SchedulingEngine::PolicyFactory policies, MakeInterference interference)
    : options_(std::move(options)),
      engine_(engine),
      policies_(std::move(policies)),
      interference_(std::move(interference)),
      current_(options_.policies.front()) {
  engine_.measured_from = {};
  engine_.wrong_plan = WrongPlan::kSkip;
  if (const char* v = getenv("LA_FIRST")) options_.first = atof(v);
  if (const char* v = getenv("LA_GROWTH")) options_.growth = atof(v);
  if (const char* v = getenv("LA_MARGIN")) options_.margin = atof(v);
  if (const char* v = getenv("LA_POLICIES")) {
    options_.policies.clear();
    std::string s = v;
    for (std::size_t p = 0; p < s.size();) {
      std::size_t e = s.find(',', p);
      if (e == std::string::npos) e = s.size();
      options_.policies.push_back(s.substr(p, e - p));
      p = e + 1;
    }
  }
}

void LookAhead::NoteInput(const Input& input, const SchedulingEngine& engine) {
  if (const auto* arrival = std::get_if<Arrival>(&input)) {
    recent_.push_back(arrival->request);
    if (recent_.size() > options_.window) recent_.pop_front();
    ++seen_;
    if (due_ == 0)
      due_ = static_cast<std::uint64_t>(options_.first * double(engine.state().ledger.size()));
  }
}

std::optional<std::string> LookAhead::Advise(const SchedulingEngine& engine) {
  const SystemState& state = engine.state();
  if (apply_at_ <= state.now) {
    apply_at_ = kNever;
    if (next_ != current_) return current_ = next_;
    return std::nullopt;
  }
  if (due_ == 0 || seen_ < due_ || apply_at_ != kNever) return std::nullopt;
  due_ = seen_ + static_cast<std::uint64_t>(
                     std::max(options_.growth * double(seen_), 1.0));
  due_ = std::min<std::uint64_t>(due_, seen_ + options_.window);
  double best = Score(engine, current_) + options_.margin;
  next_ = current_;
  for (const std::string& policy : options_.policies) {
    if (policy == current_) continue;
    const double score = Score(engine, policy);
    if (score > best) {
      best = score;
      next_ = policy;
    }
  }
  if (getenv("LA_DEBUG")) fprintf(stderr, "%.3f s: %s -> %s\n", Seconds(state.now - Instant{}), current_.c_str(), next_.c_str());
  apply_at_ = state.now + std::chrono::milliseconds(1);
  return std::nullopt;
}

double LookAhead::Score(const SchedulingEngine& engine, const std::string& name) {
  const SystemState& state = engine.state();
  SimulationSetup setup;
  setup.world = {.platform = state.platform,
                 .networks = state.networks,
                 .beliefs = state.beliefs,
                 .tenants = state.tenants};
  setup.engine = engine_;
  setup.truth = state.beliefs;
  const auto interference = interference_();
  setup.interference = interference.get();
  for (std::size_t a = 0; a < state.ledger.size(); ++a) {
    setup.world.agreements.push_back(state.ledger.Promise(AgreementId{a}));
    setup.timeline.push_back(
        {Instant{}, AgreementContinue{AgreementId{a}, state.ledger.History(AgreementId{a})}});
  }
  for (std::size_t a = 0; a < state.accelerators.size(); ++a) {
    if (!state.accelerators[a].online)
      setup.timeline.push_back({Instant{}, AcceleratorLoss{AcceleratorId{a}}});
  }
  static const double kRepeat = getenv("LA_REPEAT") ? atof(getenv("LA_REPEAT")) : 4;
  static const double kMost = getenv("LA_MOST") ? atof(getenv("LA_MOST")) : 8192;
  const double size = double(recent_.size());
  const int times = int(std::max(1.0, std::min(kRepeat, kMost / size)));
  const Duration span = state.now - recent_.front().arrival;
  const Duration shift = recent_.front().arrival - Instant{} - std::chrono::milliseconds(1);
  std::vector<Request> requests;
  for (int t = 0; t < times; ++t) {
    for (Request request : recent_) {
      request.arrival += t * span - shift;
      request.number = requests.size();
      requests.push_back(request);
    }
  }
  ListedRequests source(std::move(requests));
  setup.requests = &source;
  setup.policies = policies_;
  auto policy = policies_(name);
  if (!policy.has_value()) return -1;
  Simulator simulator(std::move(setup), std::move(*policy));
  if (!simulator.Run().has_value()) return -1;
  const FairnessLedger& after = simulator.engine().state().ledger;
  double score = 0;
  double hits_all = 0;
  double ended_all = 0;
  double promises = 0;
  for (std::size_t a = 0; a < after.size(); ++a) {
    const AgreementId id{a};
    if (!state.ledger.IsOpen(id)) continue;
    const OutcomeCounts& then = after.Current(id);
    const OutcomeCounts& now = state.ledger.Current(id);
    hits_all += double(then.hits() - now.hits());
    ended_all += double(then.ended() - now.ended());
    const ServiceAgreement& promise = state.ledger.Promise(id);
    if (!promise.IsPromised()) continue;
    promises += 1;
    if (then.ended() == 0) {
      score += 1;
      continue;
    }
    const double n = double(then.ended());
    const double target = PromisedShare(promise);
    const double rate = double(then.hits()) / n;
    const double width = std::sqrt(target * (1 - target) / n) + 0.5 / n + 0.002;
    double kept = 0.5 * std::erfc(-(rate - target) / width / std::sqrt(2.0));
    if (promise.window > 0) {
      const auto broken = double(after.Violations(id) - state.ledger.Violations(id));
      kept *= std::exp(-broken / std::max(1.0, 0.05 * double(then.ended() - now.ended())));
      if (broken > 0) kept *= 0.5;
    }
    score += kept;
  }
  const double hit_rate = ended_all > 0 ? hits_all / ended_all : 0;
  if (getenv("LA_DEBUG")) fprintf(stderr, "   %s %.2f of %.0f, %.3f\n", name.c_str(), score, promises, hit_rate);
  return score + hit_rate;
}

}  // namespace fairlead
