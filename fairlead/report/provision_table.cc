#include <fmt/format.h>

#include <algorithm>

#include "fairlead/report/provision_report.h"
#include "fairlead/report/quote_words.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kNameWidth = 30;  // so that rows stay within 80 columns

std::string Row(std::string name, const TriedPlatform& tried) {
  if (name.size() > kNameWidth) name += "\n" + std::string(kNameWidth, ' ');
  std::string row = fmt::format("{:<{}}{:>8.4g}{:>8}{:>9}{:>11}  ", name, kNameWidth, tried.cost,
                                PercentOrDash(tried.kept), PercentOrDash(tried.worst),
                                PercentOrDash(tried.worst_margin));
  const std::string verdict = VerdictInWords(tried);
  const bool fits = row.size() - (row.rfind('\n') + 1) + verdict.size() <= 80;
  row += fits ? verdict : std::string(ToString(tried.verdict)) + "\n    " + tried.weakest;
  return row + "\n";
}

std::string Header(std::string_view what) {
  return fmt::format("\n{:<{}}{:>8}{:>8}{:>9}{:>11}\n{:<{}}{:>8}{:>8}{:>9}{:>11}\n", what,
                     kNameWidth, "cost", "kept", "worst", "predicted", "", kNameWidth, "", "%",
                     "points", "points");
}

}  // namespace

std::string FormatProvisionTable(const QuoteHeading& heading, const ProvisionResults& results) {
  std::string text = heading.scenario + ": ";
  if (results.smallest.has_value()) {
    const TriedPlatform& found = results.tried[*results.smallest];
    text += fmt::format("{} (cost {:.4g})\n", PlatformInWords(results, found), found.cost);
  } else {
    text += "none\n";
  }
  text += results.reason + ".\n";
  text += Header("what one more buys");
  text += Row("now: " + PlatformInWords(results, results.current), results.current);
  for (std::size_t kind = 0; kind < results.next.size(); ++kind)
    text += Row("one more " + results.kinds[kind], results.next[kind]);
  text += Header("platforms that were simulated");
  const std::size_t first = results.tried.size() - std::min(results.tried.size(), kMostRows);
  if (first > 0) text += fmt::format("{} cheaper ones: -o json has all\n", first);
  for (std::size_t i = first; i < results.tried.size(); ++i)
    text += Row(PlatformInWords(results, results.tried[i]), results.tried[i]);
  return text + fmt::format(
                    "The worst promise is so many points above its target, on simulated traffic\n"
                    "and as predicted. Under {}; {} traffics drawn from seed {} on,\n"
                    "up to {} simulated; {} platforms excluded by the bound.\n",
                    results.policy, results.drawn, results.first_seed, results.simulated,
                    results.excluded);
}

}  // namespace fairlead
