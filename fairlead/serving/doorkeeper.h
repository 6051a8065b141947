// Who calls: what the wire asks before it lets anybody do anything.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace fairlead {

struct Caller {
  std::string tenant;        // empty: none of them
  bool is_operator = false;  // may change what is served, and see what tenants get
};

// What a caller shows, by headers or metadata of these names; empty where there is none.
inline constexpr std::string_view kAuthorizationHeader = "authorization";
inline constexpr std::string_view kKeyHeader = "x-api-key";
inline constexpr std::string_view kTenantHeader = "fairlead-tenant";
struct Credentials {
  std::string_view authorization;
  std::string_view key;
  std::string_view tenant;
};

// Why somebody is nobody; for people.
struct NoIdentity {
  std::string message;
};

class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;

  // False while the server is starting: nobody is let in.
  virtual bool is_open() const = 0;
  // Called by several threads at a time; must not block.
  virtual tl::expected<Caller, NoIdentity> Identify(const Credentials& shown) const = 0;
};

// Everybody is who they say, or else this tenant, and an operator as well: for a laptop.
class AnonymousDoor final : public Doorkeeper {
 public:
  explicit AnonymousDoor(std::string tenant) : tenant_(std::move(tenant)) {}
  bool is_open() const override { return true; }
  tl::expected<Caller, NoIdentity> Identify(const Credentials& shown) const override {
    return Caller{.tenant = shown.tenant.empty() ? tenant_ : std::string(shown.tenant),
                  .is_operator = true};
  }

 private:
  std::string tenant_;
};

}  // namespace fairlead
