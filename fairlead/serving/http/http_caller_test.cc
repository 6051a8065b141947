#include "fairlead/serving/http/http_caller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "fairlead/serving/http/http_load_client.h"
#include "fairlead/serving/http/http_server.h"
#include "fairlead/serving/http/protocol.h"
#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

// Says what it was asked; /wait is answered with everybody's at the next /go.
class Talker final : public HttpHandler {
 public:
  std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) override {
    const std::lock_guard lock(mutex_);
    HttpReply answer{.content_type = "text/plain"};
    answer.body = fmt::format("{} {} {} {}", request.method, request.Path(),
                              request.Header("X-Word"), request.body);
    if (request.Path() == "/wait") {
      waiting_.push_back({std::move(reply), std::move(answer)});
      came_.notify_all();
      return {};
    }
    if (request.Path() == "/go") {
      for (auto& [to, held] : waiting_) to(Made(std::move(held)));
      waiting_.clear();
    }
    reply(Made(std::move(answer)));
    return {};
  }
  void WaitFor(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return waiting_.size() == count; });
  }

 private:
  struct Held {
    HttpReplyTo to;
    HttpReply answer;
  };
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Held> waiting_;
};

std::string UrlOf(const HttpServer& server) {
  return fmt::format("http://127.0.0.1:{}", server.port());
}

std::unique_ptr<HttpCaller> CallerOf(const HttpServer& server, int connections = 16) {
  return std::move(*HttpCaller::Start({.url = UrlOf(server), .connections = connections}));
}

TEST(HttpCallerTest, SendsWhatItIsGiven) {
  Talker talker;
  const auto server = std::move(*HttpServer::Start({}, talker));
  const auto caller = CallerOf(*server);
  const auto bytes = std::make_shared<std::string>("tail");
  HttpCall call{.method = "POST",
                .target = "/a?b",
                .headers = {{"X-Word", "word"}},
                .body = "body ",
                .tail = {bytes, std::as_bytes(std::span(*bytes))}};
  const HttpReply reply = caller->Ask(call);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "POST /a word body tail");
  EXPECT_EQ(reply.content_type, "text/plain");
  EXPECT_EQ(caller->Ask(call).body, reply.body);
  EXPECT_EQ(caller->most_connections(), 1U);  // which was kept
}

TEST(HttpCallerTest, NobodyWaitsForAnothersAnswer) {
  Talker talker;
  const auto server = std::move(*HttpServer::Start({}, talker));
  const auto caller = CallerOf(*server);
  std::vector<std::promise<std::string>> answers(5);
  for (auto& answer : answers)
    caller->Call({.target = "/wait"},
                 [&answer](const HttpReply& reply) { answer.set_value(reply.body); });
  talker.WaitFor(5);
  EXPECT_EQ(caller->Ask({.target = "/go"}).status, 200);
  for (auto& answer : answers) EXPECT_EQ(answer.get_future().get(), "GET /wait  ");
  EXPECT_EQ(caller->most_connections(), 6U);
}

TEST(HttpCallerTest, BeyondItsConnectionsCallsWait) {
  Talker talker;
  const auto server = std::move(*HttpServer::Start({}, talker));
  const auto one = CallerOf(*server, 1);
  std::promise<int> waited;
  std::promise<int> next;
  one->Call({.target = "/wait"}, [&](const HttpReply& reply) { waited.set_value(reply.status); });
  one->Call({.target = "/next"}, [&](const HttpReply& reply) { next.set_value(reply.status); });
  talker.WaitFor(1);
  CallerOf(*server)->Ask({.target = "/go"});
  EXPECT_EQ(waited.get_future().get(), 200);
  EXPECT_EQ(next.get_future().get(), 200);
  EXPECT_EQ(one->most_connections(), 1U);
}

