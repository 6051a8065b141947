#include "apps/input_files.h"

#include <sys/stat.h>

#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "fairlead/config/files.h"

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

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path == "-" ? "/dev/stdin" : path));
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
