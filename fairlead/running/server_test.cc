// What stands between the store and the front door; the whole server: tests/cli/serve_test.py.
#include "fairlead/running/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "fairlead/running/key_authenticator.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/serving/store/store_keeper.h"
#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoreKeeperTest : public testing::Test {
 public:
  ~StoreKeeperTest() override { std::filesystem::remove_all(folder_); }

 protected:
  StoreKeeperTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("keeper-" + std::to_string(getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    store_ = Open();
    other_ = Open();
  }

  std::unique_ptr<Store> Open() const {
    return std::move(*Store::Open(folder_ / "fairlead.db", Store::IfMissing::kCreate));
  }
  StoreKeeperSetup KeeperSetup() {
    return {.service = &service_,
            .store = store_.get(),
            .interval = std::chrono::hours{1},  // tests say when
            .read_terms = [](const StoredAgreement& stored) -> Result<ServiceAgreement> {
              if (stored.terms.empty()) return Fail("no terms");
              ServiceAgreement agreement;
              agreement.deadline = Duration{std::stoi(stored.terms)};
              return agreement;
            },
            .use_keys = [this](KeyRing ring) { ring_ = std::move(ring); },
            .tell = [this](const std::string& line) { told_.push_back(line); }};
  }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> other_;  // another process's
  FakeService service_;
  KeyRing ring_;
  std::vector<std::string> told_;
};

