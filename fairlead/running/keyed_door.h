// Lets in who shows a key: `Authorization: Bearer KEY`, or `X-API-Key: KEY`. A key outranks
// whatever other headers say. Where nobody needs one, who shows none is let in by the other door.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "fairlead/serving/http/doorkeeper.h"
#include "fairlead/serving/store/key_ring.h"

namespace fairlead {

class KeyedDoor final : public Doorkeeper {
 public:
  explicit KeyedDoor(std::optional<AnonymousDoor> without_key)
      : without_key_(std::move(without_key)), ring_(std::make_shared<const KeyRing>()) {}

  // From now on. From any thread.
  void Use(KeyRing ring);

  tl::expected<Caller, HttpReply> Identify(const HttpRequest& request) const override;

 private:
  const std::optional<AnonymousDoor> without_key_;
  mutable std::mutex mutex_;
  std::shared_ptr<const KeyRing> ring_;
};

}  // namespace fairlead
