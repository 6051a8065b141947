// Names of networks and tenants, and which agreement a tenant has on a network: what a call is
// looked up in, by its own thread.
//
// It follows what the engine is told, input by input. All methods may be called from any thread;
// looking up takes as long with ten thousand tenants as with one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/random.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

using SharedNetworkInfo = std::shared_ptr<const NetworkInfo>;

// Where a call goes.
struct CallTarget {
  SharedNetworkInfo network;  // null: there is none of that name
  AgreementId agreement;      // not valid: there is none
  Duration deadline{};        // of the agreement
};

class ServiceIndex {
 public:
  // Ids count from 0 in the order of these calls. A network of a name that is there takes its
  // place.
  void AddNetwork(NetworkInfo info);
  void AddTenant(std::string_view name);
  void AddAgreement(const ServiceAgreement& agreement);
  // Another state of a network that is there.
  void ChangeNetwork(NetworkInfo info);
  // What the engine is about to apply.
  void Apply(const Input& input);

  CallTarget Find(TenantId tenant, std::string_view network) const;
  SharedNetworkInfo FindNetwork(std::string_view name) const;  // null: there is none
  std::vector<SharedNetworkInfo> Networks() const;
  std::optional<TenantId> FindTenant(std::string_view name) const;
  std::string NetworkName(NetworkId network) const;
  std::string TenantName(TenantId tenant) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return StableHash(text); }
  };
  template <typename IdType>
  using ByName = std::unordered_map<std::string, IdType, Hash, std::equal_to<>>;

  struct Agreement {
    TenantId tenant;
    NetworkId network;
    Duration deadline{};
    bool open = true;
  };

  static std::uint64_t KeyOf(TenantId tenant, NetworkId network) {
    return static_cast<std::uint64_t>(tenant.value) << 32 | network.value;
  }
  void Add(const ServiceAgreement& agreement);  // with the lock, as is the next one
  void End(AgreementId id);

  mutable std::shared_mutex mutex_;  // guards all below
  std::vector<SharedNetworkInfo> networks_;
  ByName<NetworkId> networks_by_name_;
  std::vector<std::string> tenants_;
  ByName<TenantId> tenants_by_name_;  // of those that have not left
  std::vector<Agreement> agreements_;
  std::unordered_map<std::uint64_t, AgreementId> by_key_;  // the last that is open
};

}  // namespace fairlead
