#include "fairlead/serving/http/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "fairlead/serving/http/http_coding.h"
#include "fairlead/serving/http/http_server.h"
#include "fairlead/serving/http/infer_codec.h"
#include "fairlead/serving/http/metrics.h"
#include "fairlead/serving/http/testing/http_client.h"
#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kInfer = "/v2/models/double/infer";
constexpr std::string_view kBody =
    R"({"id":"7","inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1.5,-2]}]})";

// Lets in who has a key: "Bearer key-of-ada", "Bearer operator".
class StrictDoor final : public Doorkeeper {
 public:
  bool is_open() const override { return open; }
  tl::expected<Caller, NoIdentity> Identify(const Credentials& shown) const override {
    if (shown.authorization == "Bearer operator") return Caller{.tenant = {}, .is_operator = true};
    if (shown.authorization == "Bearer key-of-ada") return Caller{.tenant = "ada"};
    return tl::unexpected(NoIdentity{"who are you?"});
  }

  bool open = true;
};

class ProtocolTest : public testing::Test {
 protected:
  ProtocolTest()
      : handler_(service_, door_),
        server_(std::move(*HttpServer::Start({}, handler_))),
        client_(server_->port()) {}

  FakeService service_;
  AnonymousDoor door_{"ada"};
  ProtocolHandler handler_;
  std::unique_ptr<HttpServer> server_;
  HttpClient client_;
};

TEST_F(ProtocolTest, SaysThatItIsThere) {
  EXPECT_EQ(client_.Ask("GET", "/v2/health/live").status, 200);
  EXPECT_EQ(client_.Ask("GET", "/v2/health/ready").status, 200);
  const HttpReply server = client_.Ask("GET", "/v2");
  EXPECT_THAT(server.body, HasSubstr(R"("name":"fairlead")"));
  EXPECT_THAT(server.body, HasSubstr(R"("binary_tensor_data")"));
  EXPECT_EQ(client_.Ask("GET", "/v2/").body, server.body);
}

