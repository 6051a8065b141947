// fairlead tenant, fairlead agreement
#include <fmt/format.h>
#include <sys/stat.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/files.h"
#include "apps/verbs.h"
#include "fairlead/running/store_administration.h"
#include "fairlead/serving/store/store.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

std::string Printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> NewKeyFor(Store& store, const std::string& tenant) {
  ASSIGN_OR_RETURN(const std::string key, AddKeyOf(store, tenant));
  return key + "\n";
}

Result<std::string> ListTenants(Store& store, OutputForm form) {
  ASSIGN_OR_RETURN(const auto tenants, store.Tenants());
  ASSIGN_OR_RETURN(const auto keys, store.Keys());
  Json json = Json::array();
  std::string text;
  const auto add = [&](const std::string& name, const Json& weight) {
    Json ids = Json::array();
    std::string listed;
    for (const StoredKey& key : keys) {
      if (key.tenant != name) continue;
      ids.push_back(key.id);
      listed += " " + key.id;
    }
    if (name.empty() && ids.empty()) return;
    json.push_back(
        {{"name", name.empty() ? Json() : Json(name)}, {"weight", weight}, {"keys", ids}});
    text += fmt::format("{:<20}{:<8} keys:{}\n", name.empty() ? "(operators)" : name, weight.dump(),
                        listed.empty() ? " none" : listed);
  };
  for (const StoredTenant& tenant : tenants) add(tenant.name, tenant.weight);
  add("", Json());
  return form == OutputForm::kJson ? Printed(json) : text;
}

Result<std::string> Act(const TenantOptions& options, Store& store) {
  if (options.action == "list") return ListTenants(store, options.form);
  if (options.action == "operator") return NewKeyFor(store, "");
  if (options.name.empty()) return Fail("fairlead tenant {}: which one?", options.action);
  if (options.action == "add") {
    ASSIGN_OR_RETURN(const std::string key,
                     AddTenantWithKey(store, {options.name, options.weight}));
    return key + "\n";
  }
  if (options.action == "key") return NewKeyFor(store, options.name);
  if (options.action == "revoke") {
    RETURN_IF_ERROR(store.RemoveKey(options.name));
  } else {
    RETURN_IF_ERROR(store.RemoveTenant(options.name));
  }
  return std::string();
}

Json ObjectOf(const std::deque<TermOption>& terms) {
  Json json = Json::object();
  for (const TermOption& term : terms) {
    if (!term.value.empty()) json[std::string(term.key)] = term.value;
  }
  return json;
}

Result<std::string> TermsText(const AgreementOptions& options) {
  Json terms = ObjectOf(options.terms);
  if (!terms.contains("deadline")) return Fail("fairlead agreement add: --deadline is needed");
  if (Json contract = ObjectOf(options.contract); !contract.empty()) terms["contract"] = contract;
  return terms.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> ListAgreements(Store& store, OutputForm form) {
  ASSIGN_OR_RETURN(const auto agreements, store.Agreements());
  Json json = Json::array();
  std::string text;
  for (const StoredAgreement& agreement : agreements) {
    const Json terms = Json::parse(TermsIn(agreement), nullptr, false);
    json.push_back(
        {{"tenant", agreement.tenant}, {"network", agreement.network}, {"terms", terms}});
    text += fmt::format("{:<20}{:<20}{}\n", agreement.tenant, agreement.network, terms.dump());
  }
  return form == OutputForm::kJson ? Printed(json) : text;
}

Result<std::string> Act(const AgreementOptions& options, Store& store) {
  if (options.action == "list") return ListAgreements(store, options.form);
  if (options.tenant.empty() || options.network.empty())
    return Fail("fairlead agreement {}: of which tenant, on which network?", options.action);
  if (options.action == "remove") {
    RETURN_IF_ERROR(store.RemoveAgreement(options.tenant, options.network));
    return std::string();
  }
  ASSIGN_OR_RETURN(const std::string terms, TermsText(options));
  RETURN_IF_ERROR(PutTerms(store, options.tenant, options.network, terms));
  return std::string();
}

template <typename Options>
int RunOn(const Options& options) {
  const bool adds = options.action == "add" || options.action == "operator";
  umask(S_IRWXG | S_IRWXO);  // the store is its owner's own
  const auto store =
      Store::Open(options.store, adds ? Store::IfMissing::kCreate : Store::IfMissing::kFail);
  if (!store.has_value()) return Complain(store.error(), kBadInput);
  const auto text = Act(options, **store);
  if (!text.has_value()) return Complain(text.error(), kBadInput);
  const Status printed = PrintOut(*text);
  return printed.has_value() ? kDone : Complain(printed.error(), kCouldNotGoOn);
}

}  // namespace

int Run(const TenantOptions& options) { return RunOn(options); }
int Run(const AgreementOptions& options) { return RunOn(options); }

}  // namespace fairlead
