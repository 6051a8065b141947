#include "fairlead/scenario/files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace fairlead {

Result<std::string> ReadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Fail("{}: is a directory", path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Fail("{}: cannot be read: {}", path, std::generic_category().message(errno));
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  errno = 0;
  while (stream) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    stream.read(text.data() + before, kChunk);
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad())
    return Fail("{}: cannot be read: {}", path, std::generic_category().message(errno));
  return text;
}

std::string Beside(const std::string& file, const std::string& path) {
  const std::size_t slash = file.find_last_of('/');
  if (path.starts_with('/') || slash == std::string::npos) return path;
  return file.substr(0, slash + 1) + path;
}

}  // namespace fairlead
