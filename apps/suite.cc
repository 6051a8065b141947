// fairlead suite
#include <algorithm>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/progress.h"
#include "apps/results.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/report/suite_report.h"
#include "fairlead/running/suite_run.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

Result<std::vector<std::string>> SpecsInFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
  std::vector<std::string> specs;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line.starts_with('#')) continue;
    auto spec = CanonicalPolicy(line);
    if (!spec.has_value()) return FailAt({path, number, 0}, "{}", spec.error().message);
    specs.push_back(std::move(*spec));
  }
  return specs;
}

// What the files name beside what was asked for already is passed over.
Result<std::vector<std::string>> PoliciesOf(const SuiteOptions& options) {
  std::vector<std::string> policies = SuitePolicies();
  if (options.policies != "all") {
    RETURN_IF_ERROR(OfOption("--policy", LoadPolicyPlugins(options.policies)));
    ASSIGN_OR_RETURN(policies, OfOption("--policy", ParsePolicyList(options.policies)));
  }
  if (options.policy_file.empty()) return policies;
  ASSIGN_OR_RETURN(const auto more, SpecsInFile(options.policy_file));
  for (const std::string& spec : more) {
    if (std::ranges::find(policies, spec) == policies.end()) policies.push_back(spec);
  }
  return policies;
}

Status WriteScenario(const std::string& folder, const std::string& name, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, OutputFile::Open(folder + "/" + name + ".yaml"));
  file->stream() << text;
  return file->Commit();
}

Result<SuiteResults> RunWithProgress(const SuiteOptions& options, std::vector<std::string> policies,
                                     const std::stop_token& stop) {
  const std::size_t runs = policies.size() * static_cast<std::size_t>(options.seeds) *
                           static_cast<std::size_t>(options.scenarios);
  ProgressMeter meter(runs);
  SuitePlan suite{.purpose = options.tuning ? SuitePurpose::kTuning : SuitePurpose::kReporting,
                  .seed = options.seed,
                  .first = options.first,
                  .scenarios = options.scenarios,
                  .policies = std::move(policies),
                  .seeds = options.seeds,
                  .threads = ThreadsFor(options.jobs),
                  .drawn = {},
                  .progressed = [&meter](std::size_t run, double share) { meter.Set(run, share); },
                  .stop = stop};
  if (!options.folder.empty()) {
    suite.drawn = [&options](const std::string& name, const std::string& text) {
      return WriteScenario(options.folder, name, text);
    };
  }
  return RunSuite(suite);
}

}  // namespace

int Run(const SuiteOptions& options) {
  SignalWatch signals;
  ASSIGN_OR_COMPLAIN(auto policies, PoliciesOf(options), kBadInput);
  if (!options.folder.empty()) {
    COMPLAIN_IF_ERROR(MakeFolder(options.folder, "suite.yaml"), kBadInput);
  }
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);

  signals.Arm();
  const auto results = RunWithProgress(options, std::move(policies), signals.token());
  if (!results.has_value())
    return Complain({results.error().message + "\nOutput files that are there are complete."},
                    kCouldNotGoOn);
  const bool interrupted = signals.signal() != 0;
  if (interrupted) {
    Tell("interrupted: {} of {} scenarios ended\n", results->scenarios.size(), options.scenarios);
    if (results->scenarios.empty()) return kInterrupted + signals.signal();
  }
  const std::string purpose = std::string(options.tuning ? "tuning" : "reporting") +
                              (interrupted ? " (partial: interrupted)" : "");
  const SuiteHeading heading{.command = options.command,
                             .version = FAIRLEAD_VERSION,
                             .seed = options.seed,
                             .purpose = purpose,
                             .seeds = options.seeds};
  const int status =
      page.Finish([&] { return FormatSuitePage(heading, *results); },
                  options.form == OutputForm::kJson ? FormatSuiteJson(heading, *results)
                                                    : FormatSuiteTable(heading, *results));
  return status == kDone && interrupted ? kInterrupted + signals.signal() : status;
}

}  // namespace fairlead
