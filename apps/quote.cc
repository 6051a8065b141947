// fairlead quote, fairlead provision
#include "fairlead/running/quote.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/progress.h"
#include "apps/results.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/report/quote_report.h"
#include "fairlead/running/provision.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// What both judge by: a scenario, one policy, and how much may run at a time.
struct JudgingInput {
  Scenario scenario;
  std::string policy;  // with its options, spelt canonically
  int threads = 1;
};

Result<JudgingInput> ReadJudging(const JudgingOptions& options) {
  JudgingInput input;
  ASSIGN_OR_RETURN(const std::string text, ReadInput(options.scenario));
  ASSIGN_OR_RETURN(input.scenario, ParseScenario(options.scenario, text));
  RETURN_IF_ERROR(CheckPolicies(input.scenario));
  RETURN_IF_ERROR(OfOption("--policy", LoadPolicyPlugins(options.policy)));
  const std::string asked = options.policy.empty() ? PolicyToQuote(input.scenario) : options.policy;
  ASSIGN_OR_RETURN(const auto policy, OfOption("--policy", ChoosePolicy(asked)));
  if (policy.needs.plan) return Fail("--policy: {} needs a plan", policy.canonical);
  input.policy = policy.canonical;
  input.threads = ThreadsFor(options.jobs);
  return input;
}

Result<std::vector<TenantsConfig>> ParseAgreements(const std::vector<std::string>& texts) {
  std::vector<TenantsConfig> groups;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(TenantsConfig group, ParseAgreement(text));
    groups.push_back(std::move(group));
  }
  return groups;
}

constexpr double kLargestCost = 1e9;

// simba=3.5; a kind that is not named costs 1.
Result<std::vector<double>> ParseCosts(const std::vector<std::string>& texts,
                                       const Scenario& scenario) {
  std::vector<std::string_view> kinds;
  for (const AcceleratorsConfig& kind : scenario.platform.accelerators) kinds.push_back(kind.kind);
  std::vector<double> costs(kinds.size(), 1);
  std::vector<bool> given(kinds.size(), false);
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const auto kind = std::ranges::find(kinds, name);
    if (equals == std::string::npos)
      return Fail("--cost: '{}' has no '='; expected for example {}=3.5", text, kinds.front());
    if (kind == kinds.end())
      return Fail("--cost: the platform has no kind '{}'{}", name, Suggest(name, kinds));
    const auto index = static_cast<std::size_t>(kind - kinds.begin());
    if (given[index]) return Fail("--cost: '{}' stands twice", name);
    const std::string_view number = std::string_view(text).substr(equals + 1);
    const auto cost = ParseNumber(number);
    if (!cost.has_value() || *cost <= 0 || *cost > kLargestCost)
      return Fail("--cost: '{}' is not a number above 0, up to {}", number, kLargestCost);
    costs[index] = *cost;
    given[index] = true;
  }
  return costs;
}

}  // namespace

int Run(const QuoteCommandOptions& options) {
  const SignalWatch signals;
  ASSIGN_OR_COMPLAIN(const auto input, ReadJudging(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto added, ParseAgreements(options.agreements), kBadInput);
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);
  Result<QuoteResults> results;
  {
    ProgressMeter meter(1, "quotes");
    results = Quote(input.scenario, added,
                    {.policy = input.policy,
                     .seed = options.seed,
                     .trials = options.seeds,
                     .threads = input.threads,
                     .thorough = options.thorough,
                     .progressed = [&meter](double share) { meter.Set(0, share); }});
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input.scenario.name};
  return page.Finish([&] { return FormatQuotePage(heading, *results); },
                     options.form == OutputForm::kJson ? FormatQuoteJson(heading, *results)
                                                       : FormatQuoteTable(heading, *results));
}

int Run(const ProvisionCommandOptions& options) {
  const SignalWatch signals;
  ASSIGN_OR_COMPLAIN(const auto input, ReadJudging(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto costs, ParseCosts(options.costs, input.scenario), kBadInput);
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);
  Result<ProvisionResults> results;
  {
    ProgressMeter meter(1, "platforms");
    ProvisionOptions provision;
    provision.costs = costs;
    provision.policy = input.policy;
    provision.most = options.most;
    provision.seed = options.seed;
    provision.trials = options.seeds;
    provision.threads = input.threads;
    provision.progressed = [&meter](double share) { meter.Set(0, share); };
    results = Provision(input.scenario, provision);
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input.scenario.name};
  return page.Finish([&] { return FormatProvisionPage(heading, *results); },
                     options.form == OutputForm::kJson ? FormatProvisionJson(heading, *results)
                                                       : FormatProvisionTable(heading, *results));
}

}  // namespace fairlead
