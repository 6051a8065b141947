#include "apps/input_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

std::mutex mutex;
std::set<FileIdentity>& Files() {
  static std::set<FileIdentity> files;
  return files;
}

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity(status.st_dev, status.st_ino);
}

// Scenarios and data that are installed beside the program are found wherever it is called:
// PREFIX/share/fairlead/scenarios/fairness.yaml is scenarios/fairness.yaml.
std::string Found(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.starts_with('/') || fs::exists(path, ignored)) return path;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "fairlead" / path;
  return fs::exists(installed, ignored) ? installed.string() : path;
}

}  // namespace

Result<std::string> ReadInput(const std::string& named) {
  const std::string path = named == "-" ? "/dev/stdin" : Found(named);
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  if (const auto identity = IdentityOf(path); identity.has_value()) {
    const std::lock_guard lock(mutex);
    Files().insert(*identity);
  }
  return text;
}

bool WasRead(const std::string& path) {
  const auto identity = IdentityOf(path);
  const std::lock_guard lock(mutex);
  return identity.has_value() && Files().contains(*identity);
}

void AllowOverwriting(const std::string& path) {
  const auto identity = IdentityOf(path);
  const std::lock_guard lock(mutex);
  if (identity.has_value()) Files().erase(*identity);
}

}  // namespace fairlead
