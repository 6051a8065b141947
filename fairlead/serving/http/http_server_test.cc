#include "fairlead/serving/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include "fairlead/serving/http/testing/http_client.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers with what it was asked; what asks for /later when somebody says so.
class Echo final : public HttpHandler {
 public:
  std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) override {
    if (request.Path() == "/later") {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(reply);
      asked_.notify_all();
      return [this] { gone_.set_value(); };
    }
    HttpReply answer{.content_type = "text/plain"};
    answer.body = request.method + " " + request.target + " " + request.body;
    reply(Made(std::move(answer)));
    return {};
  }

  void WaitForQuestions(std::size_t count) {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, [&] { return waiting_.size() == count; });
  }
  void AnswerAll(const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (const HttpReplyTo& reply : waiting_) {
      HttpReply answer{.content_type = "text/plain"};
      answer.body = text;
      reply(Made(std::move(answer)));
    }
  }
  void WaitForGone() { gone_.get_future().wait(); }

 private:
  std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<HttpReplyTo> waiting_;
  std::promise<void> gone_;
};

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::unique_ptr<HttpServer> StartOn(Echo& echo, const HttpOptions& options = {}) {
  auto server = HttpServer::Start(options, echo);
  EXPECT_TRUE(server.has_value()) << (server.has_value() ? "" : server.error().message);
  return std::move(*server);
}

TEST(HttpServerTest, AnswersOneRequestAfterTheOther) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  EXPECT_EQ(client.Ask("GET", "/a?b").body, "GET /a?b ");
  const HttpReply second = client.Ask("POST", "/c", "text");
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.body, "POST /c text");
  EXPECT_EQ(second.content_type, "text/plain");
}

TEST(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
      "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read().body, "GET /1 ");
  EXPECT_EQ(client.Read().body, "POST /2 ab");
  EXPECT_EQ(client.Read().body, "GET /3 ");
}

TEST(HttpServerTest, DatesItsReplies) {
  EXPECT_EQ(HttpDate(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(HttpDate(1'709'164'800), "Thu, 29 Feb 2024 00:00:00 GMT");
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  EXPECT_EQ(HeaderOf(client.Ask("GET", "/"), "Date").size(), 29U);
}

TEST(HttpServerTest, TellsOldClientsWhetherTheyMayGoOn) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send("GET /old HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    const HttpReply reply = client.Read();
    EXPECT_EQ(reply.body, "GET /old ");
    EXPECT_EQ(HeaderOf(reply, "Connection"), "keep-alive");
  }
  client.Send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(HeaderOf(client.Read(), "Connection"), "close");
  EXPECT_TRUE(client.WasHungUp());
}

TEST(HttpServerTest, PassesOverAnEmptyLineBeforeARequest) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send(
      "\r\nPOST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na\r\n"
      "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read().body, "POST /1 a");
  EXPECT_EQ(client.Read().body, "GET /2 ");
}

TEST(HttpServerTest, ReadsWhatComesInPieces) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  for (const char c : std::string("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"))
    client.Send({&c, 1});
  EXPECT_EQ(client.Read().body, "POST /x abc");
}

TEST(HttpServerTest, ReadsChunks) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send(
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"
      "0\r\n\r\n");
  EXPECT_EQ(client.Read().body, "POST /x abcde");
}

TEST(HttpServerTest, TakesNothingForAHeaderThatFollowsABody) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send(
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
      "Host: y\r\n\r\n");
  EXPECT_EQ(client.Read().body, "POST /x abc");
}

TEST(HttpServerTest, UnderstandsWholeAddresses) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send("GET http://x:1/a/b?c HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read().body, "GET /a/b?c ");
  client.Send("GET http://x HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read().body, "GET / ");
}

TEST(HttpServerTest, AsksForTheBodyOfWhoWaitsForThat) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Read().status, 100);
  client.Send("ab");
  EXPECT_EQ(client.Read().body, "POST /x ab");
}

TEST(HttpServerTest, ClosesWhereAskedTo) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  const HttpReply reply = client.Ask("GET", "/", "", "Connection: close\r\n");
  EXPECT_EQ(HeaderOf(reply, "connection"), "close");
  EXPECT_TRUE(client.WasHungUp());
}

TEST(HttpServerTest, AnswersHeadWithoutABody) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.Read().status, 0);  // a body is announced, none comes
}

struct Wrong {
  std::string text;
  int status;
};

class WrongRequestTest : public testing::TestWithParam<Wrong> {};

TEST_P(WrongRequestTest, IsRefusedAndTheNextClientServed) {
  Echo echo;
  HttpOptions options;
  options.limits.body = 1000;
  options.limits.header = 1000;
  const auto server = StartOn(echo, options);
  HttpClient client(server->port());
  client.Send(GetParam().text);
  const HttpReply reply = client.Read();
  EXPECT_EQ(reply.status, GetParam().status);
  EXPECT_THAT(reply.body, testing::StartsWith("{\"error\":"));
  EXPECT_NE(HeaderOf(reply, kReasonHeader), "");
  client.HangUp();
  EXPECT_EQ(HttpClient(server->port()).Ask("GET", "/a").body, "GET /a ");
}

