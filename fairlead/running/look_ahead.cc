#include "fairlead/running/look_ahead.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <numbers>
#include <utility>
#include <variant>

#include "fairlead/domain/tenant.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kLeastToJudge = 32;  // requests
constexpr std::size_t kRepeats = 4;
constexpr double kPeriods = 4;  // so many of them are to be kept, one after another
constexpr Duration kPerSegment = std::chrono::microseconds(1);  // to simulate it

// How likely a promise is kept by who got so many hits of so many.
double ChanceOfTarget(double hits, double ended, double share) {
  const double width = std::sqrt(share * (1 - share) / ended) + 0.5 / ended + 0.002;
  return 0.5 * std::erfc((share - hits / ended) / width / std::numbers::sqrt2);
}

std::optional<LookAheadOptions> OptionsOfPolicy(std::string_view spec) {
  auto choice = ChoosePolicy(spec);
  return choice.has_value() ? std::move(choice->look_ahead) : std::nullopt;
}

}  // namespace

struct LookAhead::Question {
  const Platform* platform;
  std::vector<NetworkGraph> networks;
  CostTable beliefs;
  std::vector<Tenant> tenants;
  std::vector<ServiceAgreement> agreements;
  std::vector<AgreementHistory> books;
  std::vector<bool> open;  // by agreement
  std::vector<OutcomeCounts> counts;
  std::vector<std::int64_t> violations;
  std::vector<PeriodVerdicts> verdicts;
  std::vector<AcceleratorId> away;
  std::vector<Request> requests;
  std::vector<std::string> policies;  // the one in charge is the first
  double margin;

  struct Foreseen {
    double score = 0;
    std::uint64_t segments = 0;
  };
  Result<Foreseen> Under(const std::string& policy, const Setup& setup,
                         const std::stop_token& stop) const;
  double ScoreOf(const FairnessLedger& after) const;
};

LookAhead::LookAhead(Setup setup) : setup_(std::move(setup)) {
  setup_.engine.measured_from = {};
  setup_.engine.wrong_plan = WrongPlan::kSkip;
  Choose(setup_.policy);
}

LookAhead::~LookAhead() {
  stop_.request_stop();
  if (under_way_.valid()) under_way_.wait();  // it uses what is about to go
}

void LookAhead::Choose(std::string_view policy) {
  options_ = setup_.options_of(policy);
  recent_.clear();
  seen_ = 0;
  due_ = 0;
  judged_at_ = kNever;
  judged_.clear();
  if (options_.has_value()) in_charge_ = options_->policies.front();
}

void LookAhead::NoteInput(const Input& input) {
  if (const auto* const change = std::get_if<PolicyChange>(&input)) {
    if (!options_.has_value() || change->policy != in_charge_) Choose(change->policy);
  } else if (const auto* const arrival = std::get_if<Arrival>(&input);
             arrival != nullptr && options_.has_value()) {
    recent_.push_back(arrival->request);
    if (recent_.size() > options_->most) recent_.pop_front();
    ++seen_;
  }
}

std::optional<std::string> LookAhead::Advise(const SchedulingEngine& engine) {
  if (under_way_.valid()) {
    if (!done_) return {};
    return TakeOver(under_way_.get().policy);
  }
  const Instant now = engine.state().now;
  if (judged_at_ <= now) {
    judged_at_ = kNever;
    return TakeOver(std::exchange(judged_, {}));
  }
  if (!options_.has_value() || judged_at_ != kNever) return {};
  due_ = std::max({due_, kLeastToJudge, std::uint64_t{engine.state().ledger.size()}});
  if (seen_ < due_) return {};
  due_ = seen_ + std::min<std::uint64_t>(seen_, options_->most);
  std::shared_ptr<const Question> question = Ask(engine);
  if (setup_.judges == Judges::kOnAThread) {
    done_ = false;
    under_way_ = std::async(std::launch::async, [this, question] {
      Judgement judgement{.policy = question->policies.front()};
      try {
        judgement = Judge(*question);
      } catch (const std::exception&) {  // no memory, or a policy that throws: nothing changes
      }
      done_ = true;
      return judgement;
    });
    return {};
  }
  Judgement judgement = Judge(*question);
  judged_ = std::move(judgement.policy);
  judged_at_ = now + kPerSegment * static_cast<std::int64_t>(judgement.segments + 1);
  return {};
}

// Somebody may have chosen another policy meanwhile.
std::optional<std::string> LookAhead::TakeOver(std::string policy) {
  if (!options_.has_value() || policy == in_charge_ ||
      std::ranges::find(options_->policies, policy) == options_->policies.end())
    return {};
  return in_charge_ = std::move(policy);
}

