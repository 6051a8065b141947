// fairlead interference
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "apps/files.h"
#include "apps/progress.h"
#include "apps/results.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/interference/slowdown_fit.h"
#include "fairlead/report/slowdown_report.h"

namespace fairlead {
namespace {

Result<TableText> ReadTable(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadInput(path));
  return TableText{path, std::move(text)};
}

// A table by its own name, or the one of that name in the machine's folder.
Result<TableText> ReadTableOf(const InterferenceOptions& options, const std::string& named,
                              std::string_view name) {
  if (!named.empty()) return ReadTable(named);
  if (options.machine.empty())
    return Fail("--{0} FILE is missing (or --machine DIR, which has {0}.csv)", name);
  return ReadTable(fmt::format("{}/{}.csv", options.machine, name));
}

Result<MachineData> ReadMachine(const InterferenceOptions& options) {
  ASSIGN_OR_RETURN(const TableText layers, ReadTableOf(options, options.layers, "layers"));
  TableText models;
  TableText networks;
  if (!options.mixes.empty()) {
    ASSIGN_OR_RETURN(models, ReadTableOf(options, options.models, "models"));
    ASSIGN_OR_RETURN(networks, ReadTableOf(options, options.networks, "networks"));
  }
  return ReadMachineData(layers, models, networks);
}

// Fewer say nothing about a model.
constexpr std::size_t kFewestToJudge = 2;

struct MeasuredModel {
  MachineData machine;
  std::vector<CoRun> runs;
  std::vector<NetworkMixture> mixtures;
};

Result<MeasuredModel> ReadMeasured(const InterferenceOptions& options) {
  if (options.coruns.empty() && options.mixes.empty())
    return Fail("nothing to learn from or to judge by; name --corun FILE or --mixes FILE");
  MeasuredModel measured;
  ASSIGN_OR_RETURN(measured.machine, ReadMachine(options));
  if (!options.coruns.empty()) {
    ASSIGN_OR_RETURN(const TableText table, ReadTable(options.coruns));
    ASSIGN_OR_RETURN(measured.runs, ReadCoRuns(measured.machine, table));
  }
  if (!options.mixes.empty()) {
    ASSIGN_OR_RETURN(const TableText table, ReadTable(options.mixes));
    ASSIGN_OR_RETURN(measured.mixtures, ReadMixtures(measured.machine, table));
  }
  return measured;
}

// How long one prediction takes, features and all: the quickest of many batches, since whatever
// else this machine does only adds. Precondition: there are runs.
double TimeOf(const SlowdownModel& model, const SlowdownFitter& fitter,
              std::span<const CoRun> runs) {
  constexpr std::size_t kBatch = 50;
  constexpr std::size_t kBatches = 40;
  std::vector<std::vector<const Occupant*>> sets;
  for (const CoRun& run : runs.first(std::min<std::size_t>(runs.size(), kBatch * kBatches)))
    sets.push_back(fitter.occupants().Of(run));
  double best = std::numeric_limits<double>::infinity();
  double sum = 0;
  std::size_t next = 0;
  const Stopwatch whole;
  for (std::size_t batch = 0; batch < kBatches && whole.ElapsedSeconds() < 5; ++batch) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < kBatch; ++i) {
      sum += model.OfLayer(sets[next], runs[next].partition);
      next = next + 1 < sets.size() ? next + 1 : 0;
    }
    best = std::min(best, watch.ElapsedSeconds() / kBatch);
  }
  return sum > 0 ? best * 1e6 : 0;
}

Result<SlowdownModel> FindModel(const std::string& text) {
  ASSIGN_OR_RETURN(auto assumed, SlowdownModel::Parse(text));
  if (assumed.has_value()) return std::move(*assumed);
  ASSIGN_OR_RETURN(const std::string file, ReadInput(text));
  return SlowdownModel::Read(text, file);
}

Status EnoughToJudge(const std::string& file, std::size_t rows) {
  if (file.empty() || rows >= kFewestToJudge) return {};
  return Fail("{}: {} to judge by; at least {} are needed", file, rows == 0 ? "no row" : "one row",
              kFewestToJudge);
}

