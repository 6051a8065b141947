#include "fairlead/running/keyed_door.h"

#include <string_view>
#include <utility>

namespace fairlead {
namespace {

constexpr std::string_view kBearer = "Bearer ";

HttpReply Unknown(std::string_view message) {
  HttpReply reply = HttpError(401, "no-identity", message);
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

}  // namespace

void KeyedDoor::Use(KeyRing ring) {
  auto next = std::make_shared<const KeyRing>(std::move(ring));
  const std::lock_guard lock(mutex_);
  ring_ = std::move(next);
}

tl::expected<Caller, HttpReply> KeyedDoor::Identify(const HttpRequest& request) const {
  std::string_view shown = request.Header("X-API-Key");
  if (const std::string_view header = request.Header("Authorization"); !header.empty()) {
    if (!header.starts_with(kBearer))
      return tl::unexpected(Unknown("expected 'Authorization: Bearer KEY'"));
    shown = header.substr(kBearer.size());
  }
  if (shown.empty()) {
    if (without_key_.has_value()) return without_key_->Identify(request);
    return tl::unexpected(Unknown(
        "a key is needed: 'Authorization: Bearer KEY'; fairlead tenant add NAME makes one"));
  }
  std::shared_ptr<const KeyRing> ring;
  {
    const std::lock_guard lock(mutex_);
    ring = ring_;
  }
  const auto holder = ring->HolderOf(shown);
  if (!holder.has_value()) return tl::unexpected(Unknown("this key is not known"));
  return Caller{.tenant = std::string(*holder), .is_operator = holder->empty()};
}

}  // namespace fairlead
