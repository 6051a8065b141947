#include "apps/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace fairlead {

Result<std::unique_ptr<OutputFile>> OutputFile::Open(std::string path) {
  std::unique_ptr<OutputFile> file(new OutputFile(std::move(path)));
  file->stream_.open(file->Part(), std::ios::binary | std::ios::trunc);
  if (!file->stream_) {
    const int why = errno;
    file->committed_ = true;  // there is nothing to remove
    return Fail("{}: cannot be written: {}", file->path_, std::strerror(why));
  }
  return file;
}

OutputFile::~OutputFile() {
  if (!committed_) std::remove(Part().c_str());
}

Status OutputFile::Commit() {
  stream_.close();
  if (stream_.fail() || std::rename(Part().c_str(), path_.c_str()) != 0)
    return Fail("{}: cannot be written: is the disk full?", path_);
  committed_ = true;
  return {};
}

}  // namespace fairlead
