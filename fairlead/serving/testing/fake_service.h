// A service without a world: a network "double" that returns its input twice as large, as soon as
// it is asked or when it is told to, and what else a test lists.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fairlead/serving/inference.h"

namespace fairlead {

class FakeService final : public InferenceService {
 public:
  FakeService();

  // What calls get instead of their result; none: the result.
  std::optional<InferenceAnswer> failure;
  std::optional<InferenceAnswer> early;  // whatever a call brings
  bool hold = false;                     // calls wait until Answer
  ServiceState current = ServiceState::kReady;
  std::vector<std::string> tenants = {"ada"};
  std::vector<std::string> changes;  // that were applied: "join ben", "start 1 0", ...
  std::vector<AgreementReport> agreements;
  ServiceReport report;
  NetworkOrder last_order;  // that was to be loaded

  // From now on its network takes any number of samples.
  void OpenBatch();
  void SetLoaded(bool loaded);
  void WaitForCalls(std::size_t count);
  void WaitForCancel();
  InferenceCall last_call() const;

  ServiceState state() const override { return current; }
  Ticket Submit(InferenceCall call, AnswerReply reply) override;
  std::optional<InferenceAnswer> RefuseEarly(TenantId /*tenant*/,
                                             std::string_view /*network*/) override {
    return early;
  }
  void Cancel(Ticket ticket) override;
  std::vector<NetworkInfo> Networks() const override { return {network_}; }
  std::optional<NetworkInfo> FindNetwork(std::string_view name) const override;
  bool NetworkReady(std::string_view name) const override;
  NetworkStatistics StatisticsOf(NetworkId network) const override;
  std::vector<std::string> Loadable() const override { return {}; }
  bool CanLoad(const std::string& name) const override { return FindNetwork(name).has_value(); }
  void LoadNetwork(NetworkOrder order, StatusReply reply) override;
  void UnloadNetwork(std::string name, StatusReply reply) override;
  void Change(ClientChange change, InputReply reply) override;
  std::optional<TenantId> FindTenant(std::string_view name) const override;
  std::optional<AgreementId> FindAgreement(TenantId tenant,
                                           std::string_view network) const override;
  void VisitAgreements(const std::function<void(const AgreementReport&)>& visit) const override;
  ServiceReport Report() const override { return report; }
  void Drain(Duration limit) override;

 private:
  struct FakeAgreement {
    TenantId tenant;
    bool open = true;
  };
  MadeByInput Apply(const ClientChange& change);

  NetworkInfo network_;
  std::vector<FakeAgreement> started_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  InferenceCall last_;
  std::size_t calls_ = 0;
  std::map<Ticket, AnswerReply> held_;
  bool cancelled_ = false;
};

}  // namespace fairlead
