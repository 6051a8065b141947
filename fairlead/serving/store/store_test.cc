#include "fairlead/serving/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  StoreTest() : folder_(std::filesystem::temp_directory_path() / ("store-" + Unique())) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "fairlead.db";
  }
  ~StoreTest() override { std::filesystem::remove_all(folder_); }

  static std::string Unique() {
    return std::to_string(getpid()) + "-" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  std::unique_ptr<Store> Open() {
    auto store = Store::Open(path_, Store::IfMissing::kCreate);
    EXPECT_TRUE(store.has_value()) << (store.has_value() ? "" : store.error().message);
    return std::move(*store);
  }
  void Execute(std::string_view sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, std::string(sql).c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
  }

  std::filesystem::path folder_;
  std::string path_;
};

std::string MessageOf(const Status& status) {
  return status.has_value() ? "no error" : status.error().message;
}

KeptAgreement Kept(const std::string& tenant, std::int64_t hits, Duration time) {
  KeptAgreement kept{.tenant = tenant, .network = "net", .history = {}};
  kept.history.lifetime.by_outcome = {hits, 1, 0, 0};
  kept.history.measured = kept.history.lifetime;
  kept.history.time = time;
  return kept;
}

TEST_F(StoreTest, KeepsTenantsAndAgreements) {
  auto store = Open();
  EXPECT_TRUE(store->AddTenant({"ben", 2}).has_value());
  EXPECT_TRUE(store->AddTenant({"ada", 1}).has_value());
  EXPECT_THAT(MessageOf(store->AddTenant({"ada", 3})), HasSubstr("a tenant 'ada' already"));
  EXPECT_TRUE(store->PutAgreement({"ada", "net", "{deadline: 5ms}"}).has_value());
  EXPECT_TRUE(store->PutAgreement({"ada", "net", "{deadline: 9ms}"}).has_value());
  EXPECT_THAT(MessageOf(store->PutAgreement({"eve", "net", ""})), HasSubstr("no tenant 'eve'"));

  store = Open();
  EXPECT_THAT(*store->Tenants(), ElementsAre(StoredTenant{"ada", 1}, StoredTenant{"ben", 2}));
  EXPECT_THAT(*store->Agreements(), ElementsAre(StoredAgreement{"ada", "net", "{deadline: 9ms}"}));
  EXPECT_TRUE(store->RemoveAgreement("ada", "net").has_value());
  EXPECT_THAT(MessageOf(store->RemoveAgreement("ada", "net")), HasSubstr("no agreement on 'net'"));
  EXPECT_THAT(*store->Agreements(), IsEmpty());
}

TEST_F(StoreTest, ForgetsATenantAsAWhole) {
  const auto store = Open();
  ASSERT_TRUE(store->AddTenant({"ada", 1}).has_value());
  ASSERT_TRUE(store->PutAgreement({"ada", "net", "{}"}).has_value());
  ASSERT_TRUE(store->AddKey({.id = "1", .tenant = "ada", .digest = {}}).has_value());
  ASSERT_TRUE(store->AddKey({.id = "2", .tenant = "", .digest = {}}).has_value());
  const KeptAgreement kept = Kept("ada", 5, Duration{10});
  ASSERT_TRUE(store->WriteIndicators({&kept, 1}).has_value());
  EXPECT_TRUE(store->RemoveTenant("ada").has_value());
  EXPECT_THAT(MessageOf(store->RemoveTenant("ada")), HasSubstr("no tenant 'ada'"));
  EXPECT_THAT(*store->Tenants(), IsEmpty());
  EXPECT_THAT(*store->Agreements(), IsEmpty());
  EXPECT_THAT(*store->Indicators(), IsEmpty());
  ASSERT_EQ(store->Keys()->size(), 1U);
  EXPECT_EQ(store->Keys()->front().id, "2");
}

