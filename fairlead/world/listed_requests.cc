#include "fairlead/world/listed_requests.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/units.h"
#include "fairlead/scheduling/input_check.h"
#include "fairlead/workload/requests_file.h"

namespace fairlead {
namespace {

// The first that fits; null: none does.
const PromiseConfig* PromiseTo(const Scenario& scenario, std::string_view tenant,
                               std::string_view network) {
  const auto fits = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  const auto found = std::ranges::find_if(scenario.promises, [&](const PromiseConfig& promise) {
    return fits(promise.tenants, tenant) && fits(promise.networks, network);
  });
  return found == scenario.promises.end() ? nullptr : &*found;
}

// A name that nobody has is a typing error.
Status CheckNames(const World& world, const std::set<std::string_view>& known) {
  const std::vector<std::string_view> all(known.begin(), known.end());
  for (const PromiseConfig& promise : world.scenario.promises) {
    if (!promise.expected) continue;
    for (const auto* names : {&promise.tenants, &promise.networks}) {
      for (const std::string& name : *names) {
        if (!known.contains(name))
          return FailAt(promise.place, "no request is about '{}'{}", name, Suggest(name, all));
      }
    }
  }
  return {};
}

Status MakePromises(World& world) {
  std::set<std::string_view> known;
  double floors = 0;
  std::int64_t windows = 0;
  for (PlannedAgreement& planned : world.agreements) {
    Tenant& tenant = world.tenants[planned.agreement.tenant.index()];
    const std::string& network = world.networks[planned.agreement.network.index()].name();
    known.insert(tenant.name);
    known.insert(network);
    const PromiseConfig* const promise = PromiseTo(world.scenario, tenant.name, network);
    if (promise == nullptr) continue;
    tenant.weight = promise->weight;
    ServiceAgreement agreement = promise->terms.promise;
    agreement.tenant = planned.agreement.tenant;
    agreement.network = planned.agreement.network;
    agreement.deadline = planned.agreement.deadline;
    planned.agreement = agreement;
    if ((floors += agreement.floor) > kWholeMachine)
      return FailAt(promise->place, "floors sum to {:.6g} % of the machine", 100 * floors);
    if ((windows += agreement.window) > kMostWindows)
      return FailAt(promise->place, "all windows together exceed {}", kMostWindows);
  }
  return CheckNames(world, known);
}

}  // namespace

Status ListRequests(World& world, const FileReader& read) {
  Scenario& scenario = world.scenario;
  const std::string path = Beside(scenario.file, scenario.requests);
  auto text = read(path);
  if (!text.has_value()) {
    if (scenario.requests_place.line == 0) return tl::unexpected(text.error());
    return FailAt(scenario.requests_place, "requests: {}", text.error().message);
  }
  ASSIGN_OR_RETURN(const RequestRows rows, ParseRequests(path, *text));
  if (!scenario.promises_file.empty()) {
    const std::string promises = Beside(scenario.file, scenario.promises_file);
    ASSIGN_OR_RETURN(const std::string listed, read(promises));
    ASSIGN_OR_RETURN(scenario.promises, ParsePromises(promises, listed));
  }
  std::vector<std::string_view> names;
  for (const NetworkGraph& network : world.networks) names.push_back(network.name());
  const auto deadline_of = [&scenario](std::string_view tenant,
                                       std::string_view network) -> std::optional<Duration> {
    const PromiseConfig* const promise = PromiseTo(scenario, tenant, network);
    if (promise == nullptr || !promise->terms.Has("deadline")) return std::nullopt;
    return promise->terms.promise.deadline;
  };
  ASSIGN_OR_RETURN(RequestsFile file, BuildRequests(rows, names, deadline_of));
  world.tenants = std::move(file.tenants);
  for (const ServiceAgreement& agreement : file.agreements)
    world.agreements.push_back({.agreement = agreement});
  world.requests = std::move(file.requests);
  return MakePromises(world);
}

}  // namespace fairlead
