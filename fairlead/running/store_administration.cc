#include "fairlead/running/store_administration.h"

#include <fmt/format.h>

#include <utility>

#include "fairlead/base/printable.h"
#include "fairlead/base/units.h"
#include "fairlead/scenario/agreement_text.h"
#include "fairlead/serving/json_reader.h"
#include "fairlead/serving/utf8.h"

namespace fairlead {
namespace {

constexpr double kHeaviest = 1e6;

HttpReply Done(std::string json) {
  HttpReply reply;
  reply.body = std::move(json);
  return reply;
}

HttpReply Replied(const Result<std::string>& json) {
  if (json.has_value()) return Done(*json);
  return HttpError(400, "not-changed", json.error().message);
}

HttpReply Replied(const Status& status) {
  if (status.has_value()) return Done("{}");
  return HttpError(400, "not-changed", status.error().message);
}

HttpReply WrongMethod(std::string_view allowed) {
  HttpReply reply = HttpError(405, "method", fmt::format("this path is for {}", allowed));
  reply.headers.push_back({"Allow", std::string(allowed)});
  return reply;
}

HttpReply NoSuchPath() { return HttpError(404, "no-path", "there is nothing at this path"); }

// {"weight": 2}, or nothing.
Result<double> ReadWeight(std::string_view body) {
  double weight = 1;
  if (body.empty()) return weight;
  JsonReader reader(body);
  std::string key;
  for (reader.EnterObject(); reader.NextKey(key);) {
    if (key != "weight") {
      reader.Wrong(fmt::format("unknown key '{}'; expected weight", key.substr(0, 80)));
      break;
    }
    std::string_view digits;
    if (!reader.TakeNumber(digits)) break;
    const auto number = ParseNumber(digits);
    if (!number.has_value() || *number <= 0 || *number > kHeaviest)
      reader.Wrong(fmt::format("weight: expected a number above 0, up to {}", kHeaviest));
    weight = number.value_or(1);
  }
  reader.Finish();
  RETURN_IF_ERROR(reader.status());
  return weight;
}

// A JSON object, and nothing else: YAML would be more.
Status CheckObject(std::string_view text) {
  JsonReader reader(text);
  std::string key;
  for (reader.EnterObject(); reader.NextKey(key);) reader.Skip();
  reader.Finish();
  return reader.status();
}

Status CheckName(std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = Utf8Length(name);
    if (length == 0) return Fail("a name is a text in UTF-8");
    name.remove_prefix(length);
  }
  return {};
}

std::string KeyJson(std::string_view tenant, const std::string& key) {
  return fmt::format(R"({{"tenant":{},"key":{}}})", tenant.empty() ? "null" : JsonText(tenant),
                     JsonText(key));
}

}  // namespace

Result<std::string> AddKeyOf(Store& store, const std::string& tenant) {
  ASSIGN_OR_RETURN(const NewKey made, MakeApiKey());
  RETURN_IF_ERROR(store.AddKey({.id = made.key.id, .tenant = tenant, .digest = made.key.digest}));
  return made.text;
}

Result<std::string> AddTenantWithKey(Store& store, const StoredTenant& tenant) {
  RETURN_IF_ERROR(CheckName(tenant.name));
  if (const std::string why = WhyNoName(tenant.name, 100); !why.empty())
    return Fail("name: {}", why);
  RETURN_IF_ERROR(store.AddTenant(tenant));
  return AddKeyOf(store, tenant.name);
}

Status PutTerms(Store& store, std::string_view tenant, std::string_view network,
                std::string_view terms) {
  RETURN_IF_ERROR(CheckName(tenant));
  RETURN_IF_ERROR(CheckName(network));
  RETURN_IF_ERROR(CheckObject(terms));
  RETURN_IF_ERROR(ParseTerms(std::string(terms)));
  return store.PutAgreement({std::string(tenant), std::string(network), std::string(terms)});
}

std::string TermsIn(const StoredAgreement& agreement) {
  const std::string before = fmt::format(R"({{"name":{},"networks":[{}],"rate":"1/s")",
                                         JsonText(agreement.tenant), JsonText(agreement.network));
  std::string_view terms = agreement.terms;
  if (!terms.starts_with(before)) return agreement.terms;
  terms.remove_prefix(before.size());
  if (terms.starts_with(',')) terms.remove_prefix(1);
  return "{" + std::string(terms);
}

