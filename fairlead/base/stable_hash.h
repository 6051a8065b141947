// A hash that is the same number on every machine and with every library, which std::hash is not:
// for names of files, keys on disk and seeds. FNV-1a with 64 bits (Fowler, Noll and Vo).
#pragma once

#include <cstdint>
#include <string_view>

namespace fairlead {

constexpr std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace fairlead