std::shared_ptr<const LookAhead::Question> LookAhead::Ask(const SchedulingEngine& engine) const {
  const SystemState& state = engine.state();
  auto question = std::make_shared<Question>(
      Question{.platform = state.platform,
               .networks = {state.networks.begin(), state.networks.end()},
               .beliefs = *state.beliefs,
               .tenants = state.tenants,
               .policies = {in_charge_},
               .margin = options_->margin});
  for (const std::string& policy : options_->policies) {
    if (policy != in_charge_) question->policies.push_back(policy);
  }
  for (std::size_t a = 0; a < state.ledger.size(); ++a) {
    const AgreementId id{a};
    question->agreements.push_back(state.ledger.Promise(id));
    question->books.push_back(state.ledger.History(id));
    question->open.push_back(state.ledger.IsOpen(id));
    question->counts.push_back(state.ledger.Current(id));
    question->violations.push_back(state.ledger.Violations(id));
    question->verdicts.push_back(state.ledger.Periods(id).value_or(PeriodVerdicts{}));
  }
  for (std::size_t a = 0; a < state.accelerators.size(); ++a) {
    if (!state.accelerators[a].online) question->away.push_back(AcceleratorId{a});
  }
  // Live, who arrived first may have been read last.
  std::vector<Request> recent(recent_.begin(), recent_.end());
  std::ranges::stable_sort(recent, {}, &Request::arrival);
  const Instant first = recent.front().arrival;
  const std::size_t times = std::clamp<std::size_t>(options_->most / recent.size(), 1, kRepeats);
  question->requests.reserve(times * recent.size());
  for (std::size_t t = 0; t < times; ++t) {
    const Duration later =
        static_cast<std::int64_t>(t) * (std::max(state.now, recent.back().arrival) - first);
    for (Request request : recent) {
      request.arrival = Instant{} + (request.arrival - first) + later;
      request.number = question->requests.size();
      question->requests.push_back(request);
    }
  }
  return question;
}

LookAhead::Judgement LookAhead::Judge(const Question& question) const {
  Judgement judgement{.policy = question.policies.front()};
  double best = 0;
  for (const std::string& policy : question.policies) {
    const bool first = policy == question.policies.front();
    const auto foreseen = question.Under(policy, setup_, stop_.get_token());
    if (stop_.stop_requested()) break;
    if (!foreseen.has_value()) continue;  // it cannot run in this world
    judgement.segments += foreseen->segments;
    if (first) {
      best = foreseen->score + question.margin;
    } else if (foreseen->score > best) {
      best = foreseen->score;
      judgement.policy = policy;
    }
  }
  return judgement;
}

Result<LookAhead::Question::Foreseen> LookAhead::Question::Under(
    const std::string& policy, const Setup& setup, const std::stop_token& stop) const {
  ASSIGN_OR_RETURN(auto made, setup.policies(policy));
  const auto interference = setup.interference();
  ListedRequests source(requests);
  SimulationSetup simulation;
  simulation.world = {.platform = platform,
                      .networks = networks,
                      .beliefs = &beliefs,
                      .tenants = tenants,
                      .agreements = agreements};
  simulation.engine = setup.engine;
  simulation.truth = &beliefs;
  simulation.requests = &source;
  simulation.interference = interference.get();
  simulation.stop = stop;
  for (std::size_t a = 0; a < books.size(); ++a)
    simulation.timeline.push_back({Instant{}, AgreementContinue{AgreementId{a}, books[a]}});
  for (const AcceleratorId id : away)
    simulation.timeline.push_back({Instant{}, AcceleratorLoss{id}});
  Simulator simulator(std::move(simulation), std::move(made));
  RETURN_IF_ERROR(simulator.Run());
  return Foreseen{.score = ScoreOf(simulator.engine().state().ledger),
                  .segments = simulator.engine().counters().segments_finished};
}

double LookAhead::Question::ScoreOf(const FairnessLedger& after) const {
  double promises = 0;
  double kept = 0;
  double hits = 0;  // that are foreseen
  double ended = 0;
  for (std::size_t a = 0; a < agreements.size(); ++a) {
    if (!open[a]) continue;
    const AgreementId id{a};
    const OutcomeCounts& then = after.Current(id);
    const auto more = static_cast<double>(then.ended() - counts[a].ended());
    hits += static_cast<double>(then.hits() - counts[a].hits());
    ended += more;
    if (!agreements[a].IsPromised()) continue;
    promises += 1;
    double chance = 1;
    const auto share = PromisedShare(agreements[a]);
    const auto periods = after.Periods(id);
    const auto judged =
        periods.has_value() ? static_cast<double>(periods->periods - verdicts[a].periods) : 0;
    if (judged > 0) {
      chance = std::pow(static_cast<double>(periods->kept - verdicts[a].kept) / judged, kPeriods);
    } else if (periods.has_value() && more > 0) {
      chance = ChanceOfTarget(static_cast<double>(then.hits() - counts[a].hits()), more, share);
    } else if (then.ended() > 0) {
      chance = ChanceOfTarget(static_cast<double>(then.hits()), static_cast<double>(then.ended()),
                              share);
    }
    // What is broken in a simulation is broken soon, or sooner.
    if (const auto broken = static_cast<double>(after.Violations(id) - violations[a]); broken > 0)
      chance *= 0.5 * std::exp(-20 * broken / std::max(more, 20.0));
    kept += chance;
  }
  return (kept + (ended > 0 ? hits / ended : 0)) / (promises + 1);
}

bool MayLookAhead(std::string_view policy, std::span<const TimedInput> timeline) {
  return OptionsOfPolicy(policy).has_value() ||
         std::ranges::any_of(timeline, [](const TimedInput& timed) {
           const auto* const change = std::get_if<PolicyChange>(&timed.input);
           return change != nullptr && OptionsOfPolicy(change->policy).has_value();
         });
}

std::unique_ptr<LookAhead> MakeLookAhead(
    std::string policy, const RunSetup& setup, LookAhead::Judges judges,
    std::function<std::unique_ptr<InterferenceModel>()> interference, std::uint64_t seed) {
  const auto make = [seed, platform = setup.world.platform](std::string_view spec) {
    return MakePolicy(spec, {.seed = seed, .platform = platform});
  };
  return std::make_unique<LookAhead>(LookAhead::Setup{.policy = std::move(policy),
                                                      .options_of = &OptionsOfPolicy,
                                                      .policies = make,
                                                      .interference = std::move(interference),
                                                      .engine = setup.engine,
                                                      .judges = judges});
}

}  // namespace fairlead
