#include "fairlead/serving/grpc/grpc_load_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "fairlead/serving/grpc/grpc_server.h"
#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

class LoadOverGrpcTest : public testing::Test {
 protected:
  std::string ResultOf(const LoadCall& call) {
    std::promise<std::string> result;
    client_->Call(call, [&](std::string_view word) { result.set_value(std::string(word)); });
    return result.get_future().get();
  }

  FakeService service_;
  AnonymousDoor door_{"ada"};
  std::unique_ptr<GrpcServer> server_ = std::move(*GrpcServer::Start({}, service_, door_));
  std::unique_ptr<LoadClient> client_ =
      std::move(*StartGrpcLoad({.address = fmt::format("127.0.0.1:{}", server_->port())}));
};

TEST_F(LoadOverGrpcTest, CallsNetworksAndTellsHowCallsEnd) {
  const auto target = client_->Prepare({.tenant = "ada", .network = "double"});
  ASSERT_TRUE(target.has_value()) << target.error().message;
  const LoadCall call{.target = *target,
                      .timeout = Duration{1'000'001},
                      .priority = 3,
                      .limit = std::chrono::minutes{1}};
  EXPECT_EQ(ResultOf(call), kOkReply);
  EXPECT_EQ(service_.last_call().timeout, std::chrono::microseconds{1001});
  EXPECT_EQ(service_.last_call().priority, 3);
  service_.failure = InferenceAnswer{.code = InferenceCode::kOverContract};
  EXPECT_EQ(ResultOf(call), "over-contract");
  server_.reset();
  EXPECT_EQ(ResultOf(call), kNoReply);
}

TEST_F(LoadOverGrpcTest, KnowsBeforehandWhatCannotBeCalled) {
  const auto target = client_->Prepare({.tenant = "ada", .network = "triple"});
  ASSERT_FALSE(target.has_value());
  EXPECT_THAT(target.error().message, HasSubstr("tenant 'ada', network 'triple': no-network"));
}

}  // namespace
}  // namespace fairlead
