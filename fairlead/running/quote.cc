#include "fairlead/running/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fairlead/domain/tenant.h"
#include "fairlead/running/quote_evidence.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/running/quote_world.h"

namespace fairlead {

namespace {

double Points(double share) { return 100 * share; }

std::size_t PromisesIn(const QuoteResults& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results.agreements,
      [](const QuotedAgreement& agreement) { return agreement.promised.has_value(); }));
}

// The trial on which most is missing.
const QuoteTrial& WorstOf(const std::vector<QuoteTrial>& trials) {
  return *std::ranges::min_element(trials, {},
                                   [](const QuoteTrial& trial) { return trial.worst.value_or(1); });
}

std::string NameOf(const QuotedAgreement& agreement) {
  return agreement.tenant + " " + agreement.network;
}

std::string Broken(const QuoteResults& results) {
  const QuoteTrial& trial = WorstOf(results.trials);
  return fmt::format(
      "{} of {} promises are broken on the simulated traffic of seed {}{}, the "
      "worst by {:.1f} points: {}",
      trial.broken, PromisesIn(results), trial.seed,
      trial.heavy ? ", than which at most 1 % of those drawn are heavier" : "",
      -Points(trial.worst.value_or(0)),
      trial.worst_agreement.has_value() ? NameOf(results.agreements[*trial.worst_agreement]) : "");
}

// Who may break on a new traffic: the nearest to it first, three at most.
std::string WhoMayBreak(const QuoteResults& results) {
  std::vector<const QuotedAgreement*> list;
  for (const QuotedAgreement& agreement : results.agreements) {
    if (agreement.breaks) list.push_back(&agreement);
  }
  std::ranges::stable_sort(
      list, {}, [](const QuotedAgreement* agreement) { return agreement->margin.value_or(0); });
  constexpr std::size_t kMostNames = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(list.size(), kMostNames); ++i)
    names += (i == 0 ? "" : ", ") + NameOf(*list[i]);
  if (list.size() > kMostNames) names += fmt::format(" and {} more", list.size() - kMostNames);
  return names;
}

}  // namespace

std::string ReasonOf(const QuoteResults& results, const Evidence& evidence) {
  const double percent = Points(results.confidence);
  switch (evidence.verdict) {
    case Verdict::kProvablyNot:
      return fmt::format(
          "no schedule whatever keeps all promises on the traffic of seed {}, than which at most "
          "1 % of {} drawn are heavier: what must be served is more than the platform carries (the "
          "fluid "
          "bound)",
          results.trials.front().seed, results.drawn);
    case Verdict::kBroken: return Broken(results);
    case Verdict::kUncertain:
      return fmt::format(
          "kept on all {} simulated traffics, but on a new one not with {:.0f} % confidence: the "
          "worst promise may lack {:.1f} points ({})",
          results.trials.size(), percent, -Points(results.worst_margin.value_or(0)),
          WhoMayBreak(results));
    case Verdict::kKeeps:
      return fmt::format(
          "all {} promises are kept on a new traffic with {:.0f} % confidence, by at least {:.1f} "
          "points; on the {} simulated ones, two of the heaviest of {} among them, by {:.1f} at "
          "least",
          PromisesIn(results), percent, Points(results.worst_margin.value_or(0)),
          results.trials.size(), results.drawn, Points(WorstOf(results.trials).worst.value_or(0)));
  }
  return {};
}

std::string AlreadyBroken(const std::vector<Trial>& without) {
  const auto worst = std::ranges::min_element(without, {}, [](const Trial& trial) {
    return trial.Worst().value_or(PromiseMargin{}).margin;
  });
  std::size_t promises = 0;
  std::size_t broken = 0;
  for (const std::optional<PromiseMargin>& margin : worst->margins) {
    if (!margin.has_value()) continue;
    ++promises;
    if (margin->margin < 0) ++broken;
  }
  return fmt::format(
      "not even what is there is kept: without it {} of {} promises are broken on the traffic of "
      "seed {}, the worst by {:.1f} points",
      broken, promises, worst->seed, -Points(worst->Worst()->margin));
}