TEST_F(ProtocolTest, IsLiveAndNotReadyWhileItDrains) {
  service_.Drain({});
  EXPECT_EQ(client_.Ask("GET", "/v2/health/live").status, 200);
  const HttpReply ready = client_.Ask("GET", "/v2/health/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(HeaderOf(ready, kReasonHeader), "draining");
  EXPECT_EQ(client_.Ask("GET", "/v2/models/double/ready").status, 503);
}

TEST(StartingTest, LetsNobodyInBeforeTheDoorIsOpen) {
  FakeService service;
  StrictDoor door;
  door.open = false;
  ProtocolHandler handler(service, door);
  const auto server = std::move(*HttpServer::Start({}, handler));
  HttpClient client(server->port());
  EXPECT_EQ(client.Ask("GET", "/v2/health/live").status, 200);
  for (const std::string_view path : {"/v2/health/ready", "/v2/models/double"}) {
    const HttpReply reply = client.Ask("GET", path, "", "Authorization: Bearer key-of-ada\r\n");
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(HeaderOf(reply, kReasonHeader), "starting");
  }
}

TEST_F(ProtocolTest, DescribesNetworks) {
  const std::string expected = R"({"name":"double","versions":["1"],"platform":"fairlead",)"
                               R"("inputs":[{"name":"x","datatype":"FP32","shape":[1,2]}],)"
                               R"("outputs":[{"name":"y","datatype":"FP32","shape":[1,2]}]})";
  EXPECT_EQ(client_.Ask("GET", "/v2/models/double").body, expected);
  EXPECT_EQ(client_.Ask("GET", "/v2/models/dou%62le/versions/1").body, expected);
  EXPECT_EQ(client_.Ask("GET", "/v2/models/double/ready").body,
            R"({"name":"double","ready":true})");
  EXPECT_THAT(client_.Ask("GET", "/v2/models/double/config").body,
              HasSubstr(R"("input":[{"name":"x","data_type":"TYPE_FP32","dims":[1,2]}])"));
  const HttpReply statistics = client_.Ask("GET", "/v2/models/double/versions/1/stats");
  EXPECT_THAT(statistics.body, HasSubstr(R"("success":{"count":3,"ns":7500})"));
  EXPECT_THAT(statistics.body, HasSubstr(R"("fail":{"count":2,"ns":0})"));
  EXPECT_THAT(statistics.body, HasSubstr(R"("last_inference":1700000000123,)"));
  EXPECT_EQ(client_.Ask("GET", "/v2/models/stats").body, statistics.body);
}

TEST_F(ProtocolTest, KnowsItsRepository) {
  EXPECT_EQ(client_.Ask("POST", "/v2/repository/index", R"({"ready":true})").body,
            R"([{"name":"double","version":"1","state":"READY","reason":""}])");
  EXPECT_EQ(client_.Ask("POST", "/v2/repository/index").status, 200);
  EXPECT_EQ(client_.Ask("POST", "/v2/repository/index", "{").status, 400);
  EXPECT_EQ(client_.Ask("POST", "/v2/repository/index", R"({"ready":null})").status, 200);
  EXPECT_EQ(client_.Ask("POST", "/v2/repository/models/double/load", "{}").status, 200);
  const HttpReply unload = client_.Ask("POST", "/v2/repository/models/double/unload", "{}");
  EXPECT_EQ(unload.status, 400);
  EXPECT_EQ(unload.body, R"({"error":"it is needed"})");
  const HttpReply none = client_.Ask("POST", "/v2/repository/models/none/load");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("failed to load 'none': "));
  const HttpReply wrong =
      client_.Ask("POST", "/v2/repository/models/double/load", R"({"parameters":{"config":"}"}})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("failed to load 'double': 'config': "));
  const HttpReply garbage = client_.Ask("POST", "/v2/repository/models/double/unload", "AAA");
  EXPECT_EQ(HeaderOf(garbage, kReasonHeader), "malformed");
}

TEST_F(ProtocolTest, SaysNothingOfNetworksThatAreNotLoaded) {
  service_.SetLoaded(false);
  for (const std::string verb : {"", "/config", "/stats", "/versions/1"}) {
    const HttpReply reply = client_.Ask("GET", "/v2/models/double" + verb);
    EXPECT_EQ(reply.status, 404) << verb;
    EXPECT_EQ(HeaderOf(reply, kReasonHeader), "no-network");
    EXPECT_EQ(reply.body, R"({"error":"the network 'double' is not ready: it was unloaded"})");
  }
  EXPECT_EQ(HeaderOf(client_.Ask("GET", "/v2/models/double/ready"), kReasonHeader), "not-ready");
}

TEST_F(ProtocolTest, GivesClassesInPlaceOfScores) {
  const std::string wish = R"(,"outputs":[{"name":"y","parameters":{"classification":1}}]})";
  const std::string body = std::string(kBody.substr(0, kBody.size() - 1)) + wish;
  EXPECT_THAT(client_.Ask("POST", kInfer, body).body, HasSubstr(R"("shape":[1],"data":["3:0"])"));
  service_.OpenBatch();
  EXPECT_THAT(client_.Ask("POST", kInfer, body).body, HasSubstr(R"("shape":[1,1],"data":["3:0"])"));
}

TEST_F(ProtocolTest, HasNoSharedMemory) {
  for (const std::string kind : {"/v2/systemsharedmemory", "/v2/cudasharedmemory"}) {
    EXPECT_EQ(client_.Ask("GET", kind + "/status").body, "[]");
    EXPECT_EQ(client_.Ask("POST", kind + "/unregister").status, 200);
    EXPECT_EQ(client_.Ask("POST", kind + "/region/a/unregister").status, 200);
    const HttpReply reply = client_.Ask("POST", kind + "/region/a/register", "{}");
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(HeaderOf(reply, kReasonHeader), "no-shared-memory");
    EXPECT_EQ(client_.Ask("GET", kind + "/region/a/status").status, 400);
    EXPECT_EQ(client_.Ask("GET", kind + "/unregister").status, 405);
    EXPECT_EQ(client_.Ask("GET", kind + "/other").status, 404);
  }
}

