// Calls over real connections, by gRPC's own client.
#include "fairlead/serving/grpc/grpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "fairlead/serving/grpc/testing/grpc_client.h"
#include "fairlead/serving/testing/fake_service.h"
#include "proto/health.grpc.pb.h"
#include "proto/inference.grpc.pb.h"

namespace fairlead {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using testing::ElementsAre;
using testing::HasSubstr;

// Lets in who has a key: "Bearer key-of-ada", "Bearer operator".
class StrictDoor final : public Doorkeeper {
 public:
  bool is_open() const override { return open; }
  tl::expected<Caller, NoIdentity> Identify(const Credentials& shown) const override {
    if (shown.authorization == "Bearer operator") return Caller{.tenant = {}, .is_operator = true};
    if (shown.authorization == "Bearer key-of-ada") return Caller{.tenant = "ada"};
    if (shown.key == "key-of-eve") return Caller{.tenant = "eve"};
    return tl::unexpected(NoIdentity{"who are you?"});
  }

  bool open = true;
};

ModelInferRequest RequestFor(float first, float second) {
  ModelInferRequest request;
  request.set_model_name("double");
  request.set_id("7");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(2);
  input.mutable_contents()->add_fp32_contents(first);
  input.mutable_contents()->add_fp32_contents(second);
  return request;
}

class GrpcServerTest : public testing::Test {
 protected:
  GrpcServerTest()
      : server_(std::move(*GrpcServer::Start({}, service_, door_))),
        client_(ClientOf(server_->port())) {}

  // The code, and the reason in the trailing metadata.
  std::string Outcome(const ModelInferRequest& request) {
    grpc::ClientContext context;
    ModelInferResponse response;
    const grpc::Status status = client_->ModelInfer(&context, request, &response);
    return std::to_string(status.error_code()) + " " + Trailing(context, "fairlead-reason");
  }