TEST_F(StoreTest, KnowsKeysByTheirSecretAlone) {
  const auto store = Open();
  ASSERT_TRUE(store->AddTenant({"ada", 1}).has_value());
  const auto ada = MakeApiKey();
  const auto boss = MakeApiKey();
  ASSERT_TRUE(store->AddKey({ada->key.id, "ada", ada->key.digest}).has_value());
  ASSERT_TRUE(store->AddKey({boss->key.id, "", boss->key.digest}).has_value());
  EXPECT_THAT(MessageOf(store->AddKey({"3", "eve", {}})), HasSubstr("no tenant 'eve'"));
  const KeyRing ring(*store->Keys());
  EXPECT_EQ(ring.HolderOf(ada->text), "ada");
  EXPECT_EQ(ring.HolderOf(boss->text), "");
  std::string wrong = ada->text;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(ring.HolderOf(wrong), std::nullopt);
  EXPECT_EQ(ring.HolderOf(MakeApiKey()->text), std::nullopt);
  EXPECT_EQ(ring.HolderOf(""), std::nullopt);
  EXPECT_EQ(ring.HolderOf("fl-"), std::nullopt);
  EXPECT_EQ(ring.HolderOf(ada->text + "0"), std::nullopt);
  EXPECT_TRUE(store->RemoveKey(ada->key.id).has_value());
  EXPECT_FALSE(store->RemoveKey(ada->key.id).has_value());
  EXPECT_EQ(KeyRing(*store->Keys()).HolderOf(ada->text), std::nullopt);
}

TEST_F(StoreTest, WritesIndicatorsAsOftenAsOneLikes) {
  auto store = Open();
  const KeptAgreement old = Kept("ada", 5, Duration{10});
  const KeptAgreement newer[] = {Kept("ada", 7, Duration{20}), Kept("ben", 3, Duration{20})};
  ASSERT_TRUE(store->WriteIndicators({&old, 1}).has_value());
  ASSERT_TRUE(store->WriteIndicators(newer).has_value());
  ASSERT_TRUE(store->WriteIndicators(newer).has_value());
  ASSERT_TRUE(store->WriteIndicators({&old, 1}).has_value());  // comes late, and changes nothing
  ASSERT_TRUE(store->WriteIndicators({}).has_value());
  store = Open();
  EXPECT_THAT(*store->Indicators(), ElementsAre(newer[0], newer[1]));
}

TEST_F(StoreTest, NoticesThatOthersHaveWritten) {
  const auto one = Open();
  const auto other = Open();
  const auto before = one->Version();
  EXPECT_EQ(*one->Version(), *before);
  ASSERT_TRUE(one->AddTenant({"ada", 1}).has_value());
  EXPECT_EQ(*one->Version(), *before);
  ASSERT_TRUE(other->AddTenant({"ben", 1}).has_value());
  EXPECT_NE(*one->Version(), *before);
}

TEST_F(StoreTest, BringsAnOldFileUpToDate) {
  Execute(StoreMigrations().front());
  Execute(
      "PRAGMA user_version = 1; INSERT INTO tenants VALUES ('ada', 2);"
      "INSERT INTO agreements VALUES ('ada', 'net', '{}');");
  auto store = Open();
  EXPECT_THAT(*store->Tenants(), ElementsAre(StoredTenant{"ada", 2}));
  EXPECT_THAT(*store->Agreements(), ElementsAre(StoredAgreement{"ada", "net", "{}"}));
  const KeptAgreement kept = Kept("ada", 5, Duration{10});
  EXPECT_TRUE(store->WriteIndicators({&kept, 1}).has_value());
  store = Open();  // is up to date, and stays so
  EXPECT_THAT(*store->Indicators(), ElementsAre(kept));
}

TEST_F(StoreTest, RefusesWhatItCannotRead) {
  const auto message = [&](Store::IfMissing missing) {
    const auto store = Store::Open(path_, missing);
    return store.has_value() ? "no error" : store.error().message;
  };
  EXPECT_THAT(message(Store::IfMissing::kFail), HasSubstr("unable to open database file"));
  Execute("PRAGMA user_version = 99;");
  EXPECT_THAT(message(Store::IfMissing::kCreate), HasSubstr("its schema has version 99"));
  std::filesystem::resize_file(path_, 0);
  std::FILE* const file = std::fopen(path_.c_str(), "w");
  std::fputs("this is no database, and long enough to tell: ................................",
             file);
  std::fclose(file);
  EXPECT_THAT(message(Store::IfMissing::kCreate), HasSubstr("not a database"));
  path_ = folder_;
  EXPECT_THAT(message(Store::IfMissing::kCreate), HasSubstr(path_));
}

}  // namespace
}  // namespace fairlead
