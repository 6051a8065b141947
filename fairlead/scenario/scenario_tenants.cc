#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "fairlead/base/printable.h"
#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {
namespace {

constexpr int kMostTenants = 100'000;  // in one group

// target: {zipf: [70%, 80%, 90%], exponent: 1}
Result<ZipfTargets> ReadZipf(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"zipf", "exponent"}));
  ASSIGN_OR_RETURN(const ConfigNode rates, map.Require("zipf"));
  ASSIGN_OR_RETURN(const auto list, rates.List());
  ZipfTargets zipf;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(const double rate, item.AsRate());
    zipf.rates.push_back(rate);
  }
  if (zipf.rates.empty() || zipf.rates.size() > 1000)
    return FailAt(rates.Place(), "zipf needs 1 to 1000 rates");
  RETURN_IF_ERROR(map.ReadNumber("exponent", zipf.exponent, 0, 10));
  return zipf;
}

// The names under a key; none where it is missing or says * (all).
Status ReadWhom(const ConfigMap& map, std::string_view key, std::vector<std::string>& names) {
  RETURN_IF_ERROR(map.ReadTexts(key, names));
  if (names == std::vector<std::string>{"*"}) names.clear();
  return {};
}

Result<PromiseConfig> ReadPromiseOf(const ConfigNode& node) {
  ASSIGN_OR_RETURN(
      const ConfigMap map,
      ConfigMap::Open(node, WithTermKeys({"tenant", "network", "weight"}, TermsOf::kScenario)));
  PromiseConfig promise;
  promise.place = node.Place();
  RETURN_IF_ERROR(ReadWhom(map, "tenant", promise.tenants));
  RETURN_IF_ERROR(ReadWhom(map, "network", promise.networks));
  RETURN_IF_ERROR(map.ReadNumber("weight", promise.weight, 1e-6, 1e6));
  if (const auto target = map.Find("target"); target.has_value() && target->IsMap())
    return target->Wrong("targets are not dealt to a requests file; give one: 90%");
  RETURN_IF_ERROR(ReadTerms(map, TermsOf::kScenario, promise.terms));
  return promise;
}

std::vector<std::string> NamesOf(const TenantsConfig& group) {
  if (group.count == 1) return {group.name};
  std::vector<std::string> names;
  const std::size_t width = std::to_string(group.count).size();
  for (int i = 1; i <= group.count; ++i)
    names.push_back(fmt::format("{}-{:0{}}", group.name, i, width));
  return names;
}

}  // namespace

Result<std::vector<PromiseConfig>> ReadPromises(const ConfigNode& node) {
  if (!node.IsList()) return node.Wrong("expected a list such as [{tenant: camera, target: 95%}]");
  ASSIGN_OR_RETURN(const auto list, node.List());
  std::vector<PromiseConfig> promises;
  for (const ConfigNode& item : list) {
    ASSIGN_OR_RETURN(PromiseConfig promise, ReadPromiseOf(item));
    promises.push_back(std::move(promise));
  }
  return promises;
}

Result<std::vector<PromiseConfig>> ParsePromises(std::string_view file, const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode root, ConfigNode::Parse(file, text));
  return ReadPromises(root);
}

Result<TenantsConfig> ParseAgreement(const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode node, ConfigNode::Parse("--agreement", text));
  return ReadTenants(node);
}

Status ReplaceRequests(Scenario& scenario, const std::string& path) {
  for (TenantsConfig& group : scenario.tenants) {
    if (group.zipf.has_value())
      return FailAt(group.place,
                    "with --requests: targets that are dealt (zipf) are for arrivals that are "
                    "drawn; give the group one target");
    if (group.joins != Instant{} || group.leaves != kNever)
      return FailAt(group.place, "with --requests: tenants neither join nor leave");
    std::vector<std::string> names = NamesOf(group);
    std::vector<std::string> networks = group.networks;
    scenario.promises.push_back({.tenants = std::move(names),
                                 .networks = std::move(networks),
                                 .terms = std::move(group.terms),
                                 .weight = group.weight,
                                 .expected = false,
                                 .place = std::move(group.place)});
  }
  scenario.tenants.clear();
  scenario.load.reset();
  scenario.horizon = {};
  scenario.requests = path;
  scenario.requests_place = {};
  return {};
}

Result<TenantsConfig> ReadTenants(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, WithTermKeys({"name", "count", "networks", "networks_each",
                                                       "weight", "share", "rate", "factor",
                                                       "priority", "joins", "leaves", "arrivals"},
                                                      TermsOf::kScenario)));
  TenantsConfig tenants;
  tenants.place = node.Place();
  RETURN_IF_ERROR(map.ReadText("name", tenants.name));
  if (const std::string why = WhyNoName(tenants.name, 100); !why.empty())
    return map.Find("name")->Wrong(why);
  RETURN_IF_ERROR(map.ReadInteger("count", tenants.count, 1, kMostTenants));
  ASSIGN_OR_RETURN(const ConfigNode networks, map.Require("networks"));
  tenants.networks_place = networks.Place();
  RETURN_IF_ERROR(map.ReadTexts("networks", tenants.networks));
  if (tenants.networks.empty()) return networks.Wrong("expected at least one");
  std::set<std::string_view> seen;
  for (const std::string& network : tenants.networks) {
    if (!seen.insert(network).second)
      return networks.Wrong(fmt::format("'{}' stands twice", network));
  }
  RETURN_IF_ERROR(map.ReadInteger("networks_each", tenants.networks_each, 1,
                                  static_cast<int>(tenants.networks.size())));
  RETURN_IF_ERROR(map.ReadNumber("weight", tenants.weight, 1e-6, 1e6));
  RETURN_IF_ERROR(map.ReadNumber("share", tenants.share, 1e-6, 1e6));
  if (const auto rate = map.Find("rate"); rate.has_value()) {
    ASSIGN_OR_RETURN(tenants.rate, ReadRequestRate(*rate));
    if (map.Has("share")) return FailAt(rate->Place(), "rate and share exclude each other");
  }
  RETURN_IF_ERROR(map.ReadNumber("factor", tenants.qos_factor, 0.01, 1e6));
  if (const auto target = map.Find("target"); target.has_value() && target->IsMap()) {
    ASSIGN_OR_RETURN(tenants.zipf, ReadZipf(*target));
  }
  RETURN_IF_ERROR(
      ReadTerms(map, TermsOf::kScenario, tenants.terms, tenants.zipf.has_value() ? "target" : ""));
  if (tenants.terms.Has("deadline") && map.Has("factor"))
    return FailAt(map.Find("deadline")->Place(), "deadline and factor exclude each other");
  RETURN_IF_ERROR(map.ReadInteger("priority", tenants.priority, 0, 1'000'000));
  RETURN_IF_ERROR(map.ReadInstant("joins", tenants.joins));
  RETURN_IF_ERROR(map.ReadInstant("leaves", tenants.leaves));
  if (tenants.leaves <= tenants.joins) return FailAt(node.Place(), "leaves must come after joins");
  if (const auto arrivals = map.Find("arrivals"); arrivals.has_value()) {
    ASSIGN_OR_RETURN(tenants.arrivals, ReadArrivals(*arrivals));
  }
  return tenants;
}

}  // namespace fairlead
