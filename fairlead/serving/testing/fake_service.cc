#include "fairlead/serving/testing/fake_service.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "fairlead/base/units.h"

namespace fairlead {

FakeService::FakeService() {
  network_ = {.id = NetworkId(0),
              .name = "double",
              .inputs = {{.name = "x", .type = TensorType::kFp32, .shape = {1, 2}}},
              .outputs = {{.name = "y", .type = TensorType::kFp32, .shape = {1, 2}}},
              .ready = true,
              .reason = {}};
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
        {.info = {.name = network_.outputs.front().name,
                  .type = TensorType::kFp32,
                  .shape = {static_cast<std::int64_t>(values->size()) / 2, 2}},
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

void FakeService::OpenBatch() {
  network_.inputs.front().shape.front() = -1;
  network_.outputs.front().shape.front() = -1;
}

void FakeService::SetLoaded(bool loaded) {
  network_.ready = loaded;
  network_.reason = std::string(loaded ? "" : "it was unloaded");
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

bool FakeService::NetworkReady(std::string_view name) const {
  return name == network_.name && network_.ready;
}

NetworkStatistics FakeService::StatisticsOf(NetworkId /*network*/) const {
  NetworkStatistics statistics;
  statistics.ended[0] = 3;
  statistics.ended[4] = 2;
  statistics.queued_ns = 1500;
  statistics.executed_ns = 6000;
  statistics.last_ms = 1'700'000'000'123;
  for (const std::uint64_t time : {1000, 2000, 3000}) statistics.executed.Add(time);
  return statistics;
}

void FakeService::LoadNetwork(NetworkOrder order, StatusReply reply) {
  last_order = std::move(order);
  reply({});
}

void FakeService::UnloadNetwork(std::string /*name*/, StatusReply reply) {
  reply(Fail("it is needed"));
}

MadeByInput FakeService::Apply(const ClientChange& change) {
  MadeByInput made;
  if (const auto* join = std::get_if<TenantJoin>(&change)) {
    changes.push_back("join " + join->tenant.name);
    made.tenant = TenantId(tenants.size());
    tenants.push_back(join->tenant.name);
  } else if (const auto* leave = std::get_if<TenantLeave>(&change)) {
    changes.push_back("leave " + tenants.at(leave->tenant.index()));
    tenants[leave->tenant.index()].clear();
  } else if (const auto* start = std::get_if<AgreementStart>(&change)) {
    changes.push_back("start " + tenants.at(start->agreement.tenant.index()) + " " +
                      FormatDuration(start->agreement.deadline));
    made.agreement = AgreementId(started_.size());
    started_.push_back({.tenant = start->agreement.tenant});
  } else if (const auto* other = std::get_if<AgreementChange>(&change)) {
    changes.push_back("change " + tenants.at(other->agreement.tenant.index()) + " " +
                      FormatDuration(other->agreement.deadline));
  } else if (const auto* end = std::get_if<AgreementEnd>(&change)) {
    changes.push_back("end " + tenants.at(started_.at(end->id.index()).tenant.index()));
    started_[end->id.index()].open = false;
  } else if (const auto* going_on = std::get_if<AgreementContinue>(&change)) {
    changes.push_back("continue with " + std::to_string(going_on->history.lifetime.hits()));
  } else if (const auto* loss = std::get_if<AcceleratorLoss>(&change)) {
    changes.push_back("lose " + std::to_string(loss->accelerator.index()));
  } else if (const auto* back = std::get_if<AcceleratorReturn>(&change)) {
    changes.push_back("return " + std::to_string(back->accelerator.index()));
  } else if (const auto* policy = std::get_if<PolicyChange>(&change)) {
    changes.push_back("policy " + policy->policy);
  }
  return made;
}

void FakeService::Change(ClientChange change, InputReply reply) {
  const auto* const policy = std::get_if<PolicyChange>(&change);
  if (policy != nullptr && policy->policy == "no-such")
    return reply(tl::unexpected(Refusal{.message = "there is no policy 'no-such'"}));
  reply(Apply(change));
}

std::optional<TenantId> FakeService::FindTenant(std::string_view name) const {
  const auto found = std::ranges::find(tenants, name);
  if (found == tenants.end()) return std::nullopt;
  return TenantId(static_cast<std::uint32_t>(found - tenants.begin()));
}

std::optional<AgreementId> FakeService::FindAgreement(TenantId tenant,
                                                      std::string_view network) const {
  for (std::size_t i = 0; i < started_.size(); ++i) {
    if (network == network_.name && started_[i].tenant == tenant && started_[i].open)
      return AgreementId(i);
  }
  return std::nullopt;
}

void FakeService::VisitAgreements(const std::function<void(const AgreementReport&)>& visit) const {
  for (const AgreementReport& agreement : agreements) visit(agreement);
}

void FakeService::Drain(Duration /*limit*/) { current = ServiceState::kDraining; }

}  // namespace fairlead
