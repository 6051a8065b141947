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

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

// What `fairlead quote` and `fairlead provision` found, for all forms of output.
enum class QuoteAnswer : std::uint8_t { kYes, kNo, kAtMost };

constexpr std::string_view ToString(QuoteAnswer answer) {
  switch (answer) {
    case QuoteAnswer::kYes: return "yes";
    case QuoteAnswer::kNo: return "no";
    case QuoteAnswer::kAtMost: return "at-most";
  }
  return "?";
}

// Rates are requests per second, shares and margins fractions.
struct QuotedAgreement {
  std::string tenant;
  std::string network;
  bool asked = false;              // it is what the question is about
  std::optional<double> promised;  // the share of hits; none: best effort
  double rate = 0;
  std::optional<double> lowest;  // share on a simulated traffic
  std::optional<double> mean;    // predicted, on a new traffic
  std::optional<double> low;     // exceeded with the confidence
  std::optional<double> high;    // not exceeded with the confidence
  std::optional<double> margin;  // above the promise, exceeded with the confidence
  int broken = 0;                // simulated traffics on which the promise was broken
  bool hurt = false;             // kept without what is asked for, and not with it
  bool breaks = false;           // where the answer is not yes: on a simulated traffic; where all
                                 // were kept there, who may on a new one
};

struct QuoteTrial {
  std::uint64_t seed = 0;
  double weight = 0;            // of the traffic: docs/guide/quote.md
  bool heavy = false;           // of the heaviest that were drawn
  std::optional<double> worst;  // margin
  std::optional<std::size_t> worst_agreement;
  std::size_t broken = 0;  // promises
};

struct QuoteResults {
  QuoteAnswer answer = QuoteAnswer::kNo;
  std::optional<double> target;         // that can be promised at the rate asked for
  std::optional<double> rate;           // that can be promised the target asked for
  std::optional<double> rate_share;     // of the rates asked for
  std::optional<double> target_change;  // to all targets asked for; 0 or below
  double confidence = 0;
  std::string reason;
  std::string policy;
  std::uint64_t first_seed = 0;
  int drawn = 0;                       // traffics
  double horizon_s = 0;                // of each
  std::optional<double> block_s;       // of a recording that they are made of; none: drawn afresh
  std::optional<double> worst_margin;  // of all on a new traffic, exceeded with the confidence
  bool proven = false;                 // the answer no follows from the fluid bound
  std::vector<QuotedAgreement> agreements;
  std::vector<QuoteTrial> trials;
};

// One platform that was looked at.
struct TriedPlatform {
  std::vector<int> counts;  // by kind
  double cost = 0;
  enum class Verdict : std::uint8_t {
    kCannotRun,
    kProvablyNot,
    kBroken,
    kUncertain,
    kKeeps
  } verdict{};
  std::optional<double> kept;          // share of promises, on the heaviest traffic simulated
  std::optional<double> worst;         // margin there
  std::string weakest;                 // whose that is: tenant and network
  std::optional<double> worst_margin;  // on a new traffic, exceeded with the confidence
};

struct ProvisionResults {
  std::vector<std::string> kinds;
  std::vector<double> costs;            // of one, by kind
  TriedPlatform current;                // the scenario's
  std::optional<std::size_t> smallest;  // of the tried; none: none up to the limits keeps all
  std::vector<TriedPlatform> tried;     // in the order of looking
  std::vector<TriedPlatform> next;      // by kind: the current platform and one more
  std::size_t excluded = 0;             // platforms that the bound excluded without a simulation
  double confidence = 0;
  std::string reason;
  std::string policy;
  std::uint64_t first_seed = 0;
  int drawn = 0;
  int simulated = 0;  // traffics of a platform that keeps all
  int most = 0;       // of each kind
};

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
