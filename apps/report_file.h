// The HTML report of `fairlead simulate --report`: gathers what figures alone do not tell while the
// runs go on, and writes the page.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "apps/output_file.h"
#include "fairlead/report/html_report.h"
#include "fairlead/running/run.h"

namespace fairlead {

class ReportFile {
 public:
  // Opens the file, so that what cannot be written is known before anything runs. Specs of one
  // policy stand together.
  static Result<std::unique_ptr<ReportFile>> Open(const std::string& path,
                                                  std::span<const RunSpec> specs);

  // Before and after each run, from its thread.
  void Watch(std::size_t run, RunOutputs& outputs);
  void Collect(std::size_t run);

  // After the last run. Fills in what was gathered: `report` has the rest.
  Status Write(HtmlReport report);

 private:
  explicit ReportFile(std::span<const RunSpec> specs);
  bool FirstOfPolicy(std::size_t run) const;

  std::unique_ptr<OutputFile> file_;
  std::vector<std::size_t> policy_of_;                 // by run
  std::vector<std::unique_ptr<Histogram>> latencies_;  // by run, while it runs
  std::vector<PolicyTimeline> timelines_;              // by policy: of its first run
  std::mutex mutex_;
  std::vector<Histogram> pooled_;  // by policy; the mutex guards it
};

}  // namespace fairlead
