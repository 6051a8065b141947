// Keys by which tenants and operators are known: made here, kept as hashes, told once.
//
//   fl-4f6a0c1b2d3e4f50-<64 hexadecimal digits>
//
// The first part finds the key, the second is the secret: 256 random bits, of which SHA-256 is
// kept. Comparing takes the same time whatever is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

using KeyDigest = std::array<std::uint8_t, 32>;

// A key that somebody shows.
struct ShownKey {
  std::string id;
  KeyDigest digest{};  // of its secret
};

struct NewKey {
  std::string text;  // to be told once
  ShownKey key;
};

Result<NewKey> MakeApiKey();

// None where it is no key by its form.
std::optional<ShownKey> ReadApiKey(std::string_view text);

bool SameDigest(const KeyDigest& one, const KeyDigest& other);

}  // namespace fairlead
