#include "fairlead/serving/grpc/health_service.h"

#include <string>

#include "fairlead/serving/grpc/unary_call.h"
#include "proto/health.pb.h"

namespace fairlead::grpc_room {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class HealthService final : public RawService {
 public:
  explicit HealthService(const Room& room) : RawService(room) {
    AddQuick<HealthCheckRequest, HealthCheckResponse>(
        "/grpc.health.v1.Health/Check", Access::kOpen,
        [this](UnaryCall&, const HealthCheckRequest& request,
               HealthCheckResponse& response) -> Answered {
          const std::string& service = request.service();
          if (!service.empty() && service != "inference.GRPCInferenceService")
            return Refused{grpc::StatusCode::NOT_FOUND, "no-service", "there is no such service"};
          response.set_status(IsReady(room_) ? HealthCheckResponse::SERVING
                                             : HealthCheckResponse::NOT_SERVING);
          return std::nullopt;
        });
  }
};

}  // namespace

std::unique_ptr<grpc::Service> MakeHealthService(const Room& room) {
  return std::make_unique<HealthService>(room);
}

}  // namespace fairlead::grpc_room
