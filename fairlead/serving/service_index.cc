#include "fairlead/serving/service_index.h"

#include <mutex>
#include <utility>
#include <variant>

namespace fairlead {

void ServiceIndex::AddNetwork(NetworkInfo info) {
  const std::lock_guard lock(mutex_);
  info.id = NetworkId{networks_.size()};
  networks_by_name_[info.name] = info.id;
  networks_.push_back(std::make_shared<const NetworkInfo>(std::move(info)));
}

void ServiceIndex::ChangeNetwork(NetworkInfo info) {
  const std::lock_guard lock(mutex_);
  SharedNetworkInfo& network = networks_[info.id.index()];
  network = std::make_shared<const NetworkInfo>(std::move(info));
}

void ServiceIndex::AddTenant(std::string_view name) {
  const std::lock_guard lock(mutex_);
  tenants_by_name_.insert_or_assign(std::string(name), TenantId{tenants_.size()});
  tenants_.emplace_back(name);
}

void ServiceIndex::AddAgreement(const ServiceAgreement& agreement) {
  const std::lock_guard lock(mutex_);
  Add(agreement);
}

void ServiceIndex::Add(const ServiceAgreement& agreement) {
  by_key_[KeyOf(agreement.tenant, agreement.network)] = AgreementId{agreements_.size()};
  agreements_.push_back({agreement.tenant, agreement.network, agreement.deadline});
}

void ServiceIndex::End(AgreementId id) {
  Agreement& agreement = agreements_[id.index()];
  agreement.open = false;
  const auto found = by_key_.find(KeyOf(agreement.tenant, agreement.network));
  if (found != by_key_.end() && found->second == id) by_key_.erase(found);
}

void ServiceIndex::Apply(const Input& input) {
  if (const auto* join = std::get_if<TenantJoin>(&input)) {
    AddTenant(join->tenant.name);
  } else if (const auto* start = std::get_if<AgreementStart>(&input)) {
    AddAgreement(start->agreement);
  } else if (const auto* change = std::get_if<AgreementChange>(&input)) {
    const std::lock_guard lock(mutex_);
    agreements_[change->id.index()].deadline = change->agreement.deadline;
  } else if (const auto* end = std::get_if<AgreementEnd>(&input)) {
    const std::lock_guard lock(mutex_);
    End(end->id);
  } else if (const auto* leave = std::get_if<TenantLeave>(&input)) {
    const std::lock_guard lock(mutex_);
    for (std::size_t a = 0; a < agreements_.size(); ++a) {
      if (agreements_[a].tenant == leave->tenant && agreements_[a].open) End(AgreementId{a});
    }
    const auto found = tenants_by_name_.find(tenants_[leave->tenant.index()]);
    if (found != tenants_by_name_.end() && found->second == leave->tenant)
      tenants_by_name_.erase(found);
  }
}

CallTarget ServiceIndex::Find(TenantId tenant, std::string_view network) const {
  const std::shared_lock lock(mutex_);
  const auto id = networks_by_name_.find(network);
  if (id == networks_by_name_.end()) return {};
  CallTarget target{.network = networks_[id->second.index()]};
  const auto agreement = by_key_.find(KeyOf(tenant, id->second));
  if (agreement == by_key_.end()) return target;
  target.agreement = agreement->second;
  target.deadline = agreements_[agreement->second.index()].deadline;
  return target;
}

SharedNetworkInfo ServiceIndex::FindNetwork(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = networks_by_name_.find(name);
  return found == networks_by_name_.end() ? nullptr : networks_[found->second.index()];
}

std::vector<SharedNetworkInfo> ServiceIndex::Networks() const {
  const std::shared_lock lock(mutex_);
  std::vector<SharedNetworkInfo> networks;
  for (const SharedNetworkInfo& network : networks_) {
    if (networks_by_name_.find(network->name)->second == network->id) networks.push_back(network);
  }
  return networks;
}

std::optional<TenantId> ServiceIndex::FindTenant(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = tenants_by_name_.find(name);
  if (found == tenants_by_name_.end()) return std::nullopt;
  return found->second;
}

std::string ServiceIndex::NetworkName(NetworkId network) const {
  const std::shared_lock lock(mutex_);
  return networks_[network.index()]->name;
}

std::string ServiceIndex::TenantName(TenantId tenant) const {
  const std::shared_lock lock(mutex_);
  return tenants_[tenant.index()];
}

}  // namespace fairlead
