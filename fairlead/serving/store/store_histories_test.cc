// Histories of a server and its store that chance writes: answers, writings, kills, orderly ends, a
// locked store, a full disk, another server. An account that nothing of
// this touches says what may be lost, and what must not: what was written is there; what an orderly
// end could not write lies beside the store, and the next start takes it up; a store has one
// writer.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>

#include "fairlead/serving/store/store_keeper.h"
#include "fairlead/serving/testing/fake_service.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

class Histories : public testing::Test {
 protected:
  Histories()
      : folder_((fs::exists(kMemory) ? fs::path(kMemory) : fs::temp_directory_path()) /
                ("histories-" + std::to_string(getpid()))),
        random_(Seed()) {}
  ~Histories() override { fs::remove_all(folder_); }

  static unsigned Seed() {
    const char* const seed = std::getenv("FAIRLEAD_SEED");
    return seed == nullptr ? 1 : static_cast<unsigned>(std::atoi(seed));
  }
  static int Count() {
    const char* const count = std::getenv("FAIRLEAD_HISTORIES");
    return count == nullptr ? 50 : std::atoi(count);
  }

  // One server: its own account of hits begins with what the store says.
  struct Server {
    FakeService service;
    std::unique_ptr<Store> store;
    std::optional<StoreKeeper> keeper;
    std::uint64_t hits = 0;
    bool told = false;  // of trouble since the last writing that went well
  };

  std::string Where() const { return folder_ / "store.db"; }
  std::string Pending() const { return folder_ / "store.db.pending"; }
  static void SetHits(Server& server, std::uint64_t hits) {
    static const ServiceAgreement kPromise;
    server.hits = hits;
    AgreementReport report{.id = AgreementId{0}, .tenant = "ada", .network = "double"};
    report.promise = &kPromise;
    report.history.lifetime.by_outcome[static_cast<std::size_t>(Outcome::kHit)] =
        static_cast<std::int64_t>(hits);
    report.history.time = Duration{static_cast<std::int64_t>(hits) + 1};
    server.service.agreements = {report};
  }

  // None: it may not begin.
  std::unique_ptr<Server> Start(const std::string& holder) {
    auto server = std::make_unique<Server>();
    auto store = Store::Open(Where(), Store::IfMissing::kCreate, std::chrono::milliseconds{1});
    if (!store.has_value()) return nullptr;
    server->store = std::move(*store);
    if (!server->store->TakeLease(holder, kLease).has_value()) return nullptr;
    if (!TakeUpPending(Pending(), *server->store).has_value()) return nullptr;
    const auto books = server->store->Indicators();
    if (!books.has_value()) return nullptr;
    std::uint64_t hits = 0;
    for (const KeptAgreement& kept : *books)
      hits = static_cast<std::uint64_t>(
          kept.history.lifetime.by_outcome[static_cast<std::size_t>(Outcome::kHit)]);
    SetHits(*server, hits);
    server->keeper.emplace(
        StoreKeeperSetup{.service = &server->service,
                         .store = server->store.get(),
                         .interval = std::chrono::hours{1},
                         .read_terms = [](const StoredAgreement&) -> Result<ServiceAgreement> {
                           return Fail("none");
                         },
                         .use_keys = [](const KeyRing&) {},
                         .tell = [raw = server.get()](const std::string&) { raw->told = true; },
                         .holder = holder,
                         .pending = Pending()});
    server->keeper->Begin();
    return server;
  }

  static void Execute(sqlite3* database, const char* sql) {
    sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  }
  static void LimitFiles(rlim_t most) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = std::min(most, limit.rlim_max);
    setrlimit(RLIMIT_FSIZE, &limit);
  }

  void Play();

  static constexpr const char* kMemory = "/dev/shm";  // thousands of databases
  static constexpr Duration kLease = std::chrono::hours{1};
  const fs::path folder_;
  std::mt19937 random_;
};

void Histories::Play() {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  const std::string holder = LeaseHolder();
  std::unique_ptr<Server> server = Start(holder);
  ASSERT_NE(server, nullptr);
  sqlite3* lock = nullptr;
  sqlite3_open(Where().c_str(), &lock);
  bool locked = false;
  std::uint64_t account = 0;  // hits that were answered, and are not known to be lost
  std::uint64_t written = 0;  // of these, surely in the store
  std::string story;
  for (int act = 0; act < 12; ++act) {
    const int which = std::uniform_int_distribution(0, 7)(random_);
    story += static_cast<char>('0' + which);
    SCOPED_TRACE(story);
    switch (which) {
      case 0:
      case 1:  // answers
        account += 1 + random_() % 5;
        SetHits(*server, account);
        break;
      case 2: {  // a writing
        server->told = false;
        server->keeper->Pass();
        if (!server->told && !locked) written = account;
        break;
      }
      case 3: {  // killed: it says nothing, and writes nothing
        SetHits(*server, 0);
        server->service.agreements.clear();
        server.reset();
        if (locked) Execute(lock, "ROLLBACK");
        locked = false;
        server = Start(holder);
        ASSERT_NE(server, nullptr);
        ASSERT_GE(server->hits, written) << "written, and lost";
        ASSERT_LE(server->hits, account) << "never answered";
        account = written = server->hits;
        break;
      }
      case 4: {  // an orderly end
        const Status ended = server->keeper->End();
        ASSERT_EQ(ended.has_value(), !fs::exists(Pending()));
        if (!locked) {
          ASSERT_TRUE(ended.has_value()) << ended.error().message;
        }
        server.reset();
        if (locked) Execute(lock, "ROLLBACK");
        locked = false;
        server = Start(holder);
        ASSERT_NE(server, nullptr);
        ASSERT_EQ(server->hits, account) << "lost by an orderly end";
        ASSERT_FALSE(fs::exists(Pending()));
        written = account;
        break;
      }
      case 5:  // locked, or free again
        Execute(lock, locked ? "ROLLBACK" : "BEGIN IMMEDIATE");
        locked = sqlite3_get_autocommit(lock) == 0;
        break;
      case 6:  // another server
        if (!locked) {
          ASSERT_EQ(Start("other/2/2"), nullptr) << "two writers";
        }
        break;
      case 7:  // a full disk, for a while
        LimitFiles(4096);
        server->keeper->Pass();
        LimitFiles(RLIM_INFINITY);
        break;
      default: break;
    }
  }
  sqlite3_close(lock);
}

TEST_F(Histories, LoseNothingQuietly) {
  for (int history = 0; history < Count(); ++history) {
    SCOPED_TRACE(history);
    Play();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fairlead
