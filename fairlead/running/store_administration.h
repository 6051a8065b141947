// Tenants, keys and agreements of a store, as operators change them: by `fairlead tenant` and
// `fairlead agreement`, and over the wire.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/serving/http/administration.h"
#include "fairlead/serving/store/store.h"
#include "fairlead/serving/task_thread.h"

namespace fairlead {

// Returns the new tenant's key, which is told this once. Its name is one that scenarios may have.
Result<std::string> AddTenantWithKey(Store& store, const StoredTenant& tenant);
// Another key of a tenant, or, without a name, of an operator.
Result<std::string> AddKeyOf(Store& store, const std::string& tenant);
// `terms` are a JSON object, for ParseTerms. They replace those of the agreement that is there.
Status PutTerms(Store& store, std::string_view tenant, std::string_view network,
                std::string_view terms);
// The terms of a stored agreement, as ParseTerms reads them. Versions up to 0.1.0 stored the
// tenant, the network and a rate that meant nothing in front of them.
std::string TermsIn(const StoredAgreement& agreement);

// Over the wire:
//   GET    /fairlead/tenants                       PUT, DELETE /fairlead/tenants/NAME
//   POST   /fairlead/tenants/NAME/keys, /fairlead/operators/keys
//   DELETE /fairlead/keys/ID
//   GET    /fairlead/agreements                    PUT, DELETE /fairlead/agreements/TENANT/NETWORK
// On a thread and a connection to the store of its own: nobody who serves waits.
class StoreAdministration final : public Administration {
 public:
  explicit StoreAdministration(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  void Handle(HttpRequest request, std::vector<std::string> path, HttpReplyTo reply) override;

 private:
  HttpReply Answer(const HttpRequest& request, const std::vector<std::string>& path);
  HttpReply AnswerTenants(const HttpRequest& request, const std::vector<std::string>& path);
  HttpReply AnswerAgreements(const HttpRequest& request, const std::vector<std::string>& path);
  Result<std::string> TenantsJson();
  Result<std::string> AgreementsJson();

  std::unique_ptr<Store> store_;  // of the thread
  TaskThread thread_;
};

}  // namespace fairlead
