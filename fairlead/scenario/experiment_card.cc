#include "fairlead/scenario/experiment_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fairlead/scenario/embedded_files.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {
namespace {

std::optional<std::string> EmbeddedText(const std::string& path) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) return std::nullopt;
  return std::string(found->text);
}

Status ReadExpected(const ConfigMap& map, std::string_view key, std::vector<ExpectedNumber>& all) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const auto entries, node->Entries());
  for (const ConfigEntry& entry : entries) {
    ASSIGN_OR_RETURN(const ConfigMap number, ConfigMap::Open(entry.value, {"value", "tolerance"}));
    ExpectedNumber expected{.name = entry.key};
    RETURN_IF_ERROR(number.Require("value"));
    RETURN_IF_ERROR(number.Require("tolerance"));
    RETURN_IF_ERROR(number.ReadNumber("value", expected.value, -1e300, 1e300));
    RETURN_IF_ERROR(number.ReadNumber("tolerance", expected.tolerance, 0, 1e300));
    all.push_back(std::move(expected));
  }
  return {};
}

}  // namespace

// JSON is YAML, so one reader does for both.
Result<ExperimentCard> ParseExperimentCard(std::string_view name, const std::string& card,
                                           const std::string& expected) {
  const std::string folder = fmt::format("experiments/{}/", name);
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(folder + "experiment.yaml", card));
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(root, {"question", "reproduces", "refuted_by", "time", "quick_time"}));
  ExperimentCard read{.name = std::string(name)};
  for (const std::string_view key : {"question", "refuted_by", "time", "quick_time"})
    RETURN_IF_ERROR(map.Require(key));
  RETURN_IF_ERROR(map.ReadText("question", read.question));
  RETURN_IF_ERROR(map.ReadText("reproduces", read.reproduces));
  RETURN_IF_ERROR(map.ReadText("refuted_by", read.refuted_by));
  RETURN_IF_ERROR(map.ReadText("time", read.time));
  RETURN_IF_ERROR(map.ReadText("quick_time", read.quick_time));
  ASSIGN_OR_RETURN(const ConfigNode numbers, ConfigNode::Parse(folder + "expected.json", expected));
  ASSIGN_OR_RETURN(const ConfigMap both, ConfigMap::Open(numbers, {"version", "full", "quick"}));
  int version = 0;
  RETURN_IF_ERROR(both.Require("version"));
  RETURN_IF_ERROR(both.ReadInteger("version", version, 1, 1));
  RETURN_IF_ERROR(ReadExpected(both, "full", read.expected));
  RETURN_IF_ERROR(ReadExpected(both, "quick", read.expected_quick));
  return read;
}

Result<ExperimentCard> ReadExperimentCard(std::string_view name) {
  const auto card = EmbeddedText(fmt::format("experiments/{}/experiment.yaml", name));
  const auto expected = EmbeddedText(fmt::format("experiments/{}/expected.json", name));
  if (!card.has_value() || !expected.has_value())
    return Fail("experiments/{}: not in this program; scenario/CMakeLists.txt embeds it", name);
  return ParseExperimentCard(name, *card, *expected);
}

}  // namespace fairlead
