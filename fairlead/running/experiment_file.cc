#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fairlead/running/experiments.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

using Texts = std::map<std::string, std::string>;

Result<Texts> ReadWords(const ConfigNode& node) {
  Texts words;
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(words[entry.key], entry.value.Text());
  }
  return words;
}

Status ReadWorlds(const ConfigMap& map, ExperimentGrid& grid) {
  std::string scenario;
  RETURN_IF_ERROR(map.ReadText("scenario", scenario));
  Texts common;
  if (const auto node = map.Find("settings"); node.has_value()) {
    ASSIGN_OR_RETURN(common, ReadWords(*node));
  }
  const auto add = [&](const std::string& name, const Texts& own) {
    ExperimentWorld world{.name = name, .scenario = scenario.empty() ? name : scenario};
    for (const auto& [key, value] : common) {
      if (!own.contains(key)) world.settings.push_back({key, value});
    }
    for (const auto& [key, value] : own) {
      if (key == "scenario")
        world.scenario = value;
      else
        world.settings.push_back({key, value});
    }
    grid.worlds.push_back(std::move(world));
  };
  const auto worlds = map.Find("worlds");
  if (!worlds.has_value()) {
    if (!scenario.empty()) add(scenario, {});
    return {};
  }
  ASSIGN_OR_RETURN(const auto entries, worlds->Entries());
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const Texts own, ReadWords(entry.value));
    add(entry.key, own);
  }
  return {};
}

// A list of specs, or a map from names to specs or to fields.
Status ReadPolicies(const ConfigNode& node, ExperimentGrid& grid) {
  if (!node.IsMap()) {
    ASSIGN_OR_RETURN(const auto list, node.List());
    for (const ConfigNode& item : list) {
      ASSIGN_OR_RETURN(const std::string spec, item.Text());
      grid.policies.push_back({spec, {{"policy", spec}}});
    }
    return {};
  }
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  for (const ConfigEntry& entry : entries) {
    Contestant& one = grid.policies.emplace_back(Contestant{.name = entry.key});
    if (entry.value.IsMap()) {
      ASSIGN_OR_RETURN(const Texts fields, ReadWords(entry.value));
      one.fields.insert(fields.begin(), fields.end());
    } else {
      ASSIGN_OR_RETURN(one.fields["policy"], entry.value.Text());
    }
  }
  return {};
}

Status ReadNumbers(const ConfigNode& node, ExperimentGrid& grid) {
  static constexpr std::array<std::string_view, 3> kOver = {"seeds", "points", "count"};
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  for (const ConfigEntry& entry : entries) {
    NumberSpec& spec = grid.numbers.emplace_back(NumberSpec{.name = entry.key});
    if (!entry.value.IsMap()) {
      ASSIGN_OR_RETURN(spec.of, entry.value.Text());
      continue;
    }
    ASSIGN_OR_RETURN(const ConfigMap map,
                     ConfigMap::Open(entry.value, {"of", "over", "worlds", "policies", "with"}));
    RETURN_IF_ERROR(map.Require("of"));
    RETURN_IF_ERROR(map.ReadText("of", spec.of));
    RETURN_IF_ERROR(map.ReadTexts("worlds", spec.worlds));
    RETURN_IF_ERROR(map.ReadTexts("policies", spec.policies));
    if (const auto over = map.Find("over"); over.has_value()) {
      ASSIGN_OR_RETURN(const std::size_t word, over->AsOneOf(kOver));
      spec.over = static_cast<NumberSpec::Over>(word);
    }
    if (const auto with = map.Find("with"); with.has_value()) {
      ASSIGN_OR_RETURN(const auto list, with->List());
      for (const ConfigNode& item : list) {
        ASSIGN_OR_RETURN(spec.with.emplace_back(), ReadWords(item));
      }
    }
  }
  return {};
}

