#include "fairlead/running/training/replaced_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fairlead {

Status ReplaceFile(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0;
  while (good && !text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    good = written > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(written));
  }
  good = good && ::fsync(file) == 0;
  const int why = errno;
  if (file >= 0) ::close(file);
  if (!good || std::rename(beside.c_str(), path.c_str()) != 0)
    return Fail("{}: cannot be written ({})", path, std::strerror(good ? errno : why));
  return {};
}

}  // namespace fairlead
