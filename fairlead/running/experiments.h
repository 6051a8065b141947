// Experiments as data: experiments/NAME/experiment.yaml says what is run (grids of worlds, policies
// and seeds), which numbers and figures follow from the runs, and what a paper has;
// experiments/NAME/expected.json has the numbers that we had before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/experiment_report.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/yaml_reader.h"
#include "fairlead/world/sharing_scenario.h"

namespace fairlead {

struct ExperimentPlan {
  bool quick = false;  // fewer seeds, smaller worlds: the same question, wider intervals
  std::uint64_t seed = 1;
  int seeds = 10;                       // of a full run
  int jobs = 0;                         // threads; 0: one per core
  std::vector<std::string> policies{};  // that compete beside those of the file
  // What has finished is kept in this file, and is not run again; empty: it is not kept.
  std::string runs_file{};
  std::function<void(double share)> progressed{};  // from any thread; may be empty
  std::stop_token stop{};
  FileReader read = &ReadFile;
};

// A scenario, and what it says otherwise.
struct ExperimentWorld {
  std::string name;
  std::string scenario;  // of scenarios/; with .yaml at its end a file of one's own
  std::vector<Setting> settings{};
};

// Who competes. What the fields mean is the kind's to say; "policy" is the spec.
struct Contestant {
  std::string name;
  std::map<std::string, std::string, std::less<>> fields{};

  std::string Field(std::string_view key, std::string otherwise = {}) const {
    const auto found = fields.find(key);
    return found == fields.end() ? std::move(otherwise) : found->second;
  }
};

// One run, or one part of one: figures by name, of which most are single values.
struct ExperimentRow {
  std::string world;
  double x = 0;  // where the world is run at several points: the queue utility, the load
  std::string policy;
  std::uint64_t seed = 1;
  std::vector<std::pair<std::string, std::vector<double>>> figures{};

  void Add(std::string name, double value) { figures.push_back({std::move(name), {value}}); }
  double Of(std::string_view figure) const;  // not a number where there is none
};

struct NumberSpec {
  std::string name;  // with {world}, {policy} and the keys of `with` in it
  std::string of;    // an expression (experiment_numbers.h), likewise
  enum class Over : std::uint8_t { kSeeds, kPoints, kCount } over = Over::kSeeds;
  std::vector<std::string> worlds{};    // patterns; none: all. "!x": all but x
  std::vector<std::string> policies{};  // likewise
  std::vector<std::map<std::string, std::string>> with{};
};

struct FigureSpec {
  // Over a world's points; over worlds; the distribution of a list; the list of the run with the
  // largest y as a square table.
  enum class Kind : std::uint8_t { kPoints, kWorlds, kDistribution, kMatrix } kind = Kind::kPoints;
  std::string name;
  std::string title;
  std::string x = "x";  // expressions, or the list
  std::string y;
  std::string x_label;
  std::string y_label;
  bool percent = false;  // of y
  bool log = false;      // of y
  std::vector<std::string> worlds{};
};

struct ExperimentGrid {
  std::string runs = "scheduling";  // the kind
  std::vector<ExperimentWorld> worlds{};
  std::vector<Contestant> policies{};
  int seeds = 1000;    // at most as many as the plan has
  int first_seed = 1;  // of a plan that begins with 1; such as 101 for tuning
  int quick_seeds = 2;
  std::map<std::string, std::string> groups{};  // of tenants, by patterns
  std::optional<ConfigNode> options{};          // the kind's own
  std::vector<NumberSpec> numbers{};
  std::vector<FigureSpec> figures{};

  std::vector<std::uint64_t> Seeds(const ExperimentPlan& plan) const;
};

struct ExperimentFile {
  std::string name;
  std::string question;
  std::string paper;       // author, year and what of it; empty: a question of ours
  std::string refuted_by;  // in words
  std::string time;        // in words: "40 s on one core"
  std::string quick_time;  // with --quick
  std::vector<ExperimentGrid> grids{};
  std::vector<PaperClaim> claims{};
  std::vector<ExpectedNumber> expected{};
  std::vector<ExpectedNumber> expected_quick{};
};

// What a thread does at a time. The key says all that its rows depend on, so that what was kept is
// known again.
struct ExperimentTask {
  std::string key;
  std::function<Result<std::vector<ExperimentRow>>()> run;
};

// How runs of a grid are made. Grids of "scheduling" and "sharing" are known; others are handed in.
struct ExperimentKind {
  std::string_view name;
  Result<std::vector<ExperimentTask>> (*tasks)(const ExperimentGrid& grid,
                                               const ExperimentPlan& plan);
};
Result<std::vector<ExperimentTask>> SchedulingTasks(const ExperimentGrid& grid,
                                                    const ExperimentPlan& plan);
Result<std::vector<ExperimentTask>> SharingTasks(const ExperimentGrid& grid,
                                                 const ExperimentPlan& plan);

// A sharing scenario with its settings, at each of its queue utilities; at every other one of them
// where the plan is quick.
struct SharingPoints {
  std::string text;
  std::vector<std::pair<double, std::shared_ptr<const RoundWorld>>> points;
};
Result<SharingPoints> SharingWorlds(const ExperimentWorld& of, const ExperimentPlan& plan);

// Those that the program carries.
std::vector<std::string> ExperimentNames();
// By name, or the folder of one's own experiment, read by `read`; its expected.json may be missing.
Result<ExperimentFile> ReadExperiment(const std::string& name, const FileReader& read);
Result<ExperimentFile> ParseExperiment(std::string_view name, const std::string& text,
                                       const std::string& expected);

Result<ExperimentResults> RunExperiment(const ExperimentFile& file, const ExperimentPlan& plan,
                                        std::span<const ExperimentKind> kinds = {});

// Whether a word fits one of the patterns, of which "*" is any text, and none of those after "!".
bool FitsPatterns(std::string_view word, std::span<const std::string> patterns);

// A file that the program carries, by its path from the root of the project; else as it is read.
Result<std::string> ShippedText(const std::string& path, const FileReader& read);
Result<std::string> ScenarioText(const ExperimentWorld& world, const FileReader& read);

}  // namespace fairlead
