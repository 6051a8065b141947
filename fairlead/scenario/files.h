// How files are read that people name on the command line and in scenarios.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/base/check.h"
#include "fairlead/base/result.h"

namespace fairlead {

// Files of the project that the program carries within itself: descriptions of accelerators, and
// measurements.
struct EmbeddedFile {
  std::string_view path;  // from the root of the project: "data/accelerators/simba.yaml"
  std::string_view text;
};

std::span<const EmbeddedFile> EmbeddedFiles();

// The text of the file of this path.
inline Result<std::string_view> FindEmbeddedFile(std::string_view path) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.path == path) return file.text;
  }
  return Fail("{}: not in this program", path);
}
// Precondition: it is there.
inline std::string_view EmbeddedText(std::string_view path) {
  const auto text = FindEmbeddedFile(path);
  CHECK_MSG(text.has_value(), text.error().message);
  return *text;
}

// Fuzzers and tests hand in their own.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// The whole file; "path: what is wrong" if that cannot be.
Result<std::string> ReadFile(const std::string& path);

// A path that stands in a file, as seen from here: relative to that file.
std::string Beside(const std::string& file, const std::string& path);

}  // namespace fairlead