namespace {

constexpr double kLeastRateShare = 0.05;  // less is no offer
constexpr double kLeastTarget = 0.05;
constexpr double kRateGrain = 0.02;  // of the rate asked for: what is offered may lack so much
constexpr double kTargetGrain = 0.005;
constexpr double kTargetStep = 0.001;  // targets are offered in tenths of a percent
constexpr double kCaution = 0.97;      // of where a line crosses 0

// The largest value that is kept, where `fails` is not.
struct Interval {
  double least = 0;
  double fails = 1;
  double guess = 0.5;
  double grain = 0;
  int tries = 0;
};
Result<std::optional<double>> LargestKept(const Interval& interval,
                                          const std::function<Result<bool>(double)>& keeps) {
  std::optional<double> kept;
  double fails = interval.fails;
  double next = std::clamp(interval.guess, interval.least, fails - interval.grain);
  for (int halved = 0; halved < interval.tries;) {
    ASSIGN_OR_RETURN(const bool holds, keeps(next));
    if (holds) {
      kept = next;
    } else {
      fails = next;
    }
    if (fails - kept.value_or(interval.least) <= interval.grain) break;
    if (kept.has_value()) ++halved;
    // As long as nothing is kept, twice as far from what was asked for.
    next = kept.has_value() ? (*kept + fails) / 2
                            : std::max(interval.least, 2 * fails - interval.fails);
  }
  return kept;
}

class OfferFinder {
 public:
  explicit OfferFinder(const OfferSearch& search) : search_(search) {}

  Result<std::optional<double>> RateShare() {
    return LargestKept({.least = kLeastRateShare,
                        .fails = 1,
                        .guess = kCaution * GuessedRateShare(),
                        .grain = kRateGrain,
                        .tries = search_.tries},
                       [this](double share) {
                         return search_.keeps(WithRates(search_.world, search_.asked, share));
                       });
  }

  Result<std::optional<double>> TargetChange() {
    const double lowest = LowestTarget();
    if (lowest < kLeastTarget + 2 * kTargetGrain) return std::optional<double>{};
    ASSIGN_OR_RETURN(const auto change,
                     LargestKept({.least = kLeastTarget - lowest,
                                  .fails = 0,
                                  .guess = -Shortfall(),
                                  .grain = kTargetGrain,
                                  .tries = search_.tries},
                                 [this](double by) {
                                   return search_.keeps(WithLowerTargets(
                                       search_.world, search_.asked, -InSteps(by)));
                                 }));
    if (!change.has_value()) return change;
    return std::optional(InSteps(*change));
  }

 private:
  static double InSteps(double change) { return std::floor(change / kTargetStep) * kTargetStep; }

  // The margin falls with the rate, from what it is without them. Where all rates change, shares
  // are inverse to them past capacity.
  double GuessedRateShare() const {
    const double margin = MarginOfAll();
    const double without = search_.before.value_or(MeanShare());
    if (!search_.before.has_value()) {
      const double inverse = (MeanShare() + margin) / MeanShare();
      if (inverse > 0 && inverse < 1) return inverse;
    }
    return without > margin ? without / (without - margin) : 1;
  }

  double MarginOfAll() const {
    double worst = 1;
    for (const Trial& trial : search_.trials) {
      if (const auto margin = trial.Worst(); margin.has_value())
        worst = std::min(worst, margin->margin);
    }
    return worst;
  }

  double MeanShare() const {
    double sum = 0;
    for (const PlannedAgreement& planned : search_.world.agreements)
      sum += PromisedShare(planned.agreement);
    return sum / static_cast<double>(search_.world.agreements.size());
  }

  double LowestTarget() const {
    double lowest = 1;
    for (std::size_t a : search_.asked)
      lowest = std::min(lowest, search_.world.agreements[a].agreement.target.value_or(0));
    return lowest;
  }

  bool Asked(std::size_t a) const {
    return std::ranges::find(search_.asked, a) != search_.asked.end();
  }

