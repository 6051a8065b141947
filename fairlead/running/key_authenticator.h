// Lets in who shows a key: `Authorization: Bearer KEY`, or `X-API-Key: KEY`. A key outranks
// whatever other headers say. Where nobody needs one, who shows none is let in by the other door.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/store/key_ring.h"

namespace fairlead {

class KeyAuthenticator final : public Doorkeeper {
 public:
  explicit KeyAuthenticator(std::optional<AnonymousDoor> without_key)
      : without_key_(std::move(without_key)), ring_(std::make_shared<const KeyRing>()) {}

  // From now on. From any thread.
  void Use(KeyRing ring);
  void Open() { open_ = true; }

  bool is_open() const override { return open_; }
  tl::expected<Caller, NoIdentity> Identify(const Credentials& shown) const override;

 private:
  const std::optional<AnonymousDoor> without_key_;
  std::atomic<bool> open_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const KeyRing> ring_;
};

}  // namespace fairlead