TEST_F(ProtocolTest, InfersWithJson) {
  const HttpReply reply = client_.Ask("POST", kInfer, kBody);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"model_name":"double","model_version":"1","id":"7","outputs":[)"
                        R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[3,-4]}]})");
}

TEST_F(ProtocolTest, InfersWithBytes) {
  const float values[] = {1, 2};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof values);
  for (const std::string json :
       {"", R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],)"
            R"("parameters":{"binary_data_size":8}}],"parameters":{"binary_data_output":true}})"}) {
    const HttpReply reply =
        client_.Ask("POST", kInfer, json + bytes,
                    fmt::format("Inference-Header-Content-Length: {}\r\n", json.size()));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.content_type, "application/octet-stream");
    const auto length = std::stoul(HeaderOf(reply, kHeaderLength));
    EXPECT_THAT(reply.body.substr(0, length), HasSubstr(R"("binary_data_size":8)"));
    float doubled[2] = {};
    ASSERT_EQ(reply.body.size(), length + sizeof doubled);
    std::memcpy(doubled, reply.body.data() + length, sizeof doubled);
    EXPECT_THAT(doubled, ElementsAre(2, 4));
  }
}

TEST_F(ProtocolTest, InfersWithPackedBodies) {
  const std::string json = R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],)"
                           R"("parameters":{"binary_data_size":8}}],"id":")" +
                           std::string(4000, 'i') + R"("})";
  HttpReply packed;
  packed.body = json + std::string(8, '\0');
  PackBody({.coding = HttpCoding::kDeflate, .alone = true}, packed);
  const HttpReply reply =
      client_.Ask("POST", kInfer, packed.body,
                  fmt::format("Inference-Header-Content-Length: {}\r\nContent-Encoding: deflate\r\n"
                              "Accept-Encoding: gzip\r\n",
                              json.size()));
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(HeaderOf(reply, "Content-Encoding"), "gzip");
  HttpRequest unpacked{
      .method = "", .target = "", .headers = {{"Content-Encoding", "gzip"}}, .body = reply.body};
  ASSERT_FALSE(UnpackBody(unpacked, 1 << 20).has_value());
  EXPECT_THAT(unpacked.body, HasSubstr(R"("data":[0,0])"));
}

TEST_F(ProtocolTest, PassesOnWhatTheRequestAsksFor) {
  client_.Ask("POST", kInfer,
              R"({"parameters":{"timeout":1500,"priority":4},"outputs":[{"name":"y"}],
                  "inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]})");
  const InferenceCall call = service_.last_call();
  EXPECT_EQ(call.tenant, TenantId(0));
  EXPECT_EQ(call.network, "double");
  EXPECT_EQ(call.timeout, microseconds{1500});
  EXPECT_EQ(call.priority, 4);
  EXPECT_THAT(call.outputs, ElementsAre("y"));
}

TEST_F(ProtocolTest, SaysWhyThereIsNoResult) {
  service_.failure = InferenceAnswer{.code = InferenceCode::kOverContract,
                                     .message = "slower, please",
                                     .retry_after = milliseconds{30},
                                     .outputs = {}};
  const HttpReply reply = client_.Ask("POST", kInfer, kBody);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.body, R"({"error":"slower, please"})");
  EXPECT_EQ(HeaderOf(reply, "Retry-After"), "1");
  EXPECT_EQ(HeaderOf(reply, kReasonHeader), "over-contract");
}

