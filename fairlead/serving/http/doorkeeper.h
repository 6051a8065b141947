// Who calls: what the wire asks before it lets anybody do anything.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "fairlead/serving/http/http_message.h"

namespace fairlead {

struct Caller {
  std::string tenant;        // empty: none of them
  bool is_operator = false;  // may change what is served, and see what tenants get
};

class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;

  // The caller, or the reply that it gets instead. Called by several threads at a time; must not
  // block.
  virtual tl::expected<Caller, HttpReply> Identify(const HttpRequest& request) const = 0;
};

// Everybody is who the header kTenantHeader says, or else this tenant, and an operator as well: for
// a laptop.
inline constexpr std::string_view kTenantHeader = "Fairlead-Tenant";

class AnonymousDoor final : public Doorkeeper {
 public:
  explicit AnonymousDoor(std::string tenant) : tenant_(std::move(tenant)) {}
  tl::expected<Caller, HttpReply> Identify(const HttpRequest& request) const override {
    const std::string_view named = request.Header(kTenantHeader);
    return Caller{.tenant = named.empty() ? tenant_ : std::string(named), .is_operator = true};
  }

 private:
  std::string tenant_;
};

}  // namespace fairlead
