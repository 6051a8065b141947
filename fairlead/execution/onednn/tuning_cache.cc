#include "fairlead/execution/onednn/tuning_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "fairlead/base/stable_hash.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "fairlead-tunings 2";

// The processor by name and instructions, and the library by version.
std::string MachineName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string description;
  std::string line;
  while (std::getline(cpuinfo, line) && !line.empty()) {  // of the first core
    if (line.starts_with("model") || line.starts_with("flags") || line.starts_with("vendor") ||
        line.starts_with("cache size"))
      description += line;
  }
  const dnnl_version_t* const version = dnnl_version();
  return fmt::format("{:016x}-onednn-{}.{}.{}", StableHash(description), version->major,
                     version->minor, version->patch);
}

std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT: nobody changes the environment
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultCacheFolder() {
  if (const std::string cache = FromEnvironment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/fairlead";
  if (const std::string home = FromEnvironment("HOME"); !home.empty())
    return home + "/.cache/fairlead";
  return "";
}

std::map<std::string, std::string> ParseTunings(std::string_view text) {
  std::map<std::string, std::string> table;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::exchange(first, false)) {
      if (line != kFirstLine) return {};
      continue;
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0) continue;
    table.insert_or_assign(std::string(line.substr(0, tab)), std::string(line.substr(tab + 1)));
  }
  return table;
}

TuningCache::TuningCache(const std::string& folder) {
  if (folder.empty()) return;
  file_ = fmt::format("{}/tunings-{}.txt", folder, MachineName());
  table_ = Read(file_);
}

TuningCache::Table TuningCache::Read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();  // what cannot be read is missing
  return ParseTunings(text.str());
}

std::optional<std::string> TuningCache::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(key);
  if (found == table_.end()) return std::nullopt;
  return found->second;
}

void TuningCache::Put(const std::string& key, std::string value) {
  const std::lock_guard lock(mutex_);
  table_.insert_or_assign(key, std::move(value));
  changed_ = true;
}

Status TuningCache::Save() {
  const std::lock_guard lock(mutex_);
  if (file_.empty() || !changed_) return {};
  Table all = Read(file_);  // what others have added since
  for (const auto& [key, value] : table_) all.insert_or_assign(key, value);
  std::error_code error;
  fs::create_directories(fs::path(file_).parent_path(), error);
  static std::atomic<int> saves = 0;
  const std::string partial = fmt::format("{}.{}.{}", file_, getpid(), ++saves);
  {
    std::ofstream stream(partial, std::ios::binary);
    stream << kFirstLine << '\n';
    for (const auto& [key, value] : all) stream << key << '\t' << value << '\n';
    stream.flush();
    if (!stream) {
      fs::remove(partial, error);
      return Fail("{}: cannot be written; networks are measured at each load", partial);
    }
  }
  fs::rename(partial, file_, error);
  if (error) return Fail("{}: {}", file_, error.message());
  changed_ = false;
  return {};
}

}  // namespace fairlead