TEST_F(ProtocolTest, RefusesWhatItDoesNotUnderstand) {
  const auto status = [&](std::string_view method, std::string_view path,
                          std::string_view body = {}, std::string_view headers = {}) {
    return client_.Ask(method, path, body, headers).status;
  };
  EXPECT_EQ(status("GET", "/"), 404);
  EXPECT_EQ(status("GET", "/v3"), 404);
  EXPECT_EQ(client_.Ask("GET", "/v2/models/none").body,
            R"({"error":"Request for unknown model: there is no network 'none'"})");
  EXPECT_EQ(status("GET", "/v2/models/none"), 404);
  EXPECT_EQ(status("GET", "/v2/models/double/versions/2"), 404);
  EXPECT_EQ(status("GET", "/v2/models/double/nothing"), 404);
  EXPECT_EQ(status("POST", "/v2/models/double/generate", "{}"), 404);
  EXPECT_EQ(status("GET", "/v2/models/double/infer/more"), 404);
  EXPECT_EQ(status("GET", "/v2/models/%zz"), 404);
  EXPECT_EQ(status("GET", "/v2/models/%1"), 404);
  EXPECT_EQ(status("GET", "/v2/repository/index"), 405);
  EXPECT_EQ(status("POST", "/v2/health/live"), 405);
  EXPECT_EQ(status("GET", kInfer), 405);
  EXPECT_EQ(status("POST", kInfer, "{"), 400);
  EXPECT_EQ(status("POST", "/v2/models/none/infer", kBody), 404);
  EXPECT_EQ(status("POST", "/v2/models/none/infer", "", "Inference-Header-Content-Length: 0\r\n"),
            404);
  EXPECT_EQ(status("POST", kInfer, kBody, "Content-Encoding: br\r\n"), 415);
  EXPECT_EQ(status("POST", kInfer, kBody, "Content-Encoding: gzip\r\n"), 400);
  EXPECT_EQ(status("POST", kInfer, kBody, "Fairlead-Tenant: eve\r\n"), 403);
  EXPECT_EQ(status("POST", kInfer, kBody), 200);
}

TEST_F(ProtocolTest, CancelsWhatItsClientDoesNotWaitFor) {
  service_.hold = true;
  HttpClient client(server_->port());
  client.Send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", kInfer,
                          kBody.size(), kBody));
  service_.WaitForCalls(1);
  client.HangUp();
  service_.WaitForCancel();
}

TEST(ProtocolDoorTest, AsksWhoCalls) {
  FakeService service;
  const StrictDoor door;
  ProtocolHandler handler(service, door);
  const auto server = std::move(*HttpServer::Start({}, handler));
  HttpClient client(server->port());
  EXPECT_EQ(client.Ask("GET", "/v2/health/ready").status, 200);
  EXPECT_EQ(client.Ask("GET", "/v2/models/double").status, 401);
  EXPECT_EQ(client.Ask("POST", kInfer, kBody).status, 401);
  // A header does not outrank a credential.
  EXPECT_EQ(client.Ask("POST", kInfer, kBody, "Fairlead-Tenant: ada\r\n").status, 401);
  const std::string_view ada = "Authorization: Bearer key-of-ada\r\nFairlead-Tenant: eve\r\n";
  EXPECT_EQ(client.Ask("POST", kInfer, kBody, ada).status, 200);
  EXPECT_EQ(client.Ask("POST", "/v2/repository/models/double/load", "", ada).status, 403);
  EXPECT_EQ(client.Ask("GET", "/metrics", "", ada).status, 403);
  const std::string_view boss = "Authorization: Bearer operator\r\n";
  EXPECT_EQ(client.Ask("POST", kInfer, kBody, boss).status, 401);
  EXPECT_EQ(client.Ask("POST", "/v2/repository/models/double/load", "", boss).status, 200);
  EXPECT_EQ(client.Ask("GET", "/metrics", "", boss).status, 200);
}

