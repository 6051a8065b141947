// With FAIRLEAD_POSTGRES=postgresql://... in the environment, these run on that database too, which
// they empty: tests/store/postgres_test.py starts one.
#include "fairlead/serving/store/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/serving/store/sql_database.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Where tests may keep things, emptied.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::string where() const = 0;
  virtual void Execute(std::string_view sql) = 0;
  virtual void SetSchemaVersion(int version) = 0;
};

class FilePlace final : public Place {
 public:
  FilePlace()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("store-{}", std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FilePlace() override { std::filesystem::remove_all(folder_); }

  std::string where() const override { return folder_ / "fairlead.db"; }
  void Execute(std::string_view sql) override {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(where().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, std::string(sql).c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
  }
  void SetSchemaVersion(int version) override {
    Execute(fmt::format("PRAGMA user_version = {}", version));
  }

 private:
  const std::filesystem::path folder_;
};

class PostgresPlace final : public Place {
 public:
  PostgresPlace() : database_(std::move(*OpenPostgres(where()))) {
    Execute(
        "DROP TABLE IF EXISTS indicators, agreements, keys, tenants, writer;"
        "UPDATE fairlead_schema SET version = 0");
  }
  std::string where() const override { return std::getenv("FAIRLEAD_POSTGRES"); }
  void Execute(std::string_view sql) override {
    const Status status = database_->RunScript(sql);
    ASSERT_TRUE(status.has_value()) << status.error().message;
  }
  void SetSchemaVersion(int version) override {
    EXPECT_TRUE(database_->SetSchemaVersion(version).has_value());
  }

 private:
  const std::unique_ptr<SqlDatabase> database_;
};

class StoreTest : public testing::TestWithParam<std::string> {
 protected:
  StoreTest() {
    if (GetParam() == "postgres") {
      place_ = std::make_unique<PostgresPlace>();
    } else {
      place_ = std::make_unique<FilePlace>();
    }
  }
  std::unique_ptr<Store> Open() {
    auto store = Store::Open(place_->where(), Store::IfMissing::kCreate);
    EXPECT_TRUE(store.has_value()) << (store.has_value() ? "" : store.error().message);
    return std::move(*store);
  }

  std::unique_ptr<Place> place_;
};

std::vector<std::string> Databases() {
  std::vector<std::string> names = {"sqlite"};
  if (std::getenv("FAIRLEAD_POSTGRES") != nullptr) names.emplace_back("postgres");
  return names;
}

INSTANTIATE_TEST_SUITE_P(, StoreTest, testing::ValuesIn(Databases()),
                         [](const auto& database) { return database.param; });

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

TEST_P(StoreTest, KeepsTenantsAndAgreements) {
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

TEST_P(StoreTest, ForgetsATenantAsAWhole) {
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

TEST_P(StoreTest, KnowsKeysByTheirSecretAlone) {
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

TEST_P(StoreTest, WritesIndicatorsAsOftenAsOneLikes) {
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

TEST_P(StoreTest, NoticesThatOthersHaveWritten) {
  const auto one = Open();
  const auto other = Open();
  const auto before = one->Version();
  EXPECT_EQ(*one->Version(), *before);
  ASSERT_TRUE(one->AddTenant({"ada", 1}).has_value());
  EXPECT_EQ(*one->Version(), *before);
  ASSERT_TRUE(other->AddTenant({"ben", 1}).has_value());
  EXPECT_NE(*one->Version(), *before);
}

TEST_P(StoreTest, BringsAnOldSchemaUpToDate) {
  place_->Execute(StoreMigrations().front());
  place_->SetSchemaVersion(1);
  place_->Execute(
      "INSERT INTO tenants VALUES ('ada', 2);"
      "INSERT INTO agreements VALUES ('ada', 'net', '{}');");
  auto store = Open();
  EXPECT_THAT(*store->Tenants(), ElementsAre(StoredTenant{"ada", 2}));
  EXPECT_THAT(*store->Agreements(), ElementsAre(StoredAgreement{"ada", "net", "{}"}));
  const KeptAgreement kept = Kept("ada", 5, Duration{10});
  EXPECT_TRUE(store->WriteIndicators({&kept, 1}).has_value());
  store = Open();  // is up to date, and stays so
  EXPECT_THAT(*store->Indicators(), ElementsAre(kept));
}

std::string ErrorAt(const std::string& where, Store::IfMissing missing) {
  const auto store = Store::Open(where, missing);
  return store.has_value() ? "no error" : store.error().message;
}

TEST_P(StoreTest, RefusesANewerSchema) {
  Open();
  place_->SetSchemaVersion(99);
  EXPECT_THAT(ErrorAt(place_->where(), Store::IfMissing::kCreate),
              HasSubstr("its schema has version 99"));
}

TEST_P(StoreTest, DoesAllOrNothing) {
  const auto store = Open();
  ASSERT_TRUE(store->AddTenant({"ada", 1}).has_value());
  const KeptAgreement kept = Kept("ada", 5, Duration{10});
  ASSERT_TRUE(store->WriteIndicators({&kept, 1}).has_value());
  EXPECT_FALSE(store->RemoveTenant("eve").has_value());
  place_->Execute("DROP TABLE agreements");
  EXPECT_FALSE(store->PutAgreement({"ada", "net", "{}"}).has_value());
  EXPECT_TRUE(store->AddTenant({"ben", 1}).has_value());  // nothing is left open
  EXPECT_EQ(store->Tenants()->size(), 2U);
  EXPECT_THAT(*store->Indicators(), ElementsAre(kept));
}

TEST(StoreFileTest, RefusesWhatItCannotRead) {
  FilePlace place;
  const std::string path = place.where();
  EXPECT_THAT(ErrorAt(path, Store::IfMissing::kFail), HasSubstr("unable to open database file"));
  std::FILE* const file = std::fopen(path.c_str(), "w");
  std::fputs("this is no database, and long enough to tell: ................................",
             file);
  std::fclose(file);
  EXPECT_THAT(ErrorAt(path, Store::IfMissing::kCreate), HasSubstr("not a database"));
  const std::string folder = std::filesystem::path(path).parent_path();
  EXPECT_THAT(ErrorAt(folder, Store::IfMissing::kCreate), HasSubstr(folder));
}

TEST(StoreFileTest, NoticesThatTheFileHasGoneAndIsBack) {
  FilePlace place;
  const std::string path = place.where();
  const auto store = std::move(*Store::Open(path, Store::IfMissing::kCreate));
  ASSERT_TRUE(store->AddTenant({"ada", 1}).has_value());
  const auto version = *store->Version();
  std::filesystem::rename(path, path + ".away");
  EXPECT_THAT(MessageOf(store->AddTenant({"ben", 1})), HasSubstr("the file has gone"));
  EXPECT_FALSE(store->Tenants().has_value());
  EXPECT_FALSE(store->Version().has_value());
  std::filesystem::rename(path + ".away", path);
  EXPECT_EQ(*store->Version(), version);
  EXPECT_TRUE(store->AddTenant({"ben", 1}).has_value());
  EXPECT_EQ(store->Tenants()->size(), 2U);

  // Another one in its place.
  auto other = std::move(*Store::Open(path + ".other", Store::IfMissing::kCreate));
  ASSERT_TRUE(other->AddTenant({"cleo", 1}).has_value());
  other.reset();
  std::filesystem::rename(path + ".other", path);
  EXPECT_NE(*store->Version(), version);
  EXPECT_THAT(*store->Tenants(), ElementsAre(StoredTenant{"cleo", 1}));
  EXPECT_TRUE(store->AddTenant({"ben", 1}).has_value());
}

TEST(StoreAddressTest, IsNotTakenForAPath) {
  EXPECT_TRUE(IsStoreAddress("postgresql://host/name"));
  EXPECT_TRUE(IsStoreAddress("postgres://host/name"));
  EXPECT_FALSE(IsStoreAddress("fairlead.db"));
  const std::string message =
      ErrorAt("postgresql://me:secret@127.0.0.1:1/x?password=secret", Store::IfMissing::kCreate);
  EXPECT_THAT(message, HasSubstr("postgresql://me@127.0.0.1:1/x: "));
  EXPECT_THAT(message, HasSubstr("refused"));
  EXPECT_THAT(message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace fairlead
