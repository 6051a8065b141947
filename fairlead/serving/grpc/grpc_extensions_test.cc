#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/grpc/grpc_server.h"
#include "fairlead/serving/grpc/testing/grpc_client.h"
#include "fairlead/serving/testing/fake_service.h"
#include "proto/inference.grpc.pb.h"

// What Triton's clients ask for beside the protocol.

namespace fairlead {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using testing::ElementsAre;
using testing::HasSubstr;

class GrpcExtensionsTest : public testing::Test {
 protected:
  GrpcExtensionsTest()
      : server_(std::move(*GrpcServer::Start({}, service_, door_))),
        client_(ClientOf(server_->port())) {}

  FakeService service_;
  AnonymousDoor door_{"ada"};
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GRPCInferenceService::Stub> client_;
};

TEST_F(GrpcExtensionsTest, HasNoSharedMemory) {
  grpc::ClientContext contexts[4];
  inference::SharedMemoryResponse none;
  EXPECT_TRUE(client_->SystemSharedMemoryStatus(&contexts[0], {}, &none).ok());
  EXPECT_TRUE(client_->CudaSharedMemoryUnregister(&contexts[1], {}, &none).ok());
  const grpc::Status refused = client_->SystemSharedMemoryRegister(&contexts[2], {}, &none);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused.error_message(), "shared memory is not supported");
  EXPECT_EQ(Trailing(contexts[2], "fairlead-reason"), "no-shared-memory");
  EXPECT_FALSE(client_->CudaSharedMemoryRegister(&contexts[3], {}, &none).ok());
}

TEST_F(GrpcExtensionsTest, SaysNothingOfNetworksThatAreNotLoaded) {
  service_.SetLoaded(false);
  grpc::ClientContext context;
  inference::ModelMetadataRequest which;
  which.set_name("double");
  inference::ModelMetadataResponse network;
  const grpc::Status status = client_->ModelMetadata(&context, which, &network);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "the network 'double' is not ready: it was unloaded");
}

TEST_F(GrpcExtensionsTest, GivesClassesInPlaceOfScores) {
  ModelInferRequest request;
  request.set_model_name("double");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.mutable_shape()->Add(1);
  input.mutable_shape()->Add(2);
  input.mutable_contents()->add_fp32_contents(1.5);
  input.mutable_contents()->add_fp32_contents(-2);
  auto& output = *request.add_outputs();
  output.set_name("y");
  (*output.mutable_parameters())["classification"].set_int64_param(2);
  const auto answer = [&] {
    grpc::ClientContext context;
    ModelInferResponse response;
    EXPECT_TRUE(client_->ModelInfer(&context, request, &response).ok());
    return response;
  };
  const ModelInferResponse numbers = answer();
  EXPECT_EQ(numbers.outputs(0).datatype(), "BYTES");
  EXPECT_THAT(numbers.outputs(0).shape(), ElementsAre(2));
  EXPECT_THAT(numbers.outputs(0).contents().bytes_contents(), ElementsAre("3:0", "-4:1"));
  service_.OpenBatch();
  EXPECT_THAT(answer().outputs(0).shape(), ElementsAre(1, 2));
  (*request.mutable_outputs(0)->mutable_parameters())["classification"].set_int64_param(-1);
  grpc::ClientContext context;
  ModelInferResponse response;
  EXPECT_EQ(client_->ModelInfer(&context, request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcExtensionsTest, LoadsAndUnloads) {
  grpc::ClientContext load_context;
  inference::RepositoryModelLoadRequest load;
  load.set_model_name("double");
  inference::RepositoryModelLoadResponse loaded;
  EXPECT_TRUE(client_->RepositoryModelLoad(&load_context, load, &loaded).ok());
  grpc::ClientContext garbled_context;
  (*load.mutable_parameters())["config"].set_string_param("{\"max_batch");
  const grpc::Status garbled = client_->RepositoryModelLoad(&garbled_context, load, &loaded);
  EXPECT_EQ(garbled.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(garbled.error_message(), HasSubstr("failed to load 'double': 'config': "));
  grpc::ClientContext unload_context;
  inference::RepositoryModelUnloadRequest unload;
  unload.set_model_name("double");
  inference::RepositoryModelUnloadResponse unloaded;
  const grpc::Status status = client_->RepositoryModelUnload(&unload_context, unload, &unloaded);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.error_message(), "it is needed");
  EXPECT_EQ(Trailing(unload_context, "fairlead-reason"), "not-changed");
}

}  // namespace
}  // namespace fairlead