  // What they lack themselves; and what all others lack together, per request of theirs.
  double Shortfall() const {
    double own = 1;  // what is left beyond what is needed
    double others = 0;
    for (const Trial& trial : search_.trials) {
      double lacking = 0;
      double rate_of_asked = 0;
      for (std::size_t a = 0; a < trial.margins.size(); ++a) {
        const double rate = RateOf(search_.world.agreements[a]);
        if (Asked(a)) rate_of_asked += rate;
        if (!trial.margins[a].has_value()) continue;
        const double margin = trial.margins[a]->margin;
        if (Asked(a)) own = std::min(own, margin);
        if (!Asked(a)) lacking += std::max(0.0, -margin) * rate;
      }
      others = std::max(others, lacking / rate_of_asked);
    }
    return std::max(0.0, -own) + others + kTargetGrain;
  }

  const OfferSearch& search_;
};

}  // namespace

Result<QuoteOffer> FindOffer(const OfferSearch& search) {
  OfferFinder finder(search);
  QuoteOffer offer;
  ASSIGN_OR_RETURN(offer.rate_share, finder.RateShare());
  ASSIGN_OR_RETURN(offer.target_change, finder.TargetChange());
  return offer;
}

namespace {

constexpr int kThorough = 20;   // traffics
constexpr int kOfferTries = 3;  // judgements of rates from the first that holds on; of targets too
constexpr int kThoroughOfferTries = 7;

struct Question {
  World before;  // without what is asked for; the same world if that is all
  World world;
  std::vector<std::size_t> asked;   // agreements of `world`
  std::vector<std::size_t> others;  // those of `before`, if they are not what is asked for
};

Result<Question> Ask(const Scenario& scenario, const std::vector<TenantsConfig>& added,
                     std::uint64_t seed, const FileReader& read) {
  ASSIGN_OR_RETURN(World before, SettledWorld(scenario, seed, read));
  if (!added.empty()) {
    ASSIGN_OR_RETURN(ExtendedWorld extended, WithAgreements(before, added, seed, read));
    return Question{.before = std::move(before),
                    .world = std::move(extended.world),
                    .asked = std::move(extended.added),
                    .others = std::move(extended.before)};
  }
  Question question{.before = before, .world = before, .asked = {}, .others = {}};
  question.asked.resize(before.agreements.size());
  std::iota(question.asked.begin(), question.asked.end(), std::size_t{0});
  return question;
}

TrafficDraw DrawFor(const QuoteOptions& options) {
  return {.first_seed = *options.seed, .draws = kQuoteDraws, .threads = options.threads};
}

class Quoter {
 public:
  Quoter(Question question, const QuoteOptions& options, ChosenTraffic traffic)
      : question_(std::move(question)),
        options_(options),
        traffic_(std::move(traffic)),
        progress_(RunsOfJudging(), options.progressed) {}

  Result<QuoteResults> Answer() {
    ASSIGN_OR_RETURN(evidence_, JudgeWorld(question_.world, traffic_, AfterProof::kSimulate));
    results_ = {.confidence = kQuoteConfidence,
                .policy = options_.policy,
                .first_seed = traffic_.drawn.front().seed,
                .drawn = static_cast<int>(traffic_.drawn.size()),
                .horizon_s = static_cast<double>(question_.world.scenario.horizon.count()) / 1e9,
                .proven = evidence_.verdict == Verdict::kProvablyNot};
    if (question_.world.resampling.has_value())
      results_.block_s = Seconds(question_.world.resampling->block);
    if (evidence_.forecast.has_value()) results_.worst_margin = evidence_.forecast->worst_margin;
    DescribeTrials();
    DescribeAgreements();
    results_.reason = ReasonOf(results_, evidence_);
    if (results_.proven) NameThoseNotEvenAlone();
    if (evidence_.verdict == Verdict::kKeeps) {
      results_.answer = QuoteAnswer::kYes;
      Offer({.rate_share = 1, .target_change = 0});
      return std::move(results_);
    }
    RETURN_IF_ERROR(Refuse());
    return std::move(results_);
  }