TEST(ProtocolOfficeTest, IsForOperators) {
  class Office final : public Administration {
   public:
    void Handle(HttpRequest request, std::vector<std::string> path, HttpReplyTo reply) override {
      HttpReply answer;
      answer.body = request.method + " " + path.at(0) + " " + request.body;
      reply(Made(std::move(answer)));
    }
  } office;
  FakeService service;
  const StrictDoor door;
  ProtocolHandler handler(service, door, &office);
  const auto server = std::move(*HttpServer::Start({}, handler));
  HttpClient client(server->port());
  const std::string_view boss = "Authorization: Bearer operator\r\n";
  EXPECT_EQ(client.Ask("PUT", "/fairlead/tenants", "{}", boss).body, "PUT tenants {}");
  EXPECT_EQ(client.Ask("PUT", "/fairlead/tenants", "{}").status, 401);
  const std::string_view ada = "Authorization: Bearer key-of-ada\r\n";
  EXPECT_EQ(client.Ask("GET", "/fairlead/tenants", "", ada).status, 403);
  EXPECT_EQ(client.Ask("GET", "/fairlead/policy", "", ada).status, 403);
  EXPECT_EQ(client.Ask("GET", "/fairlead/policy", "", boss).body, R"({"policy":""})");
  ProtocolHandler without(service, door);
  const auto other = std::move(*HttpServer::Start({}, without));
  HttpClient client_of_other(other->port());
  const HttpReply reply = client_of_other.Ask("GET", "/fairlead/tenants", "", boss);
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(HeaderOf(reply, kReasonHeader), "no-store");
}

TEST(PathPartsTest, AreDecoded) {
  EXPECT_THAT(PathParts("/v2/models/a%2Fb"), testing::Optional(ElementsAre("v2", "models", "a/b")));
  EXPECT_THAT(PathParts("/"), testing::Optional(ElementsAre("")));
  EXPECT_EQ(PathParts(""), std::nullopt);
  EXPECT_EQ(PathParts("v2"), std::nullopt);
  EXPECT_EQ(PathParts("/%"), std::nullopt);
}

TEST(MetricsTest, AreWrittenForPrometheus) {
  FakeService service;
  ServiceAgreement promise;
  promise.target = 0.9;
  AgreementReport agreement;
  agreement.tenant = "a\"d\\a\n";
  agreement.network = "double";
  agreement.promise = &promise;
  agreement.lifetime.by_outcome = {9, 1, 0, 0};
  agreement.indicator = 0.9;
  service.agreements = {agreement};
  service.report.policy = "edf-h";
  service.report.accelerators = {{.name = "cpu.0", .kind = "cpu", .online = true, .busy_s = 1.5}};
  const std::string text = MetricsText(service);
  EXPECT_THAT(text, HasSubstr("# TYPE fairlead_calls_total counter\n"));
  EXPECT_THAT(text, HasSubstr("fairlead_calls_total{network=\"double\",result=\"ok\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("fairlead_execution_seconds_sum{network=\"double\"} 6e-06\n"));
  EXPECT_THAT(text, HasSubstr("fairlead_requests_total{tenant=\"a\\\"d\\\\a\\n\",network="
                              "\"double\",outcome=\"hit\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("fairlead_policy_info{policy=\"edf-h\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{accelerator=\"cpu.0\",kind=\"cpu\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("fairlead_ready 0\n"));
}

TEST(MetricsTest, AreBounded) {
  FakeService service;
  const ServiceAgreement promise;
  AgreementReport agreement;
  agreement.tenant = "t";
  agreement.network = "double";
  agreement.promise = &promise;
  agreement.lifetime.by_outcome = {1, 0, 0, 0};
  service.agreements.assign(kMostAgreementsShown + 10, agreement);
  const std::string text = MetricsText(service);
  EXPECT_THAT(text, HasSubstr(fmt::format("fairlead_agreements {}\n", kMostAgreementsShown + 10)));
  EXPECT_THAT(text, HasSubstr("fairlead_requests_total{tenant=\"(others)\",network=\"(all)\","
                              "outcome=\"hit\"} 10\n"));
}

}  // namespace
}  // namespace fairlead