Result<std::vector<SlowdownResult>> Evaluate(const InterferenceOptions& options) {
  std::vector<std::string> models = options.judged;
  if (!options.model_file.empty()) models.insert(models.begin(), options.model_file);
  if (models.empty())
    return Fail(
        "no model; name it by --model-file FILE, or none, constant:1.2 or "
        "shared-bandwidth:4.8TB/s");
  ASSIGN_OR_RETURN(const MeasuredModel measured, ReadMeasured(options));
  RETURN_IF_ERROR(EnoughToJudge(options.coruns, measured.runs.size()));
  RETURN_IF_ERROR(EnoughToJudge(options.mixes, measured.mixtures.size()));
  const SlowdownFitter fitter(measured.machine, {Learners().front(), Learners().front()}, {});
  std::vector<SlowdownResult> results;
  for (const std::string& name : models) {
    ASSIGN_OR_RETURN(const SlowdownModel model, FindModel(name));
    if (model.partitions() != 0 && model.partitions() != measured.machine.partitions)
      return Fail("{}: a model of {} partitions; the machine has {}", name, model.partitions(),
                  measured.machine.partitions);
    if (!measured.runs.empty())
      results.push_back({SlowdownSubject::kLayers, name, "layers",
                         fitter.Judge(model, measured.runs), TimeOf(model, fitter, measured.runs)});
    if (measured.mixtures.empty()) continue;
    const bool corrected = model.of_networks().regressor != nullptr;
    if (corrected)
      results.push_back(
          {SlowdownSubject::kNetworks, name, "networks, calibrated",
           fitter.Judge(model, measured.mixtures, SlowdownModel::Correction::kLearned)});
    results.push_back({SlowdownSubject::kNetworks, name, "networks",
                       fitter.Judge(model, measured.mixtures, SlowdownModel::Correction::kNone)});
  }
  return results;
}

struct Fitted {
  SlowdownModel model;
  std::vector<SlowdownResult> results;
};

Result<Fitted> Fit(const InterferenceOptions& options) {
  ASSIGN_OR_RETURN(const Learner* learner, FindLearner(options.learner));
  ASSIGN_OR_RETURN(const Learner* of_mixes, FindLearner(options.mix_learner));
  ASSIGN_OR_RETURN(const MeasuredModel measured, ReadMeasured(options));
  const std::size_t fits = options.folds + 1;
  ProgressMeter meter(fits, "fits");
  std::size_t fit = 0;
  FitOptions fit_options{.seed = options.seed, .progress = [&](double share) {
                           if (fit < fits) meter.Set(fit, share);
                           if (share >= 1) ++fit;
                         }};
  const SlowdownFitter fitter(measured.machine, {*learner, *of_mixes}, fit_options);
  const auto folds = static_cast<std::size_t>(options.folds);
  Fitted fitted{SlowdownModel::Learned(measured.machine.partitions), {}};
  if (!options.coruns.empty()) {
    if (folds > 1) {
      ASSIGN_OR_RETURN(auto judged, fitter.CrossValidate(measured.runs, folds));
      fitted.results.push_back(
          {SlowdownSubject::kLayers, options.learner, "layers not seen", std::move(judged)});
    }
    RETURN_IF_ERROR(fitter.FitLayers(fitted.model, measured.runs));
    if (folds > 1)
      fitted.results.back().us_per_prediction = TimeOf(fitted.model, fitter, measured.runs);
  }
  if (!options.mixes.empty()) {
    if (folds > 1) {
      ASSIGN_OR_RETURN(auto judged, fitter.CrossValidate(fitted.model, measured.mixtures, folds));
      fitted.results.push_back(
          {SlowdownSubject::kNetworks, options.mix_learner, "mixes not seen", std::move(judged)});
      fitted.results.push_back(
          {SlowdownSubject::kNetworks, options.learner, "mixes, uncalibrated",
           fitter.Judge(fitted.model, measured.mixtures, SlowdownModel::Correction::kNone)});
    }
    RETURN_IF_ERROR(fitter.FitNetworks(fitted.model, measured.mixtures));
  }
  return fitted;
}

std::string Formatted(const InterferenceOptions& options,
                      const std::vector<SlowdownResult>& results) {
  return options.form == OutputForm::kJson ? SlowdownsAsJson(results) : SlowdownsAsTable(results);
}

int RunFit(const InterferenceOptions& options) {
  if (options.out.empty()) return Complain({"interference fit: --out FILE is missing"}, kBadInput);
  ASSIGN_OR_COMPLAIN(const auto file, OutputFile::Open(options.out), kBadInput);
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto fitted, Fit(options), kBadInput);
  file->stream() << fitted.model.Write();
  COMPLAIN_IF_ERROR(file->Commit(), kCouldNotGoOn);
  return page.Finish([&] { return SlowdownsAsHtml(fitted.results); },
                     Formatted(options, fitted.results));
}

}  // namespace

int Run(const InterferenceOptions& options) {
  const SignalWatch signals;
  if (options.action == "fit") return RunFit(options);
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto results, Evaluate(options), kBadInput);
  return page.Finish([&] { return SlowdownsAsHtml(results); }, Formatted(options, results));
}

}  // namespace fairlead
