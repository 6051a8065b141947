#include "benchmarks/grpc_echo.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <utility>

#include "fairlead/base/check.h"
#include "proto/inference.grpc.pb.h"

namespace fairlead {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

class Echo final : public GrpcEcho, private GRPCInferenceService::CallbackService {
 public:
  Echo() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    CHECK(server_ != nullptr);
  }
  ~Echo() override { server_->Shutdown(); }
  int port() const override { return port_; }

 private:
  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const ModelInferRequest* request,
                                       ModelInferResponse* response) override {
    response->set_id(request->id());
    response->add_raw_output_contents(request->raw_input_contents(0));
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

std::unique_ptr<GrpcEcho> GrpcEcho::Start() { return std::make_unique<Echo>(); }

std::function<void(std::size_t)> ConnectGrpc(int port, std::vector<std::string> tenants) {
  static std::atomic<int> connections = 0;
  grpc::ChannelArguments arguments;
  arguments.SetInt("fairlead.connection", ++connections);  // else channels share one
  const std::shared_ptr<GRPCInferenceService::Stub> stub =
      GRPCInferenceService::NewStub(grpc::CreateCustomChannel(
          "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials(), arguments));
  ModelInferRequest request;
  request.set_model_name("nothing");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(4);
  const float numbers[] = {1, 2, 3, 4};
  request.add_raw_input_contents(numbers, sizeof numbers);
  return [stub, request = std::move(request), tenants = std::move(tenants)](std::size_t i) {
    grpc::ClientContext context;
    context.AddMetadata("fairlead-tenant", tenants[i % tenants.size()]);
    ModelInferResponse response;
    const grpc::Status status = stub->ModelInfer(&context, request, &response);
    CHECK_MSG(status.ok(), status.error_message());
  };
}

}  // namespace fairlead
