#include "fairlead/running/quote_text.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace fairlead
