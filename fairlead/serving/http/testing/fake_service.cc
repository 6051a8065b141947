#include "fairlead/serving/http/testing/fake_service.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fairlead {

FakeService::FakeService() {
  const TensorInfo tensor{.name = "x", .type = TensorType::kFp32, .shape = {1, 2}};
  network_ = {.id = NetworkId(0),
              .name = "double",
              .inputs = {tensor},
              .outputs = {tensor},
              .ready = true,
              .reason = {}};
  network_.outputs.front().name = "y";
}

Ticket FakeService::Submit(InferenceCall call, AnswerReply reply) {
  InferenceAnswer answer;
  if (failure.has_value()) {
    answer = *failure;
  } else if (call.network != network_.name) {
    answer.code = InferenceCode::kNoNetwork;
    answer.message = "no such network";
  } else {
    const auto values =
        std::make_shared<std::vector<float>>(call.inputs.at(0).data.bytes.size() / sizeof(float));
    std::memcpy(values->data(), call.inputs[0].data.bytes.data(), values->size() * sizeof(float));
    for (float& value : *values) value *= 2;
    answer.outputs.push_back(
        {.info = network_.outputs.front(),
         .data = {.owner = values, .bytes = std::as_bytes(std::span(*values))}});
  }
  {
    const std::lock_guard lock(mutex_);
    last_ = std::move(call);
    const Ticket ticket = ++calls_;
    changed_.notify_all();
    if (hold) {
      held_[ticket] = std::move(reply);
      return ticket;
    }
  }
  reply(std::move(answer));
  return 0;
}

void FakeService::Cancel(Ticket ticket) {
  AnswerReply reply;
  {
    const std::lock_guard lock(mutex_);
    reply = std::move(held_[ticket]);
    held_.erase(ticket);
    cancelled_ = true;
    changed_.notify_all();
  }
  reply({.code = InferenceCode::kCancelled, .message = {}, .retry_after = {}, .outputs = {}});
}

void FakeService::WaitForCalls(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return calls_ >= count; });
}

void FakeService::WaitForCancel() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_; });
}

InferenceCall FakeService::last_call() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::optional<NetworkInfo> FakeService::FindNetwork(std::string_view name) const {
  if (name != network_.name) return std::nullopt;
  return network_;
}

bool FakeService::NetworkReady(std::string_view name) const { return name == network_.name; }

NetworkStatistics FakeService::StatisticsOf(NetworkId /*network*/) const {
  NetworkStatistics statistics;
  statistics.ended[0] = 3;
  statistics.ended[4] = 2;
  statistics.queued_ns = 1500;
  statistics.executed_ns = 6000;
  for (const std::uint64_t time : {1000, 2000, 3000}) statistics.executed.Add(time);
  return statistics;
}

void FakeService::LoadNetwork(std::string /*name*/, StatusReply reply) { reply({}); }

void FakeService::UnloadNetwork(std::string /*name*/, StatusReply reply) {
  reply(Fail("it is needed"));
}

void FakeService::Change(ClientChange /*change*/, InputReply reply) { reply(MadeByInput{}); }

std::optional<TenantId> FakeService::FindTenant(std::string_view name) const {
  const auto found = std::ranges::find(tenants, name);
  if (found == tenants.end()) return std::nullopt;
  return TenantId(static_cast<std::uint32_t>(found - tenants.begin()));
}

std::optional<AgreementId> FakeService::FindAgreement(TenantId /*tenant*/,
                                                      std::string_view /*network*/) const {
  return std::nullopt;
}

void FakeService::VisitAgreements(const std::function<void(const AgreementReport&)>& visit) const {
  for (const AgreementReport& agreement : agreements) visit(agreement);
}

void FakeService::Drain(Duration /*limit*/) { current = ServiceState::kDraining; }

}  // namespace fairlead
