// All keys that are good at a time. Finding one costs the same however many there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fairlead/serving/store/api_key.h"

namespace fairlead {

struct StoredKey {
  std::string id;
  std::string tenant;  // empty: an operator's
  KeyDigest digest{};

  friend bool operator==(const StoredKey&, const StoredKey&) = default;
};

class KeyRing {
 public:
  explicit KeyRing(std::span<const StoredKey> keys = {});

  // Whose key it is: a tenant's name, or nothing for an operator; none: it is no good.
  std::optional<std::string_view> HolderOf(std::string_view shown) const;

 private:
  std::unordered_map<std::string, StoredKey> keys_;
};

}  // namespace fairlead