 private:
  std::size_t RunsOfJudging() const { return traffic_.heavy.size() + traffic_.others.size(); }

  Result<Evidence> JudgeWorld(const World& world, const ChosenTraffic& traffic, AfterProof after) {
    return Judge(world, traffic,
                 {.plan = {.policy = options_.policy,
                           .threads = options_.threads,
                           .progressed = progress_.Next(RunsOfJudging())},
                  .confidence = kQuoteConfidence,
                  .after_proof = after});
  }
  Result<std::vector<Trial>> OnHeavy(const World& world) {
    return RunTrials(world,
                     {.policy = options_.policy,
                      .threads = options_.threads,
                      .progressed = progress_.Next(traffic_.heavy.size())},
                     traffic_.heavy);
  }

  void NameThoseNotEvenAlone() {
    for (std::size_t a : question_.asked) {
      if (!ProvablyNotAlone(question_.world, traffic_.heavy.front(), a)) continue;
      results_.reason += fmt::format("; not even {} {} alone", results_.agreements[a].tenant,
                                     results_.agreements[a].network);
      return;
    }
  }

  Status Refuse() {
    const int tries = options_.thorough ? kThoroughOfferTries : kOfferTries;
    progress_.Expect(traffic_.heavy.size() + 2 * static_cast<std::size_t>(tries) * RunsOfJudging());
    std::optional<double> margin_before;
    if (!question_.others.empty()) {
      ASSIGN_OR_RETURN(const auto without, OnHeavy(question_.before));
      if (std::ranges::any_of(without, &Trial::Broken)) {
        results_.reason = AlreadyBroken(without);
        return {};
      }
      margin_before = WorstMargin(without);
      FindHurt(without);
    }
    const OfferSearch search{.world = question_.world,
                             .asked = question_.asked,
                             .before = margin_before,
                             .trials = std::span(evidence_.trials).first(traffic_.heavy.size()),
                             .tries = tries,
                             .keeps = [this](const World& world) { return Keeps(world); }};
    ASSIGN_OR_RETURN(const QuoteOffer offer, FindOffer(search));
    Offer(offer);
    if (offer.rate_share.has_value() || offer.target_change.has_value())
      results_.answer = QuoteAnswer::kAtMost;
    return {};
  }

  // As if that had been asked for: on traffics of its own, by the same evidence.
  Result<bool> Keeps(const World& world) {
    const ChosenTraffic traffic = ChooseTraffic(world, DrawFor(options_), options_.trials);
    ASSIGN_OR_RETURN(const Evidence evidence, JudgeWorld(world, traffic, AfterProof::kStop));
    return evidence.verdict == Verdict::kKeeps;
  }

  // Broken on a heavy traffic with what is asked for, and kept there without it.
  void FindHurt(const std::vector<Trial>& without) {
    for (std::size_t i = 0; i < question_.others.size(); ++i) {
      QuotedAgreement& agreement = results_.agreements[question_.others[i]];
      for (std::size_t t = 0; t < without.size(); ++t) {
        const auto& with = evidence_.trials[t].margins[question_.others[i]];
        const bool kept_before = without[t].margins[i].value_or(PromiseMargin{}).margin >= 0;
        if (with.has_value() && with->margin < 0 && kept_before) agreement.hurt = true;
      }
      if (agreement.margin.value_or(0) < 0) agreement.hurt = true;
    }
  }

  void DescribeTrials() {
    for (const Trial& trial : evidence_.trials) {
      QuoteTrial& described = results_.trials.emplace_back();
      described.seed = trial.seed;
      described.weight = trial.weight;
      described.heavy = results_.trials.size() <= traffic_.heavy.size();
      if (const auto worst = trial.Worst(); worst.has_value()) described.worst = worst->margin;
      described.worst_agreement = trial.WorstAgreement();
      described.broken = static_cast<std::size_t>(
          std::ranges::count_if(trial.margins, [](const std::optional<PromiseMargin>& margin) {
            return margin.has_value() && margin->margin < 0;
          }));
    }
  }

