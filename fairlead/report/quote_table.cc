#include <fmt/format.h>

#include <algorithm>

#include "fairlead/report/quote_report.h"
#include "fairlead/report/quote_words.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kNameWidth = 34;

std::string Row(const QuotedAgreement& agreement) {
  std::string name = agreement.tenant + " " + agreement.network;
  if (name.size() > kNameWidth) name += "\n" + std::string(kNameWidth, ' ');
  std::string fate;
  if (agreement.asked) fate = "asked for";
  if (agreement.hurt) fate = "hurt";
  if (agreement.breaks) fate += fate.empty() ? "breaks" : ", breaks";
  return fmt::format("{:<{}}{:>9}{:>9.4g}{:>11}{:>8}{:>13}  {}\n", name, kNameWidth,
                     PercentOrDash(agreement.promised), agreement.rate,
                     PercentOrDash(agreement.lowest), PercentOrDash(agreement.mean),
                     agreement.low.has_value()
                         ? fmt::format("{:.1f}-{:.1f}", 100 * *agreement.low, 100 * *agreement.high)
                         : "-",
                     fate);
}

}  // namespace

std::string FormatQuoteTable(const QuoteHeading& heading, const QuoteResults& results) {
  std::string text =
      fmt::format("{}: {}\n{}.\n\n", heading.scenario, AnswerInWords(results), results.reason);
  text += fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "", kNameWidth, "", "", "simulated",
                      "new", "99 %");
  text += fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "agreement", kNameWidth, "promise",
                      "rate", "lowest", "mean", "interval");
  text +=
      fmt::format("{:<{}}{:>9}{:>9}{:>11}{:>8}{:>13}\n", "", kNameWidth, "%", "/s", "%", "%", "%");
  const auto order = MostAtStakeFirst(results);
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) text += Row(*order[i]);
  if (order.size() > kMostRows)
    text += fmt::format("and {} more: -o json and --report have all\n", order.size() - kMostRows);
  const auto hurt = std::ranges::count_if(results.agreements, &QuotedAgreement::hurt);
  if (hurt > 0)
    text += fmt::format("{} {} kept without it, and not with it.\n", hurt,
                        hurt == 1 ? "promise is" : "promises are");
  return text + MethodInWords(results) + "\n";
}

}  // namespace fairlead
