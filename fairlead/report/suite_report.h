// The results of the suite for people and scripts: what `fairlead suite` prints and writes.
//
// JSON: {"seed", "purpose", "seeds", "version", "scenarios": [{"name", "config", "traits", "runs",
// "could_not_run"}], "policies": {name: {"led", "may_lead", "within_1_point", ..., "mean_behind",
// "losses", "rivals", "where", "could_not_run"}}}. Shares and distances are fractions, each by
// measure: "hit_rate", "worst_agreement", "met_share", "revenue"; null where a measure is defined
// in no scenario. Runs are as in json.h, without `per_agreement`, and with `stakes`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/report/figures.h"

namespace fairlead {

// What came out of the suite: every policy in every scenario that was drawn.

// What a scenario is like, in classes, to say where policies lead and lose: "load", "1.1-1.4".
struct SuiteTrait {
  std::string name;
  std::string value;
};

// What the requests of a run would have brought, had all failed and had none.
struct RevenueRange {
  double least = 0;
  double most = 0;
};

struct SuiteRun {
  RunFigures figures;  // without per_agreement: there are too many
  RevenueRange stakes;
};

// A policy that could not run, and why.
struct SuiteRefusal {
  std::string policy;
  std::string reason;
};

struct SuiteScenario {
  std::string name;
  std::string config;  // resolved, as JSON
  std::vector<SuiteTrait> traits;
  std::vector<SuiteRun> runs;  // of those policies that ran with all seeds; seeds in one order
  std::vector<SuiteRefusal> refusals;
};

struct SuiteResults {
  std::vector<std::string> policies;
  std::vector<SuiteScenario> scenarios;
};

struct SuiteHeading {
  std::string command;
  std::string version;
  std::uint64_t seed = 1;
  std::string_view purpose;  // "reporting" or "tuning"
  int seeds = 1;             // of each scenario
};

std::string FormatSuiteJson(const SuiteHeading& heading, const SuiteResults& results);
// A row for each policy, those that are least behind overall first; then where each loses most.
std::string FormatSuiteTable(const SuiteHeading& heading, const SuiteResults& results);
// One page with figures and tables. No real time is in it: equal runs make equal pages.
std::string FormatSuitePage(const SuiteHeading& heading, const SuiteResults& results);

// The suite judged: who leads in which scenario, how far the others are behind, and whom they lose
// to. Each measure is judged by itself, in points (hundredths): a policy that is 3 points behind
// serves 3 of 100 requests less than the best one of that scenario.
//
// Figures are means over seeds. A policy *led* a scenario when its mean is at most kLeadTolerance
// behind the best mean, so that leads are shared where nothing tells policies apart. It *may lead*
// when the seeds cannot tell either: the 95 % interval of its paired difference to the best on
// common seeds reaches the tolerance. A policy that could not run in a scenario is behind by more
// than any number there.
inline constexpr double kLeadTolerance = 0.001;  // a tenth of a point

enum class SuiteMeasure : std::uint8_t {
  kHitRate,
  kWorstAgreement,  // the lowest hit rate of an agreement
  kMetShare,        // of agreements with a target; only where there are some
  kRevenue,         // on the way from all requests failed, 0, to all served, 1
};
inline constexpr std::array kSuiteMeasures = {SuiteMeasure::kHitRate, SuiteMeasure::kWorstAgreement,
                                              SuiteMeasure::kMetShare, SuiteMeasure::kRevenue};
std::string_view KeyOf(SuiteMeasure measure);    // in JSON: "hit_rate"
std::string_view TitleOf(SuiteMeasure measure);  // for people: "overall rate"

// One measure of all policies in all scenarios.
struct ScoreTable {
  std::size_t policies = 0;
  // By scenario, policy and seed. No seeds: it could not run there, or the measure is not defined.
  std::vector<std::vector<std::vector<double>>> values;
};
ScoreTable ScoresOf(const SuiteResults& results, SuiteMeasure measure);

struct SuiteStanding {
  double mean = 0;
  double behind = 0;  // the best mean
  bool led = false;
  bool may_lead = false;
};

struct JudgedScenario {
  std::size_t scenario = 0;  // its place in the results
  std::size_t leader = 0;    // the policy with the best mean; the first of several
  std::vector<std::optional<SuiteStanding>> standings;  // by policy; none: it could not run
};

// The scenarios in which the measure is defined.
std::vector<JudgedScenario> JudgeScores(const ScoreTable& scores);

struct SuiteLoss {
  std::size_t scenario = 0;
  std::size_t leader = 0;
  double behind = 0;
};

// Somebody who is often ahead of a policy by more than a point.
struct SuiteRival {
  std::size_t policy = 0;
  std::size_t scenarios = 0;  // in which it is
  double mean_lead = 0;       // in these
};

// What to say about one policy, over the judged scenarios.
struct PolicyVerdict {
  std::size_t scenarios = 0;  // judged
  double led = 0;             // shares of these
  double may_lead = 0;
  std::vector<double> behind;      // where it ran, ascending
  double mean_behind = 0;          // where it ran
  std::vector<SuiteLoss> losses;   // the largest first
  std::vector<SuiteRival> rivals;  // the most frequent first

  // The performance profile: the share of scenarios in which it is at most so far behind the best.
  double Within(double distance) const;
};
PolicyVerdict VerdictOn(std::size_t policy, const std::vector<JudgedScenario>& judged);

// All of it for one measure.
struct JudgedMeasure {
  SuiteMeasure measure = SuiteMeasure::kHitRate;
  std::vector<JudgedScenario> scenarios;
  std::vector<PolicyVerdict> policies;
};
JudgedMeasure JudgeSuite(const SuiteResults& results, SuiteMeasure measure);

// The policies' places in it: those that are least behind on average first, those that never ran
// last.
std::vector<std::size_t> LeastBehindFirst(const JudgedMeasure& judged);

// How far a policy is behind on average in the scenarios of one class.
struct TraitVerdict {
  std::string name;
  std::string value;
  std::size_t scenarios = 0;  // of the class, in which it ran
  double mean_behind = 0;
};
std::vector<TraitVerdict> VerdictsByTrait(std::size_t policy, const SuiteResults& results,
                                          const std::vector<JudgedScenario>& judged);

}  // namespace fairlead