  void DescribeAgreements() {
    const World& world = question_.world;
    for (std::size_t a = 0; a < world.agreements.size(); ++a) {
      const PlannedAgreement& planned = world.agreements[a];
      QuotedAgreement& quoted = results_.agreements.emplace_back();
      quoted.tenant = world.tenants[planned.agreement.tenant.index()].name;
      quoted.network = world.networks[planned.agreement.network.index()].name();
      quoted.rate = RateOf(planned);
      if (PromisedShare(planned.agreement) > 0) quoted.promised = PromisedShare(planned.agreement);
      for (const Trial& trial : evidence_.trials) {
        const auto& margin = trial.margins[a];
        if (!margin.has_value()) continue;
        quoted.lowest = std::min(quoted.lowest.value_or(1), margin->share);
        if (margin->margin < 0) ++quoted.broken;
      }
      if (!evidence_.forecast.has_value()) continue;
      if (const auto& predicted = evidence_.forecast->shares[a]; predicted.has_value()) {
        quoted.mean = predicted->mean;
        quoted.low = predicted->low;
        quoted.high = predicted->high;
        quoted.margin = predicted->margin;
      }
    }
    for (std::size_t a : question_.asked) results_.agreements[a].asked = true;
    if (evidence_.verdict != Verdict::kKeeps) MarkWhoBreaks();
  }

  void MarkWhoBreaks() {
    QuotedAgreement* nearest = nullptr;
    bool any = false;
    for (QuotedAgreement& agreement : results_.agreements) {
      const bool kept = agreement.broken == 0;
      agreement.breaks =
          evidence_.verdict == Verdict::kUncertain ? agreement.margin.value_or(0) < 0 : !kept;
      any = any || agreement.breaks;
      if (!agreement.margin.has_value()) continue;
      if (nearest == nullptr || *agreement.margin < *nearest->margin) nearest = &agreement;
    }
    if (!any && nearest != nullptr) nearest->breaks = true;
  }

  // Rate and target in figures where all that is asked for has the same.
  void Offer(const QuoteOffer& offer) {
    results_.rate_share = offer.rate_share;
    results_.target_change = offer.target_change;
    const QuotedAgreement& first = results_.agreements[question_.asked.front()];
    const bool same_rate = std::ranges::all_of(question_.asked, [&](std::size_t a) {
      return std::abs(results_.agreements[a].rate - first.rate) <= 1e-6 * first.rate;
    });
    const bool same_target = std::ranges::all_of(question_.asked, [&](std::size_t a) {
      return results_.agreements[a].promised == first.promised;
    });
    if (offer.rate_share.has_value() && same_rate) results_.rate = first.rate * *offer.rate_share;
    if (offer.target_change.has_value() && same_target && first.promised.has_value())
      results_.target = std::max(0.0, *first.promised + *offer.target_change);
  }

  Question question_;
  const QuoteOptions& options_;
  ChosenTraffic traffic_;
  QuoteProgress progress_;
  Evidence evidence_;
  QuoteResults results_;
};

}  // namespace

std::string PolicyToQuote(const Scenario& scenario) {
  if (scenario.policies.size() == 1) return scenario.policies.front().spec;
  return "fairlead";
}

Result<QuoteResults> Quote(const Scenario& scenario, const std::vector<TenantsConfig>& added,
                           const QuoteOptions& options) {
  QuoteOptions settled = options;
  if (settled.policy.empty()) settled.policy = PolicyToQuote(scenario);
  if (settled.trials == 0 && settled.thorough) settled.trials = kThorough;
  settled.seed = options.seed.value_or(scenario.seed);
  ASSIGN_OR_RETURN(Question question, Ask(scenario, added, *settled.seed, options.read));
  RETURN_IF_ERROR(CheckPromises(question.world));
  ChosenTraffic traffic = ChooseTraffic(question.world, DrawFor(settled), settled.trials);
  return Quoter(std::move(question), settled, std::move(traffic)).Answer();
}

}  // namespace fairlead