INSTANTIATE_TEST_SUITE_P(
    Http, WrongRequestTest,
    testing::Values(
        Wrong{"nonsense\r\n\r\n", 400}, Wrong{"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 400},
        Wrong{"GET / HTTP/1.1\r\n\r\n", 400},
        Wrong{"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400},
        Wrong{"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n", 400},
        Wrong{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        Wrong{"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", 413},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                  std::string(1001, 'x') + "\r\n0\r\n\r\n",
              413},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
        Wrong{"GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(2000, 'x') + "\r\n\r\n", 431},
        Wrong{"GET / HTTP/1.1\r\nHost: x\r\n" + Repeated("A: b\r\n", 1000) + "\r\n", 431},
        Wrong{"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
              400}));

// Lets in who says a name, and answers with how much came.
class Gate final : public HttpHandler {
 public:
  HttpAdmission Admit(HttpRequest& head) override {
    if (head.Header("Name").empty()) return {.refusal = HttpError(401, "no-identity", "who?")};
    return {.tenant = std::string(head.Header("Name")), .reserved = head.Header("Name") == "boss"};
  }
  std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) override {
    HttpReply answer;
    answer.body = std::to_string(request.body.size());
    reply(Made(std::move(answer)));
    return {};
  }
};

TEST(HttpServerTest, NoBodyIsReadForWhoMayNotSendIt) {
  Gate gate;
  const auto server = std::move(*HttpServer::Start({}, gate));
  HttpClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n");
  EXPECT_EQ(client.Read().status, 401);
  client.HangUp();
  // A short one is read past, and the connection goes on.
  HttpClient other(server->port());
  other.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(other.Read().status, 401);
  other.Send("12345");
  EXPECT_EQ(other.Ask("POST", "/", "abc", "Name: ada\r\n").body, "3");
}

TEST(HttpServerTest, ABodyIsPaidFor) {
  Gate gate;
  MemoryBudget memory(16 << 20);
  const auto server = std::move(*HttpServer::Start({.memory = &memory}, gate));
  HttpClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nName: ada\r\nContent-Length: 8000000\r\n\r\n");
  const HttpReply refused = client.Read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(HeaderOf(refused, kReasonHeader), "no-memory");
  EXPECT_EQ(HeaderOf(refused, "Retry-After"), "1");
  client.HangUp();
  HttpClient other(server->port());
  EXPECT_EQ(other.Ask("POST", "/", std::string(2'000'000, 'x'), "Name: ada\r\n").body, "2000000");
  EXPECT_GT(memory.used(), 0);
  EXPECT_LT(memory.used(), 1 << 20);
  other.Send("POST / HTTP/1.1\r\nHost: x\r\nName: ada\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 8; ++i) other.Send("f4240\r\n" + std::string(1'000'000, 'x') + "\r\n");
  EXPECT_EQ(other.Read().status, 503);
}

TEST(HttpServerTest, SilentConnectionsMakeRoom) {
  Gate gate;
  HttpOptions options{.threads = 1};
  options.limits.connections = 32;
  options.limits.per_address = 1000;
  const auto server = std::move(*HttpServer::Start(options, gate));
  HttpClient known(server->port());
  EXPECT_EQ(known.Ask("GET", "/", "", "Name: ada\r\n").body, "0");
  std::vector<std::unique_ptr<HttpClient>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<HttpClient>(server->port()));
  HttpClient late(server->port());
  EXPECT_EQ(late.Ask("GET", "/", "", "Name: ben\r\n").body, "0");
  EXPECT_EQ(known.Ask("GET", "/", "", "Name: ada\r\n").body, "0");  // it has shown who it is
  EXPECT_TRUE(silent.front()->WasHungUp());
}

TEST(HttpServerTest, AnAddressHasItsLimit) {
  Gate gate;
  HttpOptions options;
  options.limits.per_address = 2;
  const auto server = std::move(*HttpServer::Start(options, gate));
  HttpClient one(server->port());
  HttpClient two(server->port());
  EXPECT_EQ(one.Ask("GET", "/", "", "Name: ada\r\n").body, "0");
  EXPECT_EQ(two.Ask("GET", "/", "", "Name: ada\r\n").body, "0");
  HttpClient three(server->port());
  EXPECT_EQ(HeaderOf(three.Read(), kReasonHeader), "connections");
}

TEST(HttpServerTest, CutsOffWhoSendsTooSlowly) {
  Echo echo;
  HttpOptions options;
  options.limits.header_time = milliseconds{60};
  options.limits.body_time = milliseconds{60};
  options.limits.idle_time = milliseconds{60};
  const auto server = StartOn(echo, options);
  HttpClient idle(server->port());
  HttpClient header(server->port());
  HttpClient body(server->port());
  header.Send("GET / HTTP/1.1\r\nHo");
  body.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_TRUE(idle.WasHungUp());
  EXPECT_TRUE(header.WasHungUp());
  EXPECT_TRUE(body.WasHungUp());
}

TEST(HttpServerTest, CutsOffWhoDoesNotRead) {
  class Flood final : public HttpHandler {
   public:
    std::function<void()> Handle(HttpRequest, HttpReplyTo reply) override {
      HttpReply answer;
      answer.body = Repeated(std::string(1024, 'x'), 64 << 10);  // more than a socket takes
      reply(Made(std::move(answer)));
      return {};
    }
  };
  Flood flood;
  HttpOptions options;
  options.limits.write_time = milliseconds{60};
  const auto server = HttpServer::Start(options, flood);
  HttpClient client((*server)->port());
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  (*server)->Close(seconds{600});  // returns when nobody is left
}

// Those that wait and have shown a key stay.
TEST(HttpServerTest, TakesNoMoreConnectionsThanItMay) {
  Gate gate;
  HttpOptions options{.threads = 1};
  options.limits.connections = 1;
  const auto server = std::move(*HttpServer::Start(options, gate));
  HttpClient first(server->port());
  HttpClient second(server->port());
  EXPECT_EQ(first.Ask("GET", "/", "", "Name: ada\r\n").status, 200);
  EXPECT_EQ(second.Ask("GET", "/", "", "Name: ben\r\n").status, 200);
  HttpClient third(server->port());
  const HttpReply refused = third.Read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "{\"error\":\"too many connections\"}\n");
  EXPECT_EQ(first.Ask("GET", "/", "", "Name: ada\r\n").status, 200);
}

TEST(HttpServerTest, SendsRepliesOfOtherThreads) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient one(server->port());
  HttpClient two(server->port());
  one.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  two.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  echo.WaitForQuestions(2);
  std::thread([&] { echo.AnswerAll("now"); }).join();
  EXPECT_EQ(one.Read().body, "now");
  EXPECT_EQ(two.Read().body, "now");
  echo.AnswerAll("again");  // is one too many, and nothing happens
  EXPECT_EQ(one.Ask("GET", "/a").body, "GET /a ");
}

