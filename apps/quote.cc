// fairlead quote
#include "fairlead/running/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/verbs.h"
#include "fairlead/config/agreement_option.h"
#include "fairlead/config/files.h"
#include "fairlead/config/policy_registry.h"
#include "fairlead/report/quote_report.h"

namespace fairlead {
namespace {

struct QuoteInput {
  Scenario scenario;
  std::vector<TenantsConfig> added;
  std::string policy;
};

Result<QuoteInput> ReadQuestion(const QuoteCommandOptions& options) {
  QuoteInput input;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(options.scenario));
  ASSIGN_OR_RETURN(input.scenario, ParseScenario(options.scenario, text));
  for (const std::string& agreement : options.agreements) {
    ASSIGN_OR_RETURN(TenantsConfig group, ParseAgreement(agreement));
    input.added.push_back(std::move(group));
  }
  input.policy = options.policy.empty() ? PolicyToQuote(input.scenario) : options.policy;
  const auto policy = ChoosePolicy(input.policy);
  if (!policy.has_value()) return Fail("--policy: {}", policy.error().message);
  if (policy->needs.plan) return Fail("--policy: {} needs a plan", input.policy);
  input.policy = policy->canonical;
  return input;
}

}  // namespace

int Run(const QuoteCommandOptions& options) {
  const auto input = ReadQuestion(options);
  if (!input.has_value()) return Complain(input.error(), kBadInput);
  std::unique_ptr<OutputFile> page;
  if (!options.report.empty()) {
    auto opened = OutputFile::Open(options.report);
    if (!opened.has_value()) return Complain(opened.error(), kBadInput);
    page = std::move(*opened);
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  Result<QuoteResults> results;
  {
    ProgressMeter meter(1, "quotes");
    results = Quote(input->scenario, input->added,
                    {.policy = input->policy,
                     .seed = options.seed,
                     .trials = options.seeds,
                     .threads = options.jobs > 0 ? options.jobs : static_cast<int>(cores),
                     .thorough = options.thorough,
                     .progressed = [&meter](double share) { meter.Set(0, share); }});
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input->scenario.name};
  if (page != nullptr) {
    page->stream() << FormatQuotePage(heading, *results);
    const Status written = page->Commit();
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const std::string text = options.form == OutputForm::kJson ? FormatQuoteJson(heading, *results)
                                                             : FormatQuoteTable(heading, *results);
  const Status printed = PrintOut(text);
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  return kDone;
}

}  // namespace fairlead
