#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apps/progress.h"
#include "apps/results.h"
#include "apps/simulate.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/report/sweep_report.h"
#include "fairlead/running/run.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostPoints = 10'000;

// At commas that stand in no brackets.
std::vector<std::string> SplitValues(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  for (const char c : text) {
    depth += static_cast<int>(c == '[' || c == '{') - static_cast<int>(c == ']' || c == '}');
    if (c == ',' && depth == 0) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

// "8,16,32GB/s": numbers without a unit have that of the last value.
void ShareUnit(std::vector<std::string>& values) {
  const std::string& last = values.back();
  const std::size_t end = last.find_first_not_of("0123456789.+-eE");
  if (end == std::string::npos || end == 0 || !ParseNumber(last.substr(0, end)).has_value()) return;
  const std::string unit = last.substr(end);
  for (std::string& value : values) {
    if (ParseNumber(value).has_value()) value += unit;
  }
}

struct SweptKey {
  std::string key;
  std::vector<std::string> values;
};

Result<SweptKey> ParseSetting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Fail("--set {}: expected KEY=VALUE, or KEY=V1,V2,...", text);
  SweptKey swept{.key = text.substr(0, equals), .values = SplitValues(text.substr(equals + 1))};
  ShareUnit(swept.values);
  std::set<std::string_view> seen;
  for (const std::string& value : swept.values) {
    if (value.empty()) return Fail("--set {}: a value is missing", text);
    if (!seen.insert(value).second) return Fail("--set {}: '{}' stands twice", text, value);
  }
  return swept;
}

// What a sweep would write once for each point, into one name.
Status CheckSweep(const SimulateOptions& options) {
  struct Refused {
    std::string_view name;
    bool given;
  };
  for (const Refused& one :
       {Refused{"--outcomes", !options.outcomes.empty()},
        Refused{"--trace", !options.trace.empty()}, Refused{"--record", !options.recording.empty()},
        Refused{"--books", !options.books.empty()},
        Refused{"--continue", !options.continued.empty()},
        Refused{"--loads", !options.loads.empty()}, Refused{"--live", !options.live.empty()}}) {
    if (one.given)
      return Fail("{} goes with one scenario and one value of each --set{}", one.name,
                  one.name == "--loads" ? "; sweep it: --set load=0.6,0.8" : "");
  }
  return {};
}

struct PlannedPoint {
  std::unique_ptr<const World> world;
  std::vector<RunSpec> specs;
  std::vector<Objective> objectives;
};

Result<PlannedPoint> PlanPoint(const SimulateOptions& options, const ChosenScenario& chosen) {
  PlannedPoint point;
  ASSIGN_OR_RETURN(point.world, LoadWorld(options, chosen));
  ASSIGN_OR_RETURN(const auto policies, ChoosePolicies(options, *point.world));
  ASSIGN_OR_RETURN(point.objectives, ReadObjectives(options, *point.world, policies));
  point.specs = SpecsOf(options, *point.world, policies);
  return point;
}

// Keys that differ between points, the scenario's name among them.
std::vector<std::string> KeysOf(const std::vector<ChosenScenario>& points) {
  std::vector<std::string> keys;
  const auto differ = [&](auto value_of) {
    return std::ranges::any_of(
        points, [&](const ChosenScenario& one) { return value_of(one) != value_of(points[0]); });
  };
  if (differ([](const ChosenScenario& one) { return one.file; })) keys.emplace_back("scenario");
  for (std::size_t k = 0; k < points.front().settings.size(); ++k) {
    if (differ([k](const ChosenScenario& one) { return one.settings[k].value; }))
      keys.push_back(points.front().settings[k].key);
  }
  return keys;
}

SweptPoint NamePoint(const ChosenScenario& chosen, const World& world,
                     const std::vector<std::string>& keys) {
  SweptPoint point{.heading = {.scenario = world.scenario.name,
                               .version = FAIRLEAD_VERSION,
                               .config = ScenarioJson(world.scenario)}};
  for (const std::string& key : keys) {
    const auto setting = std::ranges::find(chosen.settings, key, &Setting::key);
    point.values.push_back(setting == chosen.settings.end() ? world.scenario.name : setting->value);
  }
  return point;
}

std::string SweepText(const SimulateOptions& options, const SweepResults& results) {
  if (options.form == SimulateForm::kJson) return FormatSweepJson(results);
  if (options.form == SimulateForm::kCsv) return FormatSweepCsv(results);
  return FormatSweepTable(results, options.form == SimulateForm::kWide ? AgreementsShown::kAll
                                                                       : AgreementsShown::kIfFew);
}

}  // namespace