Status ReadFigures(const ConfigNode& node, ExperimentGrid& grid) {
  static constexpr std::array<std::string_view, 4> kKinds = {"points", "worlds", "distribution",
                                                             "matrix"};
  ASSIGN_OR_RETURN(const auto list, node.List());
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const ConfigMap map,
                     ConfigMap::Open(item, {"name", "title", "over", "x", "y", "x_label", "y_label",
                                            "percent", "log", "worlds"}));
    FigureSpec& spec = grid.figures.emplace_back();
    ASSIGN_OR_RETURN(const ConfigNode over, map.Require("over"));
    ASSIGN_OR_RETURN(const std::size_t kind, over.AsOneOf(kKinds));
    spec.kind = static_cast<FigureSpec::Kind>(kind);
    RETURN_IF_ERROR(map.Require("name"));
    for (const auto& [key, text] :
         {std::pair{"name", &spec.name}, std::pair{"title", &spec.title}, std::pair{"x", &spec.x},
          std::pair{"y", &spec.y}, std::pair{"x_label", &spec.x_label},
          std::pair{"y_label", &spec.y_label}})
      RETURN_IF_ERROR(map.ReadText(key, *text));
    RETURN_IF_ERROR(map.ReadBoolean("percent", spec.percent));
    RETURN_IF_ERROR(map.ReadBoolean("log", spec.log));
    RETURN_IF_ERROR(map.ReadTexts("worlds", spec.worlds));
    if (spec.title.empty()) spec.title = spec.name;
    if (spec.x_label.empty()) spec.x_label = spec.x;
    if (spec.y_label.empty()) spec.y_label = spec.y;
  }
  return {};
}

Result<ExperimentGrid> ReadGrid(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"runs", "scenario", "settings", "worlds", "policies",
                                          "seeds", "first_seed", "quick_seeds", "groups", "options",
                                          "numbers", "figures"}));
  ExperimentGrid grid;
  RETURN_IF_ERROR(map.ReadText("runs", grid.runs));
  RETURN_IF_ERROR(ReadWorlds(map, grid));
  RETURN_IF_ERROR(map.ReadInteger("seeds", grid.seeds, 1, 1000));
  RETURN_IF_ERROR(map.ReadInteger("first_seed", grid.first_seed, 1, 1'000'000));
  RETURN_IF_ERROR(map.ReadInteger("quick_seeds", grid.quick_seeds, 1, 1000));
  if (const auto policies = map.Find("policies"); policies.has_value())
    RETURN_IF_ERROR(ReadPolicies(*policies, grid));
  if (const auto groups = map.Find("groups"); groups.has_value()) {
    ASSIGN_OR_RETURN(grid.groups, ReadWords(*groups));
  }
  if (const auto numbers = map.Find("numbers"); numbers.has_value())
    RETURN_IF_ERROR(ReadNumbers(*numbers, grid));
  if (const auto figures = map.Find("figures"); figures.has_value())
    RETURN_IF_ERROR(ReadFigures(*figures, grid));
  grid.options = map.Find("options");
  return grid;
}

Status ReadMaybe(const ConfigMap& map, std::string_view key, std::optional<double>& out) {
  if (!map.Has(key)) return {};
  return map.ReadNumber(key, out.emplace(), -1e300, 1e300);
}

Status ReadClaims(const ConfigNode& node, std::vector<PaperClaim>& claims) {
  ASSIGN_OR_RETURN(const auto entries, node.Entries());
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const ConfigMap map,
                     ConfigMap::Open(entry.value, {"paper", "none", "at_least", "at_most", "within",
                                                   "interval"}));
    PaperClaim claim{.number = entry.key};
    RETURN_IF_ERROR(ReadMaybe(map, "paper", claim.paper));
    RETURN_IF_ERROR(ReadMaybe(map, "none", claim.none));
    RETURN_IF_ERROR(ReadMaybe(map, "at_least", claim.at_least));
    RETURN_IF_ERROR(ReadMaybe(map, "at_most", claim.at_most));
    RETURN_IF_ERROR(ReadMaybe(map, "within", claim.within));
    RETURN_IF_ERROR(map.ReadBoolean("interval", claim.interval));
    if (!claim.paper.has_value() && !claim.at_least.has_value() && !claim.at_most.has_value())
      return entry.value.Wrong("expected paper:, at_least: or at_most:");
    claims.push_back(std::move(claim));
  }
  return {};
}

Status ReadExpected(const ConfigMap& map, std::string_view key, std::vector<ExpectedNumber>& all) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const auto entries, node->Entries());
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const ConfigMap number, ConfigMap::Open(entry.value, {"value", "tolerance"}));
    ExpectedNumber& expected = all.emplace_back(ExpectedNumber{.name = entry.key});
    RETURN_IF_ERROR(number.Require("value"));
    RETURN_IF_ERROR(number.Require("tolerance"));
    RETURN_IF_ERROR(number.ReadNumber("value", expected.value, -1e300, 1e300));
    RETURN_IF_ERROR(number.ReadNumber("tolerance", expected.tolerance, 0, 1e300));
  }
  return {};
}

}  // namespace

bool FitsPatterns(std::string_view word, std::span<const std::string> patterns) {
  bool fits = patterns.empty() || patterns.front().starts_with('!');
  for (const std::string& pattern : patterns) {
    if (pattern.starts_with('!'))
      fits = fits && !FitsPattern(word, std::string_view(pattern).substr(1));
    else
      fits = fits || FitsPattern(word, pattern);
  }
  return fits;
}

