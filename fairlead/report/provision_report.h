// What `fairlead provision` prints and writes.
//
// JSON: {"platform": {kind: count} or null, "cost", "confidence", "reason", "policy", "scenario",
// "version", "costs": {kind: cost}, "max", "excluded", "traffic": {"first_seed", "drawn",
// "simulated"}, "current": tried, "next": [tried and "adds", "kept_gain", "margin_gain"], "tried":
// [{"platform", "cost", "verdict", "kept", "worst", "weakest", "worst_margin"}]}. Shares and
// margins are fractions, `weakest` names whose promise is nearest to a breach; null where there is
// none.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/report/quote_report.h"
#include "fairlead/report/quote_results.h"

namespace fairlead {

std::string FormatProvisionJson(const QuoteHeading& heading, const ProvisionResults& results);
// The platform, what to add next, and the platforms that were looked at.
std::string FormatProvisionTable(const QuoteHeading& heading, const ProvisionResults& results);
std::string FormatProvisionPage(const QuoteHeading& heading, const ProvisionResults& results);

// "4 simba, 2 eyeriss"
std::string PlatformInWords(const ProvisionResults& results, const TriedPlatform& platform);
std::string_view ToString(TriedPlatform::Verdict verdict);
// With the name of whose promise breaks first, where not all are kept.
std::string VerdictInWords(const TriedPlatform& tried);

}  // namespace fairlead
