// fairlead provision
#include "fairlead/running/provision.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/config/files.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/report/provision_report.h"
#include "fairlead/running/quote.h"

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

struct ProvisionInput {
  Scenario scenario;
  ProvisionOptions options;
};

Result<ProvisionInput> ReadQuestion(const ProvisionCommandOptions& options) {
  ProvisionInput input;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(options.scenario));
  ASSIGN_OR_RETURN(input.scenario, ParseScenario(options.scenario, text));
  ASSIGN_OR_RETURN(input.options.costs, ParseCosts(options.costs, input.scenario));
  const auto policy =
      ChoosePolicy(options.policy.empty() ? PolicyToQuote(input.scenario) : options.policy);
  if (!policy.has_value()) return Fail("--policy: {}", policy.error().message);
  if (policy->needs.plan) return Fail("--policy: {} needs a plan", policy->canonical);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  input.options.policy = policy->canonical;
  input.options.most = options.most;
  input.options.seed = options.seed;
  input.options.trials = options.seeds;
  input.options.threads = options.jobs > 0 ? options.jobs : static_cast<int>(cores);
  return input;
}

}  // namespace

int Run(const ProvisionCommandOptions& options) {
  auto input = ReadQuestion(options);
  if (!input.has_value()) return Complain(input.error(), kBadInput);
  std::unique_ptr<OutputFile> page;
  if (!options.report.empty()) {
    auto opened = OutputFile::Open(options.report);
    if (!opened.has_value()) return Complain(opened.error(), kBadInput);
    page = std::move(*opened);
  }
  Result<ProvisionResults> results;
  {
    ProgressMeter meter(1, "platforms");
    input->options.progressed = [&meter](double share) { meter.Set(0, share); };
    results = Provision(input->scenario, input->options);
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input->scenario.name};
  if (page != nullptr) {
    page->stream() << FormatProvisionPage(heading, *results);
    const Status written = page->Commit();
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const std::string text = options.form == OutputForm::kJson
                               ? FormatProvisionJson(heading, *results)
                               : FormatProvisionTable(heading, *results);
  const Status printed = PrintOut(text);
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  return kDone;
}

}  // namespace fairlead