TEST(HttpServerTest, TellsWhenAClientHasGone) {
  Echo echo;
  const auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /next");  // more has come before
  echo.WaitForQuestions(1);
  client.HangUp();
  echo.WaitForGone();
  echo.AnswerAll("too late");
}

TEST(HttpServerTest, AnswersWhatWasAskedBeforeItCloses) {
  Echo echo;
  const auto server = StartOn(echo);
  const int port = server->port();
  HttpClient owed(port);
  HttpClient idle(port);
  owed.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(idle.Ask("GET", "/a").body, "GET /a ");
  echo.WaitForQuestions(1);
  std::thread closing([&] { server->Close(seconds{600}); });
  EXPECT_TRUE(idle.WasHungUp());
  echo.AnswerAll("last");
  const HttpReply reply = owed.Read();
  EXPECT_EQ(reply.body, "last");
  EXPECT_EQ(HeaderOf(reply, "Connection"), "close");
  EXPECT_TRUE(owed.WasHungUp());
  closing.join();
}

TEST(HttpServerTest, GivesUpWhoIsOwedAReplyWhenItsGraceIsOver) {
  Echo echo;
  auto server = StartOn(echo);
  HttpClient client(server->port());
  client.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  echo.WaitForQuestions(1);
  server->Close(milliseconds{60});
  echo.WaitForGone();
  EXPECT_TRUE(client.WasHungUp());
  server.reset();
  echo.AnswerAll("too late");
}

TEST(HttpServerTest, SaysWhyItCannotListen) {
  Echo echo;
  const auto first = StartOn(echo);
  const auto taken = HttpServer::Start({.port = first->port()}, echo);
  ASSERT_FALSE(taken.has_value());
  EXPECT_THAT(taken.error().message, testing::HasSubstr("cannot listen on 127.0.0.1"));
  const auto nowhere = HttpServer::Start({.address = "nowhere"}, echo);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(nowhere.error().message, testing::HasSubstr("'nowhere' is no address"));
  HttpOptions with_tls;
  with_tls.tls = TlsFiles{.certificates = "no-such-file.pem", .key = "no-such-key.pem"};
  const auto no_file = HttpServer::Start(with_tls, echo);
  ASSERT_FALSE(no_file.has_value());
  EXPECT_THAT(no_file.error().message, testing::StartsWith("no-such-file.pem: "));
}

TEST(HttpMessageTest, QuotesText) {
  EXPECT_EQ(JsonText("a\"\\\n\x01"), R"("a\"\\\u000a\u0001")");
  EXPECT_EQ(JsonText("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  EXPECT_EQ(JsonText("a\xff\xc3"), "\"a??\"");
  EXPECT_EQ(JsonText("\xed\xa0\x80"), "\"???\"");  // half of a pair
}

TEST(HttpMessageTest, FindsHeadersWhateverTheirCase) {
  HttpRequest request;
  request.headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(request.Header("CONTENT-TYPE"), "a");
  EXPECT_EQ(request.Header("Content"), "");
}

}  // namespace
}  // namespace fairlead
