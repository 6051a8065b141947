// fairlead quote
#include "fairlead/running/quote.h"

#include <string>
#include <utility>
#include <vector>

#include "apps/judging.h"
#include "apps/progress.h"
#include "apps/result_page.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/report/quote_report.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

Result<std::vector<TenantsConfig>> ParseAgreements(const std::vector<std::string>& texts) {
  std::vector<TenantsConfig> groups;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(TenantsConfig group, ParseAgreement(text));
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

int Run(const QuoteCommandOptions& options) {
  const SignalWatch signals;
  const auto input = ReadJudging(options);
  if (!input.has_value()) return Complain(input.error(), kBadInput);
  const auto added = ParseAgreements(options.agreements);
  if (!added.has_value()) return Complain(added.error(), kBadInput);
  auto page = ResultPage::Open(options.report);
  if (!page.has_value()) return Complain(page.error(), kBadInput);
  Result<QuoteResults> results;
  {
    ProgressMeter meter(1, "quotes");
    results = Quote(input->scenario, *added,
                    {.policy = input->policy,
                     .seed = options.seed,
                     .trials = options.seeds,
                     .threads = input->threads,
                     .thorough = options.thorough,
                     .progressed = [&meter](double share) { meter.Set(0, share); }});
  }
  if (!results.has_value()) return Complain(results.error(), kBadInput);
  const QuoteHeading heading{
      .command = options.command, .version = FAIRLEAD_VERSION, .scenario = input->scenario.name};
  return page->Finish([&] { return FormatQuotePage(heading, *results); },
                      options.form == OutputForm::kJson ? FormatQuoteJson(heading, *results)
                                                        : FormatQuoteTable(heading, *results));
}

}  // namespace fairlead