TEST_F(StoreKeeperTest, LetsInWhoIsStored) {
  ASSERT_TRUE(other_->AddTenant({"ada", 1}).has_value());  // of the scenario's as well
  ASSERT_TRUE(other_->AddTenant({"ben", 2}).has_value());
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", "5"}).has_value());
  const auto key = MakeApiKey();
  ASSERT_TRUE(other_->AddKey({key->key.id, "ben", key->key.digest}).has_value());
  StoreKeeper keeper(KeeperSetup());
  keeper.Begin();
  EXPECT_THAT(service_.changes, ElementsAre("join ben", "start ben 5ns"));
  EXPECT_EQ(ring_.HolderOf(key->text), "ben");
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(StoreKeeperTest, FollowsTheStore) {
  StoreKeeper keeper(KeeperSetup());
  keeper.Begin();
  keeper.Join();
  EXPECT_THAT(service_.changes, IsEmpty());
  ASSERT_TRUE(other_->AddTenant({"ben", 1}).has_value());
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", "5"}).has_value());
  keeper.Join();
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", "7"}).has_value());
  keeper.Join();
  ASSERT_TRUE(other_->RemoveAgreement("ben", "double").has_value());
  keeper.Join();
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", "9"}).has_value());
  keeper.Join();
  ASSERT_TRUE(other_->RemoveTenant("ben").has_value());
  keeper.Join();
  EXPECT_THAT(service_.changes, ElementsAre("join ben", "start ben 5ns", "change ben 7ns",
                                            "end ben", "start ben 9ns", "leave ben"));
}

TEST_F(StoreKeeperTest, SaysOnceWhatCannotBe) {
  ASSERT_TRUE(other_->AddTenant({"ben", 1}).has_value());
  ASSERT_TRUE(other_->PutAgreement({"ben", "nothing", "5"}).has_value());
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", ""}).has_value());
  StoreKeeper keeper(KeeperSetup());
  keeper.Begin();
  ASSERT_TRUE(other_->AddTenant({"cleo", 1}).has_value());
  keeper.Join();
  EXPECT_THAT(told_, ElementsAre("the agreement of tenant 'ben' on 'double': no terms",
                                 "the agreement of tenant 'ben' on 'nothing': there is no such "
                                 "network as yet"));
  EXPECT_THAT(service_.changes, ElementsAre("join ben", "join cleo"));
}

AgreementReport ReportOf(std::int64_t hits, Duration time) {
  AgreementReport report;
  report.id = AgreementId(0);
  report.tenant = "ben";
  report.network = "double";
  report.history.lifetime.by_outcome = {hits, 0, 0, 0};
  report.history.measured = report.history.lifetime;
  report.history.time = time;
  return report;
}

TEST_F(StoreKeeperTest, SaysWhenTheStoreGoesAndReturns) {
  StoreKeeper keeper(KeeperSetup());
  keeper.Pass();
  EXPECT_THAT(told_, IsEmpty());
  const std::filesystem::path path = folder_ / "fairlead.db";
  for (int time = 0; time < 2; ++time) {
    told_.clear();
    std::filesystem::rename(path, folder_ / "away");
    keeper.Pass();
    keeper.Pass();
    EXPECT_THAT(told_, ElementsAre(path.string() + ": the file has gone"));
    std::filesystem::rename(folder_ / "away", path);
    keeper.Pass();
    keeper.Pass();
    EXPECT_THAT(told_, ElementsAre(testing::_, testing::HasSubstr("there again")));
  }
}

TEST_F(StoreKeeperTest, WritesWhatAgreementsGotAndGoesOnFromThere) {
  ASSERT_TRUE(other_->AddTenant({"ben", 1}).has_value());
  ASSERT_TRUE(other_->PutAgreement({"ben", "double", "5"}).has_value());
  {
    StoreKeeper keeper(KeeperSetup());
    keeper.Begin();
    service_.agreements = {ReportOf(0, Duration{10})};
    keeper.Write();
    EXPECT_THAT(*other_->Indicators(), IsEmpty());  // nothing has happened
    service_.agreements = {ReportOf(3, Duration{20})};
    keeper.Write();
    ASSERT_EQ(other_->Indicators()->size(), 1U);
    EXPECT_EQ(other_->Indicators()->front().history.lifetime.hits(), 3);
    service_.agreements = {ReportOf(3, Duration{30})};
    keeper.Write();
    EXPECT_EQ(other_->Indicators()->front().history.time, Duration{20});  // nothing is new
    service_.agreements = {ReportOf(4, Duration{40})};
  }  // writes once more
  EXPECT_EQ(other_->Indicators()->front().history.lifetime.hits(), 4);

  FakeService next;
  StoreKeeperSetup setup = KeeperSetup();
  setup.service = &next;
  StoreKeeper keeper(setup);
  keeper.Begin();
  EXPECT_THAT(next.changes, ElementsAre("join ben", "start ben 5ns", "continue with 4"));
}

TEST(KeyAuthenticator, AsksForAKey) {
  const auto ada = MakeApiKey();
  const auto boss = MakeApiKey();
  const StoredKey keys[] = {{ada->key.id, "ada", ada->key.digest},
                            {boss->key.id, "", boss->key.digest}};
  KeyAuthenticator door(std::nullopt);
  EXPECT_FALSE(door.is_open());
  door.Open();
  EXPECT_TRUE(door.is_open());
  EXPECT_FALSE(door.Identify({.key = ada->text}).has_value());
  door.Use(KeyRing(keys));
  EXPECT_EQ(door.Identify({.key = ada->text})->tenant, "ada");
  EXPECT_FALSE(door.Identify({.key = ada->text})->is_operator);
  const std::string boss_shows = "Bearer " + boss->text;
  EXPECT_TRUE(door.Identify({.authorization = boss_shows})->is_operator);
  EXPECT_FALSE(door.Identify({}).has_value());
  EXPECT_FALSE(door.Identify({.tenant = "ada"}).has_value());
  EXPECT_FALSE(door.Identify({.authorization = "Basic abc"}).has_value());
  EXPECT_FALSE(door.Identify({.authorization = "Bearer wrong"}).has_value());
}

TEST(KeyAuthenticator, AKeyOutranksAHeader) {
  const auto ada = MakeApiKey();
  const StoredKey key{ada->key.id, "ada", ada->key.digest};
  KeyAuthenticator door(AnonymousDoor("guest"));
  door.Use(KeyRing({&key, 1}));
  const std::string shows = "Bearer " + ada->text;
  EXPECT_EQ(door.Identify({.authorization = shows, .tenant = "eve"})->tenant, "ada");
  EXPECT_EQ(door.Identify({})->tenant, "guest");
  EXPECT_FALSE(door.Identify({.key = "wrong"}).has_value());
}

TEST(DemoScenarioTest, IsAScenario) {
  const auto scenario = ParseScenario("demo", DemoScenario());
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  EXPECT_EQ(scenario->tenants.size(), 3U);
  ASSERT_TRUE(scenario->serve.has_value());
  EXPECT_EQ(scenario->serve->anonymous_tenant, "ada");
}

}  // namespace
}  // namespace fairlead
