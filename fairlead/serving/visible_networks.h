// What a caller may know of: operators of everything, tenants of the networks that they have
// agreements on.
#pragma once

#include <string_view>
#include <vector>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

inline bool MaySee(const InferenceService& service, const Caller& caller,
                   std::string_view network) {
  if (caller.is_operator) return true;
  const auto tenant = service.FindTenant(caller.tenant);
  return tenant.has_value() && service.FindAgreement(*tenant, network).has_value();
}

inline std::vector<NetworkInfo> VisibleNetworks(const InferenceService& service,
                                                const Caller& caller) {
  std::vector<NetworkInfo> networks = service.Networks();
  std::erase_if(networks,
                [&](const NetworkInfo& network) { return !MaySee(service, caller, network.name); });
  return networks;
}

}  // namespace fairlead