Result<std::vector<ChosenScenario>> SweepPoints(const SimulateOptions& options) {
  std::vector<ChosenScenario> points;
  for (const std::string& file : options.scenarios) {
    if (std::ranges::find(points, file, &ChosenScenario::file) != points.end())
      return Fail("{} stands twice", file);
    points.push_back({.file = file, .settings = {}});
  }
  if (points.empty()) points.emplace_back();
  std::set<std::string> keys;
  for (const std::string& text : options.settings) {
    ASSIGN_OR_RETURN(const SweptKey swept, ParseSetting(text));
    if (!keys.insert(swept.key).second)
      return Fail("--set {}: the key stands twice; give all its values at once", text);
    if (points.size() * swept.values.size() > kMostPoints)
      return Fail("--set: more than {} combinations", kMostPoints);
    std::vector<ChosenScenario> finer;
    for (const ChosenScenario& point : points) {
      for (const std::string& value : swept.values) {
        finer.push_back(point);
        finer.back().settings.push_back({swept.key, value});
      }
    }
    points = std::move(finer);
  }
  return points;
}

int RunSweep(const SimulateOptions& options, const std::vector<ChosenScenario>& points,
             SignalWatch& signals) {
  COMPLAIN_IF_ERROR(CheckSweep(options), kBadInput);
  SweepResults results{.keys = KeysOf(points), .points = {}, .command = options.command};
  std::vector<PlannedPoint> planned;
  std::size_t runs = 0;
  for (const ChosenScenario& chosen : points) {
    ASSIGN_OR_COMPLAIN(auto point, PlanPoint(options, chosen), kBadInput);
    runs += point.specs.size();
    results.points.push_back(NamePoint(chosen, *point.world, results.keys));
    planned.push_back(std::move(point));
  }
  ASSIGN_OR_COMPLAIN(auto page, ResultPage::Open(options.report), kBadInput);
  signals.Arm();
  const int threads = ThreadsFor(options.jobs);
  std::vector<ObjectiveVerdict> verdicts;
  {
    ProgressMeter meter(runs);
    std::size_t before = 0;
    for (std::size_t p = 0; p < planned.size() && signals.signal() == 0; ++p) {
      const RunPlan plan{
          .specs = planned[p].specs,
          .threads = std::min(threads, static_cast<int>(planned[p].specs.size())),
          .stop = signals.token(),
          .progressed = [&](std::size_t run, double share) { meter.Set(before + run, share); }};
      ASSIGN_OR_COMPLAIN(auto figures, RunAll(*planned[p].world, plan), kCouldNotGoOn);
      results.points[p].runs = std::move(figures);
      if (signals.signal() == 0) {
        results.points[p].verdicts = Judge(planned[p].objectives, results.points[p].runs);
        std::ranges::copy(results.points[p].verdicts, std::back_inserter(verdicts));
      }
      before += planned[p].specs.size();
    }
  }
  std::erase_if(results.points, [](const SweptPoint& point) { return point.runs.empty(); });
  const int status =
      page.Finish([&] { return FormatSweepPage(results); }, SweepText(options, results));
  if (status != kDone) return status;
  if (signals.signal() != 0) {
    Tell("interrupted: {} of {} combinations were begun\n", results.points.size(), points.size());
    return kInterrupted + signals.signal();
  }
  return TellOfUnmet(verdicts);
}

}  // namespace fairlead
