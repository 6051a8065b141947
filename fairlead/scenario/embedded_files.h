// Files of the project that the program carries within itself: descriptions of accelerators, and
// measurements.
#pragma once

#include <span>
#include <string_view>

namespace fairlead {

struct EmbeddedFile {
  std::string_view path;  // from the root of the project: "data/accelerators/simba.yaml"
  std::string_view text;
};

std::span<const EmbeddedFile> EmbeddedFiles();

}  // namespace fairlead
