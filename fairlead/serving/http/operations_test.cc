#include "fairlead/serving/http/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OperationsTest : public testing::Test {
 protected:
  OperationsTest() {
    service_.report.policy = "fairlead";
    service_.report.accelerators = {{.name = "cpu.0", .kind = "cpu"},
                                    {.name = "cpu.1", .kind = "cpu", .online = false}};
  }

  // The status, and the body.
  std::string Ask(std::string method, std::vector<std::string> path, std::string body = {}) {
    EXPECT_TRUE(Operations::Has(path));
    HttpRequest request;
    request.method = std::move(method);
    request.body = std::move(body);
    std::string answer = "none";
    operations_.Handle(std::move(request), std::move(path), [&](const HttpMaker& make) {
      const HttpReply reply = make();
      answer = std::to_string(reply.status) + " " + reply.body;
    });
    return answer;
  }

  FakeService service_;
  Operations operations_{service_};
};

TEST_F(OperationsTest, AcceleratorsGoAndReturn) {
  EXPECT_EQ(Ask("GET", {"accelerators"}), R"(200 [{"name":"cpu.0","kind":"cpu","online":true},)"
                                          R"({"name":"cpu.1","kind":"cpu","online":false}])");
  EXPECT_EQ(Ask("PUT", {"accelerators", "cpu.0"}, R"({"online":false})"), "200 {}");
  EXPECT_EQ(Ask("PUT", {"accelerators", "cpu.1"}, R"({"online":true})"), "200 {}");
  EXPECT_THAT(service_.changes, ElementsAre("lose 0", "return 1"));
}

TEST_F(OperationsTest, WhatIsSoStaysSo) {
  EXPECT_EQ(Ask("PUT", {"accelerators", "cpu.0"}, R"({"online":true})"), "200 {}");
  EXPECT_EQ(Ask("PUT", {"accelerators", "cpu.1"}, R"({"online":false})"), "200 {}");
  EXPECT_THAT(service_.changes, IsEmpty());
}

TEST_F(OperationsTest, ThePolicyIsAnother) {
  EXPECT_EQ(Ask("GET", {"policy"}), R"(200 {"policy":"fairlead"})");
  EXPECT_EQ(Ask("PUT", {"policy"}, R"({"policy":"edf-h:drop=early"})"), "200 {}");
  EXPECT_THAT(service_.changes, ElementsAre("policy edf-h:drop=early"));
}

TEST_F(OperationsTest, SaysWhatIsWrong) {
  EXPECT_THAT(Ask("PUT", {"accelerators", "tpu"}, R"({"online":false})"),
              HasSubstr("404 {\"error\":\"there is no accelerator 'tpu'"));
  EXPECT_THAT(Ask("PUT", {"accelerators", "cpu.0"}, ""), HasSubstr("400 "));
  EXPECT_THAT(Ask("PUT", {"accelerators", "cpu.0"}, "{}"), HasSubstr("'online' is missing"));
  EXPECT_THAT(Ask("PUT", {"accelerators", "cpu.0"}, R"({"online":1})"),
              HasSubstr("expected true or false"));
  EXPECT_THAT(Ask("PUT", {"accelerators", "cpu.0"}, R"({"on":true})"),
              HasSubstr("unknown key 'on'"));
  EXPECT_THAT(Ask("DELETE", {"accelerators", "cpu.0"}), HasSubstr("405 "));
  EXPECT_THAT(Ask("PUT", {"accelerators"}), HasSubstr("405 "));
  EXPECT_THAT(Ask("GET", {"accelerators", "cpu.0", "more"}), HasSubstr("404 "));
  EXPECT_THAT(Ask("POST", {"policy"}), HasSubstr("405 "));
  EXPECT_THAT(Ask("PUT", {"policy"}, R"({"policy":7})"), HasSubstr("expected a text"));
  EXPECT_THAT(Ask("PUT", {"policy"}, R"({"policy":"no-such"})"),
              "400 {\"error\":\"there is no policy 'no-such'\"}");
  EXPECT_THAT(Ask("GET", {"policy", "more"}), HasSubstr("404 "));
  EXPECT_THAT(service_.changes, IsEmpty());
  EXPECT_FALSE(Operations::Has({"tenants"}));
  EXPECT_FALSE(Operations::Has({}));
}

}  // namespace
}  // namespace fairlead
