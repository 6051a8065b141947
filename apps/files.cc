#include "apps/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
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

Result<std::string> ReadKey(const std::string& given) {
  if (!given.starts_with('@')) return given;
  ASSIGN_OR_RETURN(std::string key, ReadInput(given.substr(1)));
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  return key;
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

namespace {

// Where outputs of this program go, those that are complete among them.
class Targets {
 public:
  bool Take(const std::string& target) {
    const std::lock_guard lock(mutex_);
    return taken_.insert(target).second;
  }
  void GiveBack(const std::string& target) {
    const std::lock_guard lock(mutex_);
    taken_.erase(target);
  }
  void Begin(const std::string& part) {
    const std::lock_guard lock(mutex_);
    parts_.insert(part);
  }
  void End(const std::string& part) {
    const std::lock_guard lock(mutex_);
    parts_.erase(part);
  }
  void RemoveParts() {
    const std::lock_guard lock(mutex_);
    for (const std::string& part : parts_) std::remove(part.c_str());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> taken_;
  std::set<std::string> parts_;  // what is not complete
};

Targets& AllTargets() {
  static Targets targets;
  return targets;
}

Error CannotBeWritten(const std::string& path, int why) {
  return {fmt::format("{}: cannot be written: {}", path, std::generic_category().message(why))};
}

// A name that nobody has, in the target's folder: only there can a file be renamed to it.
std::string FreshName(const std::filesystem::path& target) {
  static std::atomic<unsigned> count = 0;
  return (target.parent_path() / fmt::format(".fairlead-{}-{}.part", getpid(), ++count)).string();
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(std::string path) {
  std::unique_ptr<OutputFile> file(new OutputFile(std::move(path)));
  if (file->path_ == kStandardOutput) return file;
  std::error_code unknown;  // what cannot be looked at is as good as not there
  const auto there = std::filesystem::status(file->path_, unknown);
  if (std::filesystem::is_directory(there)) return Fail("{}: is a directory", file->path_);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    file->stream_.open(file->path_, std::ios::binary | std::ios::trunc);
    if (!file->stream_) return tl::unexpected(CannotBeWritten(file->path_, errno));
    return file;
  }
  if (WasRead(file->path_)) return Fail("{}: is an input, and would be overwritten", file->path_);
  std::string target = WherePathLeads(file->path_);
  if (!AllTargets().Take(target))
    return Fail("{}: is the file of another output already", file->path_);
  file->target_ = std::move(target);
  RETURN_IF_ERROR(file->Create());
  return file;
}

Status OutputFile::Create() {
  constexpr int kTries = 1000;  // others may have left files of such names
  for (int i = 0; i < kTries; ++i) {
    std::string part = FreshName(target_);
    const int made = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 && errno == EEXIST) continue;
    if (made < 0) return tl::unexpected(CannotBeWritten(path_, errno));
    close(made);
    part_ = std::move(part);
    AllTargets().Begin(part_);
    stream_.open(part_, std::ios::binary);
    if (stream_) return {};
    break;
  }
  return tl::unexpected(CannotBeWritten(path_, errno));
}

OutputFile::~OutputFile() {
  if (!part_.empty()) {
    std::remove(part_.c_str());
    AllTargets().End(part_);
  }
  if (!target_.empty()) AllTargets().GiveBack(target_);
}

Status OutputFile::Commit() {
  if (path_ == kStandardOutput) {
    if (!std::cout.flush()) return Fail("cannot write to standard output");
    return {};
  }
  stream_.close();
  if (stream_.fail()) return Fail("{}: cannot be written: is the disk full?", path_);
  if (part_.empty()) return {};
  if (std::rename(part_.c_str(), target_.c_str()) != 0)
    return tl::unexpected(CannotBeWritten(path_, errno));
  AllTargets().End(part_);
  part_.clear();
  target_.clear();  // stays taken
  return {};
}

void RemoveUnfinishedOutputs() { AllTargets().RemoveParts(); }

std::string WherePathLeads(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(place, error)); ++links)
    place = place.parent_path() / fs::read_symlink(place, error);
  const fs::path whole = fs::weakly_canonical(place, error);
  return error || whole.empty() ? place.string() : whole.string();
}

Status MakeFolder(const std::string& folder, const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail("{}: cannot be made: {}", folder, error.message());
  ASSIGN_OR_RETURN(const auto trial, OutputFile::Open(folder + "/" + file));
  return {};
}

Status PrintOut(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return Fail("cannot write to standard output");
  return {};
}

}  // namespace fairlead
