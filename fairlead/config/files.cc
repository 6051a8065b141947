#include "fairlead/config/files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace fairlead {

Result<std::string> ReadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Fail("{}: is a directory", path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Fail("{}: cannot be read: {}", path, std::generic_category().message(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad())
    return Fail("{}: cannot be read: {}", path, std::generic_category().message(errno));
  return std::move(text).str();
}

std::string Beside(const std::string& file, const std::string& path) {
  const std::size_t slash = file.find_last_of('/');
  if (path.starts_with('/') || slash == std::string::npos) return path;
  return file.substr(0, slash + 1) + path;
}

}  // namespace fairlead
