#include "fairlead/report/quote_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fairlead {
namespace {

// Above its promise, by the best that is known; best effort last.
double Distance(const QuotedAgreement& agreement) {
  if (!agreement.promised.has_value()) return 2;
  if (agreement.margin.has_value()) return *agreement.margin;
  return agreement.lowest.value_or(1) - *agreement.promised;
}

// To three digits.
double RoundedDown(double value) {
  const double digit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::floor(value / digit) * digit;
}

std::string OfferedRate(const QuoteResults& results) {
  // No more than was judged.
  if (results.rate.has_value()) return fmt::format("{:g}/s", RoundedDown(*results.rate));
  return fmt::format("{:.0f} % of the rates", std::floor(100 * *results.rate_share));
}

std::string OfferedTarget(const QuoteResults& results) {
  if (results.target.has_value()) return fmt::format("a target of {:.1f} %", 100 * *results.target);
  return fmt::format("targets {:.1f} points lower", -100 * *results.target_change);
}

}  // namespace

std::string PercentOrDash(const std::optional<double>& share) {
  return share.has_value() ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string AnswerInWords(const QuoteResults& results) {
  if (results.answer != QuoteAnswer::kAtMost) return std::string(ToString(results.answer));
  std::string text = "at most ";
  if (results.rate_share.has_value()) text += OfferedRate(results);
  if (results.rate_share.has_value() && results.target_change.has_value()) text += ", or ";
  if (results.target_change.has_value()) text += OfferedTarget(results);
  return text + fmt::format(", kept with {:.0f} % confidence", 100 * results.confidence);
}

std::string MethodInWords(const QuoteResults& results) {
  if (results.block_s.has_value()) {
    return fmt::format(
        "The traffic of seed {}, {:.4g} s, is the recording; {} others were put together of its "
        "blocks of {:.3g} s (seeds to {}); {} were simulated under {}, two of the heaviest first.",
        results.first_seed, results.horizon_s, results.drawn - 1, *results.block_s,
        results.first_seed + static_cast<std::uint64_t>(results.drawn) - 1, results.trials.size(),
        results.policy);
  }
  return fmt::format(
      "{} traffics of {:g} s were drawn (seeds {} to {}), {} of them simulated under {}, two of "
      "the heaviest first.",
      results.drawn, results.horizon_s, results.first_seed,
      results.first_seed + static_cast<std::uint64_t>(results.drawn) - 1, results.trials.size(),
      results.policy);
}

std::vector<const QuotedAgreement*> MostAtStakeFirst(const QuoteResults& results) {
  std::vector<const QuotedAgreement*> order;
  for (const QuotedAgreement& agreement : results.agreements) order.push_back(&agreement);
  std::ranges::stable_sort(order, {}, [](const QuotedAgreement* agreement) {
    return std::tuple(!agreement->asked, !agreement->hurt, !agreement->breaks,
                      Distance(*agreement));
  });
  return order;
}

}  // namespace fairlead
