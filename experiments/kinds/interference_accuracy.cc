// Learners of slowdowns, taught by layers drawn at random and judged by layers of networks, on a
// GPU in four parts; and networks in mixes.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "experiments/kinds/goal_platforms.h"
#include "experiments/kinds/kinds.h"
#include "fairlead/interference/slowdown_fit.h"
#include "fairlead/report/slowdown_report.h"

namespace fairlead {
namespace {

struct CoRunData {
  MachineData machine;
  std::vector<CoRun> runs;
  std::vector<CoRun> held;
  std::vector<NetworkMixture> mixtures;
};

Result<CoRunData> ReadCoRunData(bool quick) {
  constexpr std::size_t kQuickRuns = 6'000;
  ASSIGN_OR_RETURN(MachineData machine,
                   ReadMachineData(TableOfH200("layers.csv"), TableOfH200("models.csv"),
                                   TableOfH200("networks.csv")));
  ASSIGN_OR_RETURN(auto runs, ReadCoRuns(machine, TableOfH200("corun_train.csv")));
  ASSIGN_OR_RETURN(auto held, ReadCoRuns(machine, TableOfH200("corun_validate.csv")));
  ASSIGN_OR_RETURN(auto mixtures, ReadMixtures(machine, TableOfH200("mixes_train.csv")));
  if (quick) runs.resize(std::min(runs.size(), kQuickRuns));
  return CoRunData{std::move(machine), std::move(runs), std::move(held), std::move(mixtures)};
}

// 1 - mean absolute percentage error: of all, of what is slowed by more than 1.1, by partition.
ExperimentRow AccuracyRow(std::string name, const std::vector<Judged>& judged) {
  ExperimentRow row{.policy = std::move(name)};
  const Accuracy accuracy = AccuracyOf(judged);
  row.Add("right", accuracy.overall);
  row.Add("slowed", accuracy.slowed);
  for (const NamedAccuracy& partition : ByPartition(judged))
    row.Add("right-" + partition.name, partition.accuracy.overall);
  return row;
}

Result<std::vector<ExperimentRow>> Teach(const CoRunData& data, const Learner& learner,
                                         std::uint64_t seed) {
  ASSIGN_OR_RETURN(const Learner* boosting, FindLearner("boosting"));
  const SlowdownFitter fitter(data.machine, {learner, *boosting}, {.seed = seed});
  SlowdownModel model = SlowdownModel::Learned(data.machine.partitions);
  RETURN_IF_ERROR(fitter.FitLayers(model, data.runs));
  std::vector rows = {AccuracyRow(std::string(learner.name), fitter.Judge(model, data.held))};
  if (learner.name != "boosting") return rows;
  // Networks: by integrating over layers; calibrated on half of the mixes, and judged on the rest.
  const auto integrated = fitter.Judge(model, data.mixtures, SlowdownModel::Correction::kNone);
  ASSIGN_OR_RETURN(const auto calibrated, fitter.CrossValidate(model, data.mixtures, 2));
  rows.push_back({.policy = "integrated"});
  rows.back().Add("mixes", AccuracyOf(integrated).overall);
  rows.push_back({.policy = "calibrated"});
  rows.back().Add("mixes", AccuracyOf(calibrated).overall);
  return rows;
}

}  // namespace

Tasks InterferenceAccuracyTasks(const ExperimentGrid& /*grid*/, const ExperimentPlan& plan) {
  const auto data =
      std::make_shared<MadeOnce<CoRunData>>([quick = plan.quick] { return ReadCoRunData(quick); });
  std::vector<ExperimentTask> tasks;
  for (const Learner& learner : Learners()) {
    const bool slow = learner.name != "boosting" && learner.name != "decision-tree";
    if (plan.quick && slow) continue;
    tasks.push_back({fmt::format("{} {} {}", learner.name, plan.quick, plan.seed),
                     [data, &learner, seed = plan.seed]() -> Result<std::vector<ExperimentRow>> {
                       const auto& read = data->Get();
                       if (!read.has_value()) return tl::unexpected(read.error());
                       return Teach(*read, learner, seed);
                     }});
  }
  tasks.push_back(
      {fmt::format("beliefs {}", plan.quick), [data]() -> Result<std::vector<ExperimentRow>> {
         const auto& read = data->Get();
         if (!read.has_value()) return tl::unexpected(read.error());
         ASSIGN_OR_RETURN(const Learner* boosting, FindLearner("boosting"));
         const SlowdownFitter fitter(read->machine, {*boosting, *boosting}, {});
         const auto shared = SlowdownModel::SharedBandwidth(4.8e12);
         return std::vector{AccuracyRow("none", fitter.Judge(SlowdownModel::None(), read->held)),
                            AccuracyRow("shared-bandwidth", fitter.Judge(shared, read->held))};
       }});
  return tasks;
}

}  // namespace fairlead
