#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/interference/slowdown_fit.h"
#include "fairlead/report/slowdown_report.h"
#include "fairlead/running/interference_experiments.h"
#include "fairlead/scenario/embedded_files.h"

namespace fairlead {
namespace {

TableText TableOfH200(std::string_view name) {
  const std::string path = fmt::format("data/h200/{}.csv", name);
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  CHECK(found != files.end());
  return {path, std::string(found->text)};
}

HtmlCell PercentCell(double share, bool strong = false) {
  return {.text = fmt::format("{:.2f}", 100 * share), .note = {}, .strong = strong};
}

class AccuracyTable {
 public:
  explicit AccuracyTable(ExperimentResults& results) : results_(results) {
    table_ = {.caption = "Right, in %: 1 - mean absolute percentage error on corun_validate.csv",
              .columns = {"model", "all", "slowed by more than 1.1", "p0", "p1", "p2", "p3"},
              .rows = {}};
  }
  void Add(std::string_view name, std::span<const Judged> judged) {
    const Accuracy accuracy = AccuracyOf(judged);
    Number(fmt::format("right/{}", name), accuracy.overall);
    Number(fmt::format("slowed/{}", name), accuracy.slowed);
    std::vector<HtmlCell> row = {{.text = std::string(name), .note = {}},
                                 PercentCell(accuracy.overall, true),
                                 PercentCell(accuracy.slowed, true)};
    for (const NamedAccuracy& partition : ByPartition(judged))
      row.push_back(PercentCell(partition.accuracy.overall));
    table_.rows.push_back(std::move(row));
  }
  void Number(std::string name, double value) {
    results_.numbers.push_back(
        {std::move(name), {.count = 1, .mean = value, .half_width = std::nullopt}});
  }
  void Finish() { results_.tables.push_back(std::move(table_)); }

 private:
  ExperimentResults& results_;
  HtmlTable table_;
};

}  // namespace

Result<ExperimentResults> RunInterferenceAccuracy(const ExperimentPlan& plan) {
  constexpr std::size_t kQuickRuns = 6'000;
  ASSIGN_OR_RETURN(
      const MachineData machine,
      ReadMachineData(TableOfH200("layers"), TableOfH200("models"), TableOfH200("networks")));
  ASSIGN_OR_RETURN(std::vector<CoRun> runs, ReadCoRuns(machine, TableOfH200("corun_train")));
  ASSIGN_OR_RETURN(const std::vector<CoRun> held,
                   ReadCoRuns(machine, TableOfH200("corun_validate")));
  ASSIGN_OR_RETURN(const std::vector<NetworkMixture> mixtures,
                   ReadMixtures(machine, TableOfH200("mixes_train")));
  if (plan.quick) runs.resize(std::min(runs.size(), kQuickRuns));
  ExperimentResults results;
  AccuracyTable table(results);
  const Learner& boosting = **FindLearner("boosting");
  std::vector<const Learner*> learners;
  for (const Learner& learner : Learners()) {
    const bool slow = learner.name != "boosting" && learner.name != "decision-tree";
    if (!plan.quick || !slow) learners.push_back(&learner);
  }
  for (std::size_t i = 0; i < learners.size() && !plan.stop.stop_requested(); ++i) {
    const FitOptions options{.seed = plan.seed, .progress = [&](double share) {
                               const auto all = static_cast<double>(learners.size());
                               if (plan.progressed)
                                 plan.progressed((static_cast<double>(i) + share) / all);
                             }};
    const SlowdownFitter fitter(machine, {*learners[i], boosting}, options);
    SlowdownModel model = SlowdownModel::Learned(machine.partitions);
    RETURN_IF_ERROR(fitter.FitLayers(model, runs));
    table.Add(learners[i]->name, fitter.Judge(model, held));
    if (learners[i]->name != "boosting") continue;
    const auto integrated = fitter.Judge(model, mixtures, SlowdownModel::Correction::kNone);
    ASSIGN_OR_RETURN(const auto corrected, fitter.CrossValidate(model, mixtures, 2));
    table.Number("mixes/integrated", AccuracyOf(integrated).overall);
    table.Number("mixes/calibrated", AccuracyOf(corrected).overall);
    results.findings.push_back(fmt::format(
        "Networks in mixes: {:.2f} % right by integrating over layers, {:.2f} % calibrated on half "
        "of the mixes and judged on the other half.",
        100 * AccuracyOf(integrated).overall, 100 * AccuracyOf(corrected).overall));
  }
  const SlowdownFitter fitter(machine, {boosting, boosting}, {});
  table.Add("none", fitter.Judge(SlowdownModel::None(), held));
  table.Add("shared-bandwidth", fitter.Judge(SlowdownModel::SharedBandwidth(4.8e12), held));
  table.Finish();
  results.findings.push_back(
      "Seed 003 has 97.8, 94.3, 97.4 and 94.0 % for its perceptrons on a Jetson AGX Xavier: "
      "another "
      "machine, and other co-runs.");
  return results;
}

}  // namespace fairlead
