#include "fairlead/serving/grpc/grpc_call.h"

#include <fmt/format.h>
#include <grpc/support/time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fairlead/serving/grpc/infer_messages.h"
#include "fairlead/serving/refusal_texts.h"

namespace fairlead::grpc_room {
namespace {

grpc::StatusCode CodeOf(InferenceCode code) {
  switch (code) {
    case InferenceCode::kOk: return grpc::StatusCode::OK;
    case InferenceCode::kMalformed: return grpc::StatusCode::INVALID_ARGUMENT;
    case InferenceCode::kNoNetwork:
    case InferenceCode::kNoAgreement: return grpc::StatusCode::NOT_FOUND;
    case InferenceCode::kOverContract: return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case InferenceCode::kNoCapacity:
    case InferenceCode::kDraining: return grpc::StatusCode::UNAVAILABLE;
    case InferenceCode::kDeadlineUnreachable:
    case InferenceCode::kDeadlinePassed: return grpc::StatusCode::DEADLINE_EXCEEDED;
    case InferenceCode::kCancelled: return grpc::StatusCode::CANCELLED;
    case InferenceCode::kFailed: break;
  }
  return grpc::StatusCode::INTERNAL;
}

std::string_view Metadata(const grpc::CallbackServerContext& context, std::string_view name) {
  const auto& all = context.client_metadata();
  const auto found = all.find(grpc::string_ref(name.data(), name.size()));
  if (found == all.end()) return {};
  return {found->second.data(), found->second.size()};
}

Refused Starting() { return {grpc::StatusCode::UNAVAILABLE, "starting", "the server is starting"}; }

}  // namespace

Refused NoMemory() {
  return {grpc::StatusCode::UNAVAILABLE, "no-memory", "there is no memory for this call now",
          std::chrono::seconds{1}};
}

Refused RefusedBy(const InferenceAnswer& answer) {
  return {CodeOf(answer.code), std::string(ToString(answer.code)), answer.message,
          answer.retry_after};
}

Refused NoSuchNetwork(std::string_view network) {
  return {grpc::StatusCode::NOT_FOUND, std::string(ToString(InferenceCode::kNoNetwork)),
          UnknownNetwork(network)};
}

Refused NotLoaded(const NetworkInfo& network) {
  return {grpc::StatusCode::NOT_FOUND, std::string(ToString(InferenceCode::kNoNetwork)),
          NotReady(network.name, network.reason)};
}

Refused NoSuchVersion(std::string_view network, std::string_view version) {
  return {grpc::StatusCode::NOT_FOUND, std::string(ToString(InferenceCode::kNoNetwork)),
          UnknownVersion(network, version)};
}

grpc::Status Tell(grpc::CallbackServerContext& context, const Refused& refused) {
  context.AddTrailingMetadata("fairlead-reason", refused.reason);
  if (refused.retry_after.has_value()) {
    const auto after = std::max(*refused.retry_after, Duration::zero());
    const auto seconds =
        std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(after).count(), 1);
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(after).count();
    context.AddTrailingMetadata("retry-after", std::to_string(seconds));
    context.AddTrailingMetadata("retry-after-ms", std::to_string(milliseconds));
    // What gRPC's own clients heed when they try again.
    context.AddTrailingMetadata("grpc-retry-pushback-ms", std::to_string(milliseconds));
  }
  return {refused.code, refused.message};
}

tl::expected<Caller, Refused> Identify(const Room& room,
                                       const grpc::CallbackServerContext& context) {
  if (!room.door.is_open()) return tl::unexpected(Starting());
  auto caller = room.door.Identify({.authorization = Metadata(context, kAuthorizationHeader),
                                    .key = Metadata(context, kKeyHeader),
                                    .tenant = Metadata(context, kTenantHeader)});
  if (caller.has_value()) return std::move(*caller);
  return tl::unexpected(
      Refused{grpc::StatusCode::UNAUTHENTICATED, "no-identity", std::move(caller.error().message)});
}

tl::expected<TenantId, Refused> TenantOf(const Room& room, const Caller& caller) {
  if (const auto tenant = room.service.FindTenant(caller.tenant)) return *tenant;
  if (caller.tenant.empty())
    return tl::unexpected(Refused{grpc::StatusCode::UNAUTHENTICATED, "no-identity",
                                  "a credential of a tenant is needed"});
  return tl::unexpected(Refused{grpc::StatusCode::PERMISSION_DENIED, "no-tenant",
                                fmt::format("there is no tenant '{}'", caller.tenant)});
}

std::optional<Duration> TimeLeft(const grpc::CallbackServerContext& context) {
  const gpr_timespec deadline = context.raw_deadline();
  if (deadline.tv_sec == gpr_inf_future(deadline.clock_type).tv_sec) return std::nullopt;
  const gpr_timespec left = gpr_convert_clock_type(deadline, GPR_TIMESPAN);
  if (left.tv_sec < 0) return Duration::zero();
  if (left.tv_sec >= kLongestTimeout / std::chrono::seconds{1}) return kLongestTimeout;
  return std::chrono::seconds{left.tv_sec} + std::chrono::nanoseconds{left.tv_nsec};
}

bool IsKnownVersion(std::string_view version) { return version.empty() || version == "1"; }

bool IsStacked(const Room& room, const inference::ModelInferRequest& request) {
  if (!WantsClasses(request)) return false;
  const auto network = room.service.FindNetwork(request.model_name());
  return network.has_value() && MostBatch(*network) > 0;
}

tl::expected<InferenceCall, Refused> Complete(Result<InferenceCall> call, TenantId tenant,
                                              std::string_view version,
                                              std::optional<Duration> time_left) {
  if (!call.has_value())
    return tl::unexpected(Refused{grpc::StatusCode::INVALID_ARGUMENT,
                                  std::string(ToString(InferenceCode::kMalformed)),
                                  call.error().message});
  if (!IsKnownVersion(version)) return tl::unexpected(NoSuchVersion(call->network, version));
  call->tenant = tenant;
  if (time_left.has_value())
    call->timeout = std::min(call->timeout.value_or(*time_left), *time_left);
  return std::move(*call);
}

}  // namespace fairlead::grpc_room
