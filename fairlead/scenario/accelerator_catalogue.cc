#include "fairlead/scenario/accelerator_catalogue.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "fairlead/scenario/accelerator_file.h"
#include "fairlead/scenario/embedded_files.h"

namespace fairlead {
namespace {

constexpr std::string_view kFolder = "data/accelerators/";

Result<AcceleratorModel> ReadBuiltIn(std::string_view name) {
  const std::string path = fmt::format("{}{}.yaml", kFolder, name);
  const auto text = FindEmbeddedFile(path);
  if (text.has_value()) return ParseAccelerator(path, std::string(*text), &ReadBuiltIn);
  return Fail("there is no accelerator '{}'", name);
}

std::vector<AcceleratorModel> ReadAll() {
  std::vector<AcceleratorModel> all;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (!file.path.starts_with(kFolder)) continue;
    std::string_view name = file.path.substr(kFolder.size());
    name.remove_suffix(std::string_view(".yaml").size());
    auto accelerator = ReadBuiltIn(name);
    CHECK_MSG(accelerator.has_value(), accelerator.error().message);
    all.push_back(std::move(*accelerator));
  }
  std::ranges::sort(all, {}, &AcceleratorModel::name);
  return all;
}

Result<AcceleratorModel> FindByName(std::string_view name) {
  const auto known = BuiltInAccelerators();
  const auto found = std::ranges::find(known, name, &AcceleratorModel::name);
  if (found != known.end()) return *found;
  std::vector<std::string_view> names;
  for (const AcceleratorModel& accelerator : known) names.push_back(accelerator.name);
  return Fail("unknown kind of accelerator '{}'{}", name, Suggest(name, names));
}

}  // namespace

std::span<const AcceleratorModel> BuiltInAccelerators() {
  static const std::vector<AcceleratorModel> all = ReadAll();
  return all;
}

Result<AcceleratorModel> FindAcceleratorModel(std::string_view name, const FileReader& read) {
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) return FindByName(name);
  ASSIGN_OR_RETURN(const std::string text, read(std::string(name)));
  return ParseAccelerator(name, text, &FindByName);
}

}  // namespace fairlead
