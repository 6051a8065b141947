// What `fairlead quote` and `fairlead provision` print and write.
//
// JSON: {"answer": "yes"|"no"|"at-most", "target", "rate", "confidence", "reason", "hurts":
// [{"tenant", "network"}], "breaks": [{"tenant", "network"}], "rate_share", "target_change",
// "proven", "worst_margin", "policy", "scenario", "version", "traffic": {"first_seed", "drawn",
// "horizon_s", "simulated": [{"seed", "weight", "heavy", "worst_margin", "worst_agreement",
// "broken"}]}, "agreements": [{"tenant", "network", "asked", "promised", "rate", "lowest", "mean",
// "low", "high", "margin", "broken", "hurt", "breaks"}]}. Rates are requests per second, shares and
// margins fractions; null where there is none. `breaks` names whose promise was broken on a
// simulated traffic or, where none was, who may break on a new one; empty where the answer is yes.
//
// Of provision, JSON: {"platform": {kind: count} or null, "cost", "confidence", "reason", "policy",
// "scenario", "version", "costs": {kind: cost}, "max", "excluded", "traffic": {"first_seed",
// "drawn", "simulated"}, "current": tried, "next": [tried and "adds", "kept_gain", "margin_gain"],
// "tried": [{"platform", "cost", "verdict", "kept", "worst", "weakest", "worst_margin"}]}.
// `weakest` names whose promise is nearest to a breach.
#pragma once

#include <string>

#include "fairlead/report/quote_results.h"

namespace fairlead {

struct QuoteHeading {
  std::string command;
  std::string version;
  std::string scenario;
};

std::string FormatQuoteJson(const QuoteHeading& heading, const QuoteResults& results);
// The answer, its reason, and those who matter most: asked for, hurt, nearest to their promise.
std::string FormatQuoteTable(const QuoteHeading& heading, const QuoteResults& results);
// One page with figures and all agreements.
std::string FormatQuotePage(const QuoteHeading& heading, const QuoteResults& results);

std::string FormatProvisionJson(const QuoteHeading& heading, const ProvisionResults& results);
// The platform, what to add next, and the platforms that were looked at.
std::string FormatProvisionTable(const QuoteHeading& heading, const ProvisionResults& results);
std::string FormatProvisionPage(const QuoteHeading& heading, const ProvisionResults& results);

}  // namespace fairlead
