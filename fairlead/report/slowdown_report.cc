#include "fairlead/report/slowdown_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "fairlead/plots/xy_plot.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/json_text.h"

namespace fairlead {
namespace {

std::vector<NamedAccuracy> Grouped(std::span<const Judged> judged,
                                   const std::function<std::string(const Judged&)>& name) {
  std::map<std::string, std::vector<Judged>> groups;
  for (const Judged& one : judged) groups[name(one)].push_back(one);
  std::vector<NamedAccuracy> accuracies;
  for (const auto& [key, group] : groups) accuracies.push_back({key, AccuracyOf(group)});
  return accuracies;
}

std::string AccuracyOrDash(double value, std::size_t count) {
  return count == 0 ? "-" : fmt::format("{:.2f}", 100 * value);
}

std::string LineOf(const std::string& name, const std::string& what, const Accuracy& accuracy,
                   const std::string& time) {
  return fmt::format("{:<30}{:<24}{:>8}{:>9}{:>9}{:>9}{:>10}\n", name, what, accuracy.count,
                     AccuracyOrDash(accuracy.overall, accuracy.count),
                     AccuracyOrDash(accuracy.slowed, accuracy.slowed_count),
                     AccuracyOrDash(accuracy.removed, accuracy.count), time);
}

void PutAccuracy(JsonText& json, const Accuracy& accuracy) {
  json.Put("count", accuracy.count, "accuracy", accuracy.overall, "slowed_count",
           accuracy.slowed_count, "slowed_accuracy", accuracy.slowed, "error_removed",
           accuracy.removed);
}

std::optional<double> IfAny(double value, std::size_t count) {
  return count == 0 ? std::nullopt : std::optional(value);
}

const SlowdownResult* FirstOf(std::span<const SlowdownResult> results, SlowdownSubject subject) {
  const auto found = std::ranges::find(results, subject, &SlowdownResult::subject);
  return found == results.end() ? nullptr : &*found;
}

void PutHeadline(JsonText& json, std::span<const SlowdownResult> results) {
  const SlowdownResult* const layers = FirstOf(results, SlowdownSubject::kLayers);
  const SlowdownResult* const networks = FirstOf(results, SlowdownSubject::kNetworks);
  const Accuracy of_layers = layers == nullptr ? Accuracy{} : AccuracyOf(layers->judged);
  const Accuracy of_networks = networks == nullptr ? Accuracy{} : AccuracyOf(networks->judged);
  json.Put("accuracy", IfAny(of_layers.overall, of_layers.count), "accuracy_slowed",
           IfAny(of_layers.slowed, of_layers.slowed_count), "mix_accuracy",
           IfAny(of_networks.overall, of_networks.count), "predict_us",
           layers == nullptr ? std::nullopt : std::optional(layers->us_per_prediction));
  json.BeginObject("per_partition");
  const SlowdownResult* const divided = layers != nullptr ? layers : networks;
  for (const NamedAccuracy& group :
       divided == nullptr ? std::vector<NamedAccuracy>{} : ByPartition(divided->judged))
    json.Object(group.name, "count", group.accuracy.count, "accuracy", group.accuracy.overall,
                "accuracy_slowed", IfAny(group.accuracy.slowed, group.accuracy.slowed_count));
  json.End();
}

// Up to so many marks: more would hide each other.
constexpr std::size_t kMostMarks = 1500;

HtmlFigure CalibrationOf(const SlowdownResult& result, std::size_t number) {
  XyPlot plot{.label = fmt::format("{}: predicted over measured slowdown", result.model),
              .x = {.label = "measured slowdown", .kind = ScaleKind::kLog},
              .y = {.label = "predicted slowdown", .kind = ScaleKind::kLog}};
  double most = 1.1;
  XySeries marks{.name = result.what, .style = StyleOf(0), .line = false};
  const std::size_t stride = result.judged.size() / kMostMarks + 1;
  for (std::size_t i = 0; i < result.judged.size(); i += stride) {
    const Judged& one = result.judged[i];
    marks.points.push_back({one.measured, one.predicted,
                            fmt::format("p{}: measured {:.3f}, predicted {:.3f}", one.partition,
                                        one.measured, one.predicted)});
    most = std::max({most, one.measured, one.predicted});
  }
  plot.series.push_back({.name = "exact",
                         .style = kBoundStyle,
                         .points = {{0.95, 0.95, {}}, {most, most, {}}},
                         .marks = false});
  plot.series.push_back(std::move(marks));
  const Accuracy accuracy = AccuracyOf(result.judged);
  return {.name = fmt::format("calibration-{}", number),
          .title = fmt::format("{}, {}", result.model, result.what),
          .svg = DrawXyPlot(plot),
          .caption =
              fmt::format("{:.2f} % right over {} predictions, {} % where slowed by more "
                          "than {}. One mark in {} is shown.",
                          100 * accuracy.overall, accuracy.count,
                          AccuracyOrDash(accuracy.slowed, accuracy.slowed_count), kSlowed, stride)};
}

}  // namespace

std::vector<NamedAccuracy> ByPartition(std::span<const Judged> judged) {
  return Grouped(judged, [](const Judged& one) { return fmt::format("p{}", one.partition); });
}

std::vector<NamedAccuracy> ByCase(std::span<const Judged> judged) {
  return Grouped(judged, [](const Judged& one) {
    std::string name = fmt::format("p{} beside", one.partition);
    for (std::size_t p = 0; p < 32; ++p) {
      if ((one.beside >> p & 1) != 0) name += fmt::format(" p{}", p);
    }
    return name;
  });
}

std::string SlowdownsAsTable(std::span<const SlowdownResult> results) {
  std::string text =
      fmt::format("{:<30}{:<24}{:>8}{:>9}{:>9}{:>9}{:>10}\n{:<62}{:>9}{:>9}{:>9}{:>10}\n", "model",
                  "of", "number", "right", "slowed", "removed", "time", "", "%", "%", "%", "us");
  for (const SlowdownResult& result : results) {
    text += LineOf(
        result.model, result.what, AccuracyOf(result.judged),
        result.us_per_prediction > 0 ? fmt::format("{:.2f}", result.us_per_prediction) : "-");
    for (const NamedAccuracy& group : ByPartition(result.judged))
      text += LineOf("  " + group.name, "", group.accuracy, "");
  }
  return text +
         fmt::format(
             "right: 1 - mean absolute percentage error of the time beside others; slowed: the "
             "same "
             "where the\nmeasured slowdown exceeds {}; removed: of the error of saying that nobody "
             "is slowed.\n",
             kSlowed);
}

std::string SlowdownsAsJson(std::span<const SlowdownResult> results) {
  JsonText json;
  json.Put("version", FAIRLEAD_VERSION);
  PutHeadline(json, results);
  json.BeginList("results");
  for (const SlowdownResult& result : results) {
    json.BeginObject();
    json.Put("model", result.model, "of", result.what);
    PutAccuracy(json, AccuracyOf(result.judged));
    json.Put("us_per_prediction", result.us_per_prediction);
    json.BeginObject("cases");
    for (const auto& groups : {ByPartition(result.judged), ByCase(result.judged)}) {
      for (const NamedAccuracy& group : groups) {
        json.BeginObject(group.name);
        PutAccuracy(json, group.accuracy);
        json.End();
      }
    }
    json.End();
    json.End();
  }
  return std::move(json).Finish();
}

std::string SlowdownsAsHtml(std::span<const SlowdownResult> results) {
  HtmlPage page("Slowdown models");
  page.Section("Predicted beside measured");
  page.Verbatim(SlowdownsAsTable(results));
  std::vector<HtmlFigure> figures;
  for (std::size_t i = 0; i < results.size(); ++i) figures.push_back(CalibrationOf(results[i], i));
  page.Figures(figures);
  return std::move(page).Finish();
}

}  // namespace fairlead
