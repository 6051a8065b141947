#include "fairlead/running/key_authenticator.h"

#include <string_view>
#include <utility>

namespace fairlead {
namespace {

constexpr std::string_view kBearer = "Bearer ";

tl::unexpected<NoIdentity> Unknown(std::string message) {
  return tl::unexpected(NoIdentity{std::move(message)});
}

}  // namespace

void KeyAuthenticator::Use(KeyRing ring) {
  auto next = std::make_shared<const KeyRing>(std::move(ring));
  const std::lock_guard lock(mutex_);
  ring_ = std::move(next);
}

tl::expected<Caller, NoIdentity> KeyAuthenticator::Identify(const Credentials& shown) const {
  std::string_view key = shown.key;
  if (!shown.authorization.empty()) {
    if (!shown.authorization.starts_with(kBearer))
      return Unknown("expected 'Authorization: Bearer KEY'");
    key = shown.authorization.substr(kBearer.size());
  }
  if (key.empty()) {
    if (without_key_.has_value()) return without_key_->Identify(shown);
    return Unknown(
        "a key is needed: 'Authorization: Bearer KEY'; fairlead tenant add NAME makes one");
  }
  std::shared_ptr<const KeyRing> ring;
  {
    const std::lock_guard lock(mutex_);
    ring = ring_;
  }
  const auto holder = ring->HolderOf(key);
  if (!holder.has_value()) return Unknown("this key is not known");
  return Caller{.tenant = std::string(*holder), .is_operator = holder->empty()};
}

}  // namespace fairlead
