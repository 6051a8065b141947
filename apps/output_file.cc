#include "apps/output_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fairlead {

Result<std::unique_ptr<OutputFile>> OutputFile::Open(std::string path) {
  std::unique_ptr<OutputFile> file(new OutputFile(std::move(path)));
  std::error_code unknown;  // what cannot be looked at is as good as not there
  const auto there = std::filesystem::status(file->path_, unknown);
  const bool direct = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there) &&
                      !std::filesystem::is_directory(there);
  const std::string target = direct ? file->path_ : file->path_ + ".part";
  file->stream_.open(target, std::ios::binary | std::ios::trunc);
  if (!file->stream_)
    return Fail("{}: cannot be written: {}", file->path_, std::generic_category().message(errno));
  if (!direct) file->part_ = target;
  return file;
}

OutputFile::~OutputFile() {
  if (!part_.empty()) std::remove(part_.c_str());
}

Status OutputFile::Commit() {
  stream_.close();
  if (stream_.fail()) return Fail("{}: cannot be written: is the disk full?", path_);
  if (part_.empty()) return {};
  if (std::rename(part_.c_str(), path_.c_str()) != 0)
    return Fail("{}: cannot be written: {}", path_, std::generic_category().message(errno));
  part_.clear();
  return {};
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
