#include "fairlead/serving/store/key_ring.h"

namespace fairlead {

KeyRing::KeyRing(std::span<const StoredKey> keys) {
  for (const StoredKey& key : keys) keys_.emplace(key.id, key);
}

std::optional<std::string_view> KeyRing::HolderOf(std::string_view shown) const {
  const auto key = ReadApiKey(shown);
  if (!key.has_value()) return std::nullopt;
  const auto found = keys_.find(key->id);
  const KeyDigest nobodys{};  // who guesses an id learns nothing from the time
  const bool same = SameDigest(key->digest, found == keys_.end() ? nobodys : found->second.digest);
  if (!same || found == keys_.end()) return std::nullopt;
  return found->second.tenant;
}

}  // namespace fairlead