std::vector<std::uint64_t> ExperimentGrid::Seeds(const ExperimentPlan& plan) const {
  std::vector<std::uint64_t> all;
  const int count = plan.quick ? quick_seeds : std::min(plan.seeds, seeds);
  for (int s = 0; s < count; ++s)
    all.push_back(plan.seed - 1 + static_cast<std::uint64_t>(first_seed + s));
  return all;
}

// JSON is YAML, so one reader does for both.
Result<ExperimentFile> ParseExperiment(std::string_view name, const std::string& text,
                                       const std::string& expected) {
  const std::string folder = fmt::format("experiments/{}/", name);
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(folder + "experiment.yaml", text));
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(root, {"question", "paper", "refuted_by", "time", "quick_time",
                                          "grids", "claims"}));
  ExperimentFile file{.name = std::string(name)};
  for (const std::string_view key : {"question", "refuted_by", "grids"})
    RETURN_IF_ERROR(map.Require(key));
  RETURN_IF_ERROR(map.ReadText("question", file.question));
  RETURN_IF_ERROR(map.ReadText("paper", file.paper));
  RETURN_IF_ERROR(map.ReadText("refuted_by", file.refuted_by));
  RETURN_IF_ERROR(map.ReadText("time", file.time));
  RETURN_IF_ERROR(map.ReadText("quick_time", file.quick_time));
  ASSIGN_OR_RETURN(const auto grids, map.Find("grids")->List());
  for (const ConfigNode& grid : grids) {
    ASSIGN_OR_RETURN(file.grids.emplace_back(), ReadGrid(grid));
  }
  if (const auto claims = map.Find("claims"); claims.has_value())
    RETURN_IF_ERROR(ReadClaims(*claims, file.claims));
  if (expected.empty()) return file;
  ASSIGN_OR_RETURN(const ConfigNode numbers, ConfigNode::Parse(folder + "expected.json", expected));
  ASSIGN_OR_RETURN(const ConfigMap both, ConfigMap::Open(numbers, {"version", "full", "quick"}));
  int version = 0;
  RETURN_IF_ERROR(both.Require("version"));
  RETURN_IF_ERROR(both.ReadInteger("version", version, 1, 1));
  RETURN_IF_ERROR(ReadExpected(both, "full", file.expected));
  RETURN_IF_ERROR(ReadExpected(both, "quick", file.expected_quick));
  return file;
}

Result<std::string> ShippedText(const std::string& path, const FileReader& read) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  return found == files.end() ? read(path) : std::string(found->text);
}

Result<std::string> ScenarioText(const ExperimentWorld& world, const FileReader& read) {
  if (world.scenario.ends_with(".yaml")) return read(world.scenario);
  return ShippedText(fmt::format("scenarios/{}.yaml", world.scenario), read);
}

std::vector<std::string> ExperimentNames() {
  constexpr std::string_view kFolder = "experiments/";
  constexpr std::string_view kFile = "/experiment.yaml";
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (!file.path.starts_with(kFolder) || !file.path.ends_with(kFile)) continue;
    names.emplace_back(
        file.path.substr(kFolder.size(), file.path.size() - kFolder.size() - kFile.size()));
  }
  std::ranges::sort(names);
  return names;
}

Result<ExperimentFile> ReadExperiment(const std::string& name, const FileReader& read) {
  if (name.find('/') == std::string::npos) {
    ASSIGN_OR_RETURN(const std::string text,
                     ShippedText(fmt::format("experiments/{}/experiment.yaml", name), read));
    ASSIGN_OR_RETURN(const std::string expected,
                     ShippedText(fmt::format("experiments/{}/expected.json", name), read));
    return ParseExperiment(name, text, expected);
  }
  std::string folder = name;
  while (folder.ends_with('/')) folder.pop_back();
  ASSIGN_OR_RETURN(const std::string text, read(folder + "/experiment.yaml"));
  const auto expected = read(folder + "/expected.json");
  auto file = ParseExperiment(folder.substr(folder.rfind('/') + 1), text, expected.value_or(""));
  if (!file.has_value()) return Fail("{}: {}", folder, file.error().message);
  for (ExperimentGrid& grid : file->grids) {
    for (ExperimentWorld& world : grid.worlds) {
      if (world.scenario.ends_with(".yaml"))
        world.scenario = Beside(folder + "/experiment.yaml", world.scenario);
    }
  }
  return file;
}

}  // namespace fairlead
