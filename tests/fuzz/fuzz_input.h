// What all fuzz targets need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// libFuzzer's entry point; each target defines it. Aborting, by a CHECK for one, is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fairlead {

inline std::string TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fairlead
