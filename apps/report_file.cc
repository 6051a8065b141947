#include "apps/report_file.h"

#include <utility>

namespace fairlead {

ReportFile::ReportFile(std::span<const RunSpec> specs) : latencies_(specs.size()) {
  for (const RunSpec& spec : specs) {
    if (timelines_.empty() || timelines_.back().policy != spec.policy)
      timelines_.push_back({.policy = spec.policy, .seed = spec.seed, .timeline = {}});
    policy_of_.push_back(timelines_.size() - 1);
  }
  pooled_.resize(timelines_.size());
}

Result<std::unique_ptr<ReportFile>> ReportFile::Open(const std::string& path,
                                                     std::span<const RunSpec> specs) {
  std::unique_ptr<ReportFile> report(new ReportFile(specs));
  ASSIGN_OR_RETURN(report->file_, OutputFile::Open(path));
  return report;
}

bool ReportFile::FirstOfPolicy(std::size_t run) const {
  return run == 0 || policy_of_[run] != policy_of_[run - 1];
}

void ReportFile::Watch(std::size_t run, RunOutputs& outputs) {
  latencies_[run] = std::make_unique<Histogram>();
  outputs.latencies = latencies_[run].get();
  if (FirstOfPolicy(run)) outputs.timeline = &timelines_[policy_of_[run]].timeline;
}

void ReportFile::Collect(std::size_t run) {
  const std::lock_guard lock(mutex_);
  pooled_[policy_of_[run]].Add(*latencies_[run]);
  latencies_[run].reset();
}

Status ReportFile::Write(HtmlReport report) {
  report.latencies = pooled_;
  report.timelines = timelines_;
  file_->stream() << FormatHtmlReport(report);
  return file_->Commit();
}

}  // namespace fairlead
