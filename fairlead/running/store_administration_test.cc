#include "fairlead/running/store_administration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include "fairlead/scenario/agreement_text.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreAdministrationTest : public testing::Test {
 protected:
  StoreAdministrationTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("administration-" + std::to_string(getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    store_ = Open();
    administration_.emplace(Open());
  }
  ~StoreAdministrationTest() override {
    administration_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<Store> Open() const {
    return std::move(*Store::Open(folder_ / "fairlead.db", Store::IfMissing::kCreate));
  }
  HttpReply Ask(std::string method, std::vector<std::string> path, std::string body = "") {
    HttpRequest request{.method = std::move(method), .target = {}, .headers = {}, .body = body};
    std::promise<HttpReply> reply;
    administration_->Handle(std::move(request), std::move(path),
                            [&](const HttpMaker& maker) { reply.set_value(maker()); });
    return reply.get_future().get();
  }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;  // another connection to it
  std::optional<StoreAdministration> administration_;
};

TEST_F(StoreAdministrationTest, TenantsKeysAndAgreementsComeAndGo) {
  const HttpReply made = Ask("PUT", {"tenants", "ada"}, R"({"weight": 2.5})");
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_THAT(made.body, HasSubstr(R"({"tenant":"ada","key":"fl-)"));
  EXPECT_EQ(store_->Tenants()->front(), (StoredTenant{"ada", 2.5}));
  EXPECT_EQ(Ask("POST", {"tenants", "ada", "keys"}).status, 200);
  EXPECT_EQ(Ask("POST", {"operators", "keys"}).status, 200);
  ASSERT_THAT(*store_->Keys(), SizeIs(3));
  EXPECT_EQ(Ask("DELETE", {"keys", store_->Keys()->front().id}).status, 200);
  EXPECT_THAT(*store_->Keys(), SizeIs(2));
  EXPECT_EQ(Ask("PUT", {"agreements", "ada", "n"}, R"({"deadline":"5ms","target":"90%"})").status,
            200);
  EXPECT_EQ(Ask("GET", {"agreements"}).body,
            R"([{"tenant":"ada","network":"n","terms":{"deadline":"5ms","target":"90%"}}])");
  EXPECT_THAT(Ask("GET", {"tenants"}).body, HasSubstr(R"({"name":"ada","weight":2.5,"keys":[")"));
  EXPECT_EQ(Ask("DELETE", {"agreements", "ada", "n"}).status, 200);
  EXPECT_THAT(*store_->Agreements(), IsEmpty());
  EXPECT_EQ(Ask("DELETE", {"tenants", "ada"}).status, 200);
  EXPECT_EQ(Ask("GET", {"tenants"}).body, "[]");
}

TEST_F(StoreAdministrationTest, ReadsWhatVersionOneStored) {
  EXPECT_EQ(Ask("PUT", {"tenants", "ada"}).status, 200);
  const std::string old =
      R"({"name":"ada","networks":["n"],"rate":"1/s","deadline":"5ms","contract":)"
      R"({"rate":"2/s","burst":3}})";
  ASSERT_TRUE(store_->PutAgreement({"ada", "n", old}).has_value());
  const std::string terms = TermsIn(store_->Agreements()->front());
  EXPECT_EQ(terms, R"({"deadline":"5ms","contract":{"rate":"2/s","burst":3}})");
  EXPECT_EQ(ParseTerms(terms)->promise.contract->burst, 3);
  EXPECT_EQ(Ask("GET", {"agreements"}).body,
            R"([{"tenant":"ada","network":"n","terms":)" + terms + "}]");
}

TEST_F(StoreAdministrationTest, SaysWhatIsWrong) {
  EXPECT_EQ(Ask("PUT", {"tenants", "ada"}).status, 200);
  const auto complaint = [&](std::string method, std::vector<std::string> path,
                             std::string body = "") {
    const HttpReply reply = Ask(std::move(method), std::move(path), std::move(body));
    return std::to_string(reply.status) + " " + reply.body;
  };
  EXPECT_THAT(complaint("PUT", {"tenants", "ada"}), HasSubstr("400"));  // is there
  EXPECT_THAT(complaint("PUT", {"tenants", "a\nb"}), HasSubstr("400"));
  EXPECT_THAT(complaint("PUT", {"tenants", "ben"}, R"({"weight":-1})"), HasSubstr("above 0"));
  EXPECT_THAT(complaint("PUT", {"tenants", "ben"}, R"({"wait":1})"), HasSubstr("expected weight"));
  EXPECT_THAT(complaint("PUT", {"tenants", "ben"}, "[[[["), HasSubstr("400"));
  EXPECT_THAT(complaint("DELETE", {"tenants", "eve"}), HasSubstr("there is no tenant 'eve'"));
  EXPECT_THAT(complaint("POST", {"tenants", "eve", "keys"}), HasSubstr("400"));
  EXPECT_THAT(complaint("PUT", {"agreements", "ada", "n"}, "{}"),
              HasSubstr("a deadline is needed"));
  EXPECT_THAT(complaint("PUT", {"agreements", "ada", "n"}, R"({"deadline":"5"})"),
              HasSubstr("400"));
  EXPECT_THAT(complaint("PUT", {"agreements", "ada", "n"}, R"({"name":"eve"})"),
              HasSubstr("unknown key 'name'"));
  EXPECT_THAT(complaint("PUT", {"agreements", "ada", "n"}, R"({"deadline":"5ms"}})"),
              HasSubstr("400"));
  EXPECT_THAT(complaint("GET", {"tenants", "ada"}), HasSubstr("405"));
  EXPECT_THAT(complaint("GET", {"elsewhere"}), HasSubstr("404"));
  EXPECT_THAT(complaint("GET", {}), HasSubstr("404"));
  EXPECT_THAT(*store_->Tenants(), SizeIs(1));
  EXPECT_THAT(*store_->Agreements(), IsEmpty());
}

}  // namespace
}  // namespace fairlead
