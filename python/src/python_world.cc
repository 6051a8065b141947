#include "python/src/python_world.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "python/src/errors.h"

namespace fairlead {
namespace {

std::string& ShareFolder() {
  static std::string folder;
  return folder;
}

}  // namespace

void SetShareFolder(const std::string& folder) { ShareFolder() = folder; }

Result<std::string> ReadShared(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.starts_with('/') || ShareFolder().empty() || fs::exists(path, ignored))
    return ReadFile(path);
  const fs::path shared = fs::path(ShareFolder()) / path;
  return ReadFile(fs::exists(shared, ignored) ? shared.string() : path);
}

void RaiseInput(const Error& error) { throw InputError(error.message); }
void RaiseRun(const Error& error) { throw RunError(error.message); }

std::shared_ptr<const World> LoadWorldFor(const ScenarioSource& source) {
  const auto load = [&]() -> Result<std::unique_ptr<const World>> {
    std::string text;
    if (source.text.has_value()) {
      text = *source.text;
    } else {
      ASSIGN_OR_RETURN(text, ReadShared(source.file));
    }
    ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(source.file, text, source.settings));
    if (!source.requests.empty())
      RETURN_IF_ERROR(
          ReplaceRequests(scenario, std::filesystem::absolute(source.requests).string()));
    return BuildWorld(std::move(scenario), &ReadShared);
  };
  auto world = load();
  if (!world.has_value()) RaiseInput(world.error());
  return std::move(*world);
}

}  // namespace fairlead