  FakeService service_;
  AnonymousDoor door_{"ada"};
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GRPCInferenceService::Stub> client_;
};

TEST_F(GrpcServerTest, SaysWhatIsThere) {
  grpc::ClientContext contexts[8];
  inference::ServerLiveResponse live;
  ASSERT_TRUE(client_->ServerLive(&contexts[0], {}, &live).ok());
  EXPECT_TRUE(live.live());
  inference::ServerReadyResponse ready;
  ASSERT_TRUE(client_->ServerReady(&contexts[1], {}, &ready).ok());
  EXPECT_TRUE(ready.ready());
  inference::ServerMetadataResponse server;
  ASSERT_TRUE(client_->ServerMetadata(&contexts[2], {}, &server).ok());
  EXPECT_EQ(server.name(), "fairlead");
  inference::ModelMetadataRequest which;
  which.set_name("double");
  inference::ModelMetadataResponse network;
  ASSERT_TRUE(client_->ModelMetadata(&contexts[3], which, &network).ok());
  EXPECT_EQ(network.outputs(0).name(), "y");
  EXPECT_THAT(network.inputs(0).shape(), ElementsAre(1, 2));
  inference::ModelConfigRequest config_of;
  config_of.set_name("double");
  inference::ModelConfigResponse config;
  ASSERT_TRUE(client_->ModelConfig(&contexts[4], config_of, &config).ok());
  EXPECT_EQ(config.config().input(0).data_type(), inference::TYPE_FP32);
  inference::ModelStatisticsResponse statistics;
  ASSERT_TRUE(client_->ModelStatistics(&contexts[5], {}, &statistics).ok());
  EXPECT_EQ(statistics.model_stats(0).inference_stats().success().ns(), 7500U);
  EXPECT_EQ(statistics.model_stats(0).last_inference(), 1'700'000'000'123U);
  inference::RepositoryIndexResponse index;
  ASSERT_TRUE(client_->RepositoryIndex(&contexts[6], {}, &index).ok());
  EXPECT_EQ(index.models(0).state(), "READY");
  which.set_version("2");
  EXPECT_EQ(client_->ModelMetadata(&contexts[7], which, &network).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(GrpcServerTest, NetworksAreReadyOrNot) {
  const auto ready = [&](const std::string& name) {
    grpc::ClientContext context;
    inference::ModelReadyRequest request;
    request.set_name(name);
    inference::ModelReadyResponse response;
    EXPECT_TRUE(client_->ModelReady(&context, request, &response).ok());
    return response.ready();
  };
  EXPECT_TRUE(ready("double"));
  EXPECT_FALSE(ready("none"));
  service_.Drain({});
  EXPECT_FALSE(ready("double"));
}

TEST_F(GrpcServerTest, AnswersProbes) {
  using grpc::health::v1::HealthCheckResponse;
  const auto client = grpc::health::v1::Health::NewStub(grpc::CreateChannel(
      "127.0.0.1:" + std::to_string(server_->port()), grpc::InsecureChannelCredentials()));
  HealthCheckResponse response;
  const auto check = [&](const std::string& service) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    return client->Check(&context, request, &response).error_code();
  };
  for (const char* const service : {"", "inference.GRPCInferenceService"}) {
    EXPECT_EQ(check(service), grpc::StatusCode::OK);
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  }
  EXPECT_EQ(check("other"), grpc::StatusCode::NOT_FOUND);
  service_.Drain({});
  EXPECT_EQ(check(""), grpc::StatusCode::OK);
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
}

TEST_F(GrpcServerTest, InfersFromNumbersAndFromBytes) {
  ModelInferRequest request = RequestFor(1.5, -2);
  {
    grpc::ClientContext context;
    ModelInferResponse response;
    ASSERT_TRUE(client_->ModelInfer(&context, request, &response).ok());
    EXPECT_EQ(response.id(), "7");
    EXPECT_EQ(response.model_version(), "1");
    EXPECT_EQ(response.outputs(0).datatype(), "FP32");
    EXPECT_THAT(response.outputs(0).contents().fp32_contents(), ElementsAre(3, -4));
    EXPECT_EQ(response.raw_output_contents_size(), 0);
  }
  const float numbers[] = {1.5, -2};
  request.mutable_inputs(0)->clear_contents();
  request.add_raw_input_contents(numbers, sizeof numbers);
  grpc::ClientContext context;
  ModelInferResponse response;
  ASSERT_TRUE(client_->ModelInfer(&context, request, &response).ok());
  ASSERT_EQ(response.raw_output_contents(0).size(), sizeof numbers);
  float results[2];
  std::memcpy(results, response.raw_output_contents(0).data(), sizeof results);
  EXPECT_THAT(results, ElementsAre(3, -4));
}

TEST_F(GrpcServerTest, ErrorsHaveTheMeaningsOfHttp) {
  ModelInferRequest request = RequestFor(1, 2);
  request.set_model_name("none");
  EXPECT_EQ(Outcome(request), "5 no-network");
  request = RequestFor(1, 2);
  request.set_model_version("3");
  EXPECT_EQ(Outcome(request), "5 no-network");
  request = RequestFor(1, 2);
  request.mutable_inputs(0)->set_datatype("FP99");
  EXPECT_EQ(Outcome(request), "3 malformed");
  const std::pair<InferenceCode, std::string_view> meanings[] = {
      {InferenceCode::kMalformed, "3 malformed"},
      {InferenceCode::kNoAgreement, "5 no-agreement"},
      {InferenceCode::kOverContract, "8 over-contract"},
      {InferenceCode::kNoCapacity, "14 no-capacity"},
      {InferenceCode::kDraining, "14 draining"},
      {InferenceCode::kDeadlineUnreachable, "4 deadline-unreachable"},
      {InferenceCode::kDeadlinePassed, "4 deadline-passed"},
      {InferenceCode::kCancelled, "1 cancelled"},
      {InferenceCode::kFailed, "13 failed"}};
  for (const auto& [code, meaning] : meanings) {
    service_.failure = InferenceAnswer{.code = code, .message = "so it is"};
    EXPECT_EQ(Outcome(RequestFor(1, 2)), meaning);
  }
}

TEST_F(GrpcServerTest, SaysWhenToTryAgain) {
  service_.failure = InferenceAnswer{.code = InferenceCode::kOverContract,
                                     .message = "too many",
                                     .retry_after = std::chrono::milliseconds{1500}};
  grpc::ClientContext context;
  ModelInferResponse response;
  const grpc::Status status = client_->ModelInfer(&context, RequestFor(1, 2), &response);
  EXPECT_EQ(status.error_message(), "too many");
  EXPECT_EQ(Trailing(context, "retry-after"), "2");
  EXPECT_EQ(Trailing(context, "retry-after-ms"), "1500");
}

TEST_F(GrpcServerTest, TheShorterTimeCounts) {
  const auto timeout = [&](std::int64_t parameter, std::chrono::seconds deadline) {
    grpc::ClientContext context;
    context.set_deadline(gpr_timespec{deadline.count(), 0, GPR_TIMESPAN});
    ModelInferRequest request = RequestFor(1, 2);
    if (parameter > 0) (*request.mutable_parameters())["timeout"].set_int64_param(parameter);
    (*request.mutable_parameters())["priority"].set_uint64_param(3);
    ModelInferResponse response;
    EXPECT_TRUE(client_->ModelInfer(&context, request, &response).ok());
    EXPECT_EQ(service_.last_call().priority, 3);
    return *service_.last_call().timeout;
  };
  EXPECT_EQ(timeout(250'000, std::chrono::hours{1}), std::chrono::milliseconds{250});
  const Duration left = timeout(7'200'000'000, std::chrono::hours{1});
  EXPECT_LE(left, std::chrono::minutes{61});  // on the wire it has three digits
  EXPECT_GT(left, std::chrono::minutes{30});
}

TEST_F(GrpcServerTest, CancelsWhatItsClientDoesNotWant) {
  service_.hold = true;
  grpc::ClientContext context;
  std::thread impatient([&] {
    service_.WaitForCalls(1);
    context.TryCancel();
  });
  ModelInferResponse response;
  EXPECT_EQ(client_->ModelInfer(&context, RequestFor(1, 2), &response).error_code(),
            grpc::StatusCode::CANCELLED);
  service_.WaitForCancel();
  impatient.join();
}

TEST_F(GrpcServerTest, CancelsWhatIsLate) {
  service_.hold = true;
  grpc::ClientContext context;
  context.set_deadline(gpr_timespec{0, 200'000'000, GPR_TIMESPAN});
  ModelInferResponse response;
  EXPECT_EQ(client_->ModelInfer(&context, RequestFor(1, 2), &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcServerTest, RefusesWhatIsTooLarge) {
  ModelInferRequest request = RequestFor(1, 2);
  request.add_raw_input_contents(std::string(65 << 20, 'x'));
  EXPECT_EQ(Outcome(request), "8 ");
  EXPECT_EQ(Outcome(RequestFor(1, 2)), "0 ");  // and lives
}

TEST_F(GrpcServerTest, AStreamIsAnsweredInItsOrder) {
  grpc::ClientContext context;
  const auto stream = client_->ModelStreamInfer(&context);
  for (int i = 0; i < 200; ++i) {
    ModelInferRequest request = RequestFor(static_cast<float>(i), 0);
    request.set_id(std::to_string(i));
    if (i == 3) request.set_model_name("none");
    ASSERT_TRUE(stream->Write(request));
  }
  ASSERT_TRUE(stream->WritesDone());
  inference::ModelStreamInferResponse response;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.infer_response().id(), std::to_string(i));
    if (i == 3) {
      EXPECT_EQ(response.error_message(), "no such network");
    } else {
      EXPECT_EQ(response.error_message(), "");
      EXPECT_TRUE(response.infer_response().parameters().at("triton_final_response").bool_param());
      EXPECT_EQ(response.infer_response().outputs(0).contents().fp32_contents(0),
                static_cast<float>(2 * i));
    }
  }
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcServerTest, AStreamThatIsCancelledCancelsItsCalls) {
  service_.hold = true;
  grpc::ClientContext context;
  const auto stream = client_->ModelStreamInfer(&context);
  ASSERT_TRUE(stream->Write(RequestFor(1, 2)));
  service_.WaitForCalls(1);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  service_.WaitForCancel();
}

TEST_F(GrpcServerTest, APortBelongsToOneServer) {
  const auto second = GrpcServer::Start({.port = server_->port()}, service_, door_);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1"));
}

TEST(GrpcDoorTest, AsksWhoCalls) {
  FakeService service;
  StrictDoor door;
  const auto server = std::move(*GrpcServer::Start({}, service, door));
  const auto client = ClientOf(server->port());
  const auto outcome = [&](const std::string& name, const std::string& value, bool load) {
    grpc::ClientContext context;
    if (!name.empty()) context.AddMetadata(name, value);
    context.AddMetadata("fairlead-tenant", "ada");  // does not outrank a credential
    grpc::Status status;
    if (load) {
      inference::RepositoryModelLoadRequest request;
      request.set_model_name("double");
      inference::RepositoryModelLoadResponse response;
      status = client->RepositoryModelLoad(&context, request, &response);
    } else {
      ModelInferResponse response;
      status = client->ModelInfer(&context, RequestFor(1, 2), &response);
    }
    return std::to_string(status.error_code()) + " " + Trailing(context, "fairlead-reason");
  };
  EXPECT_EQ(outcome("", "", false), "16 no-identity");
  EXPECT_EQ(outcome("authorization", "Bearer key-of-ada", false), "0 ");
  EXPECT_EQ(outcome("authorization", "Bearer key-of-ada", true), "7 not-operator");
  EXPECT_EQ(outcome("authorization", "Bearer operator", true), "0 ");
  EXPECT_EQ(outcome("authorization", "Bearer operator", false), "16 no-identity");
  EXPECT_EQ(outcome("x-api-key", "key-of-eve", false), "7 no-tenant");
  door.open = false;
  EXPECT_EQ(outcome("authorization", "Bearer key-of-ada", false), "14 starting");
}

TEST(GrpcTlsTest, SpeaksTls) {
  FakeService service;
  const AnonymousDoor door("ada");
  const TlsFiles files{.certificates = "tests/cli/tls/certificate.pem",
                       .key = "tests/cli/tls/key.pem"};
  const auto server = std::move(*GrpcServer::Start({.tls = files}, service, door));
  std::ifstream file(files.certificates);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  const auto client = GRPCInferenceService::NewStub(grpc::CreateChannel(
      "localhost:" + std::to_string(server->port()), grpc::SslCredentials(options)));
  grpc::ClientContext context;
  ModelInferResponse response;
  const grpc::Status status = client->ModelInfer(&context, RequestFor(1, 2), &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  const auto wrong = GrpcServer::Start(
      {.tls = TlsFiles{.certificates = "no.pem", .key = files.key}}, service, door);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("no.pem"));
}

}  // namespace
}  // namespace fairlead
