// fairlead provision
#include "fairlead/running/provision.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/judging.h"
#include "apps/progress.h"
#include "apps/result_page.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/report/provision_report.h"

namespace fairlead {
namespace {

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

int Run(const ProvisionCommandOptions& options) {
  const SignalWatch signals;
  const auto input = ReadJudging(options);
  if (!input.has_value()) return Complain(input.error(), kBadInput);
  const auto costs = ParseCosts(options.costs, input->scenario);
  if (!costs.has_value()) return Complain(costs.error(), kBadInput);
  auto page = ResultPage::Open(options.report);
  if (!page.has_value()) return Complain(page.error(), kBadInput);
  Result<ProvisionResults> results;
  {
    ProgressMeter meter(1, "platforms");
    ProvisionOptions provision;
    provision.costs = *costs;
    provision.policy = input->policy;
    provision.most = options.most;
    provision.seed = options.seed;
    provision.trials = options.seeds;
    provision.threads = input->threads;
    provision.progressed = [&meter](double share) { meter.Set(0, share); };
    results = Provision(input->scenario, provision);
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input->scenario.name};
  return page->Finish([&] { return FormatProvisionPage(heading, *results); },
                      options.form == OutputForm::kJson ? FormatProvisionJson(heading, *results)
                                                        : FormatProvisionTable(heading, *results));
}

}  // namespace fairlead
