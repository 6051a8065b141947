#include "fairlead/serving/grpc/health_service.h"

#include <string>

#include "proto/health.grpc.pb.h"
#include "proto/inference.grpc.pb.h"

namespace fairlead::grpc_room {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  explicit HealthService(const Room& room) : room_(room) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const HealthCheckRequest* request,
                                  HealthCheckResponse* response) override {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    const std::string& service = request->service();
    if (!service.empty() && service != inference::GRPCInferenceService::service_full_name()) {
      reactor->Finish({grpc::StatusCode::NOT_FOUND, "there is no such service"});
      return reactor;
    }
    response->set_status(IsReady(room_) ? HealthCheckResponse::SERVING
                                        : HealthCheckResponse::NOT_SERVING);
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  const Room& room_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeHealthService(const Room& room) {
  return std::make_unique<HealthService>(room);
}

}  // namespace fairlead::grpc_room