void StoreAdministration::Handle(HttpRequest request, std::vector<std::string> path,
                                 HttpReplyTo reply) {
  thread_.Post([this, request = std::move(request), path = std::move(path),
                reply = std::move(reply)] { reply(Made(Answer(request, path))); });
}

HttpReply StoreAdministration::Answer(const HttpRequest& request,
                                      const std::vector<std::string>& path) {
  if (path.empty()) return NoSuchPath();
  if (path[0] == "tenants") return AnswerTenants(request, path);
  if (path[0] == "agreements") return AnswerAgreements(request, path);
  if (path[0] == "keys" && path.size() == 2) {
    if (request.method != "DELETE") return WrongMethod("DELETE");
    return Replied(store_->RemoveKey(path[1]));
  }
  if (path[0] == "operators" && path.size() == 2 && path[1] == "keys") {
    if (request.method != "POST") return WrongMethod("POST");
    const auto key = AddKeyOf(*store_, "");
    return key.has_value() ? Done(KeyJson("", *key)) : Replied(key);
  }
  return NoSuchPath();
}

HttpReply StoreAdministration::AnswerTenants(const HttpRequest& request,
                                             const std::vector<std::string>& path) {
  if (path.size() == 1)
    return request.method == "GET" ? Replied(TenantsJson()) : WrongMethod("GET");
  if (path.size() == 3 && path[2] == "keys") {
    if (request.method != "POST") return WrongMethod("POST");
    const auto key = AddKeyOf(*store_, path[1]);
    return key.has_value() ? Done(KeyJson(path[1], *key)) : Replied(key);
  }
  if (path.size() != 2) return NoSuchPath();
  if (request.method == "DELETE") return Replied(store_->RemoveTenant(path[1]));
  if (request.method != "PUT") return WrongMethod("PUT, DELETE");
  const auto weight = ReadWeight(request.body);
  if (!weight.has_value()) return HttpError(400, "malformed", weight.error().message);
  const auto key = AddTenantWithKey(*store_, {.name = path[1], .weight = *weight});
  return key.has_value() ? Done(KeyJson(path[1], *key)) : Replied(key);
}

HttpReply StoreAdministration::AnswerAgreements(const HttpRequest& request,
                                                const std::vector<std::string>& path) {
  if (path.size() == 1)
    return request.method == "GET" ? Replied(AgreementsJson()) : WrongMethod("GET");
  if (path.size() != 3) return NoSuchPath();
  if (request.method == "DELETE") return Replied(store_->RemoveAgreement(path[1], path[2]));
  if (request.method != "PUT") return WrongMethod("PUT, DELETE");
  return Replied(PutTerms(*store_, path[1], path[2], request.body));
}

Result<std::string> StoreAdministration::TenantsJson() {
  ASSIGN_OR_RETURN(const auto tenants, store_->Tenants());
  ASSIGN_OR_RETURN(const auto keys, store_->Keys());
  std::string json;
  for (const StoredTenant& tenant : tenants) {
    std::string ids;
    for (const StoredKey& key : keys) {
      if (key.tenant == tenant.name) ids += (ids.empty() ? "" : ",") + JsonText(key.id);
    }
    json += fmt::format(R"({}{{"name":{},"weight":{},"keys":[{}]}})", json.empty() ? "" : ",",
                        JsonText(tenant.name), tenant.weight, ids);
  }
  return "[" + json + "]";
}

Result<std::string> StoreAdministration::AgreementsJson() {
  ASSIGN_OR_RETURN(const auto agreements, store_->Agreements());
  std::string json;
  for (const StoredAgreement& agreement : agreements) {
    const std::string terms = TermsIn(agreement);
    json += fmt::format(R"({}{{"tenant":{},"network":{},"terms":{}}})", json.empty() ? "" : ",",
                        JsonText(agreement.tenant), JsonText(agreement.network),
                        CheckObject(terms).has_value() ? terms : "null");
  }
  return "[" + json + "]";
}

}  // namespace fairlead