TEST(HttpCallerTest, SaysWhyThereIsNoReply) {
  Talker talker;
  auto server = std::move(*HttpServer::Start({}, talker));
  const auto caller = CallerOf(*server);
  const HttpReply late = caller->Ask({.target = "/wait", .limit = std::chrono::milliseconds{1}});
  EXPECT_EQ(late.status, 0);
  EXPECT_THAT(late.body, HasSubstr("too long"));
  EXPECT_EQ(caller->Ask({.target = "/kept"}).status, 200);
  server.reset();
  const HttpReply gone = caller->Ask({.target = "/gone"});
  EXPECT_EQ(gone.status, 0);
  EXPECT_THAT(gone.body, HasSubstr("refused"));
}

TEST(HttpCallerTest, AnswersWhatIsUnderWayWhenItEnds) {
  Talker talker;
  const auto server = std::move(*HttpServer::Start({}, talker));
  auto caller = CallerOf(*server);
  std::promise<int> status;
  caller->Call({.target = "/wait"},
               [&](const HttpReply& reply) { status.set_value(reply.status); });
  talker.WaitFor(1);
  caller.reset();
  EXPECT_EQ(status.get_future().get(), 0);
}

TEST(HttpCallerTest, RefusesWhatIsNoAddress) {
  for (const char* url : {"", "127.0.0.1:8000", "ftp://a:1", "http://", "http://a:0", "http://a:b",
                          "http://a:99999", "http://a/b", "http://u@a:1"}) {
    const auto caller = HttpCaller::Start({.url = url});
    ASSERT_FALSE(caller.has_value()) << url;
    EXPECT_THAT(caller.error().message, HasSubstr("expected for example")) << url;
  }
}

class LoadOverHttpTest : public testing::Test {
 protected:
  std::string ResultOf(const LoadCall& call) {
    std::promise<std::string> result;
    client_->Call(call, [&](std::string_view word) { result.set_value(std::string(word)); });
    return result.get_future().get();
  }

  FakeService service_;
  AnonymousDoor door_{"ada"};
  ProtocolHandler protocol_{service_, door_};
  std::unique_ptr<HttpServer> server_ = std::move(*HttpServer::Start({}, protocol_));
  std::unique_ptr<LoadClient> client_ = std::move(*StartHttpLoad({.url = UrlOf(*server_)}));
};

TEST_F(LoadOverHttpTest, CallsNetworksAsTheyAskToBe) {
  const auto target = client_->Prepare({.tenant = "ada", .network = "double"});
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(ResultOf({.target = *target,
                      .timeout = Duration{1'000'001},
                      .priority = 3,
                      .limit = std::chrono::minutes{1}}),
            kOkReply);
  const InferenceCall call = service_.last_call();
  EXPECT_EQ(call.network, "double");
  EXPECT_EQ(call.timeout, std::chrono::microseconds{1001});
  EXPECT_EQ(call.priority, 3);
  ASSERT_EQ(call.inputs.size(), 1U);
  EXPECT_EQ(call.inputs.front().data.bytes.size() % sizeof(float), 0U);
}

TEST_F(LoadOverHttpTest, TellsHowCallsEnd) {
  const auto target = client_->Prepare({.tenant = "ada", .network = "double"});
  service_.failure = InferenceAnswer{.code = InferenceCode::kOverContract};
  const LoadCall call{
      .target = *target, .timeout = std::chrono::seconds{1}, .limit = std::chrono::minutes{1}};
  EXPECT_EQ(ResultOf(call), "over-contract");
  server_.reset();
  EXPECT_EQ(ResultOf(call), kNoReply);
}

TEST_F(LoadOverHttpTest, KnowsBeforehandWhatCannotBeCalled) {
  const auto target = client_->Prepare({.tenant = "ada", .network = "triple"});
  ASSERT_FALSE(target.has_value());
  EXPECT_THAT(target.error().message, HasSubstr("tenant 'ada', network 'triple': no-network"));
}

}  // namespace
}  // namespace fairlead
