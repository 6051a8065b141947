#include "fairlead/serving/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#include "fairlead/serving/clock.h"
#include "fairlead/serving/store/sql_database.h"

namespace fairlead {
namespace {

// When a process of this machine began, as the system counts; none: there is no such process.
std::optional<std::string> BeginningOf(std::string_view process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  std::istringstream rest(text.substr(std::min(text.rfind(')'), text.size())));
  std::string word;
  for (int field = 2; field <= 22; ++field) rest >> word;  // the 22nd
  return word;
}

std::string MachineName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Whether a holder, "machine/process/beginning", is there; none: it is of another machine.
std::optional<bool> HolderLives(const std::string& holder) {
  const std::size_t second = holder.rfind('/');
  const std::size_t first = second == std::string::npos ? second : holder.rfind('/', second - 1);
  if (first == std::string::npos || holder.substr(0, first) != MachineName()) return std::nullopt;
  return BeginningOf(holder.substr(first + 1, second - first - 1)) == holder.substr(second + 1);
}

// The columns of a row, in order; a wrong type is an error, once, at the end.
class RowReader {
 public:
  explicit RowReader(const SqlRow& row) : row_(row) {}

  std::string Text() { return Take<std::string>(); }
  double Number() { return Take<double>(); }
  std::string Bytes() { return Take<SqlBytes>().bytes; }
  // Nothing: an empty one.
  std::string TextOrNothing() {
    if (next_ < row_.size() && std::holds_alternative<std::monostate>(row_[next_])) {
      ++next_;
      return {};
    }
    return Text();
  }
  bool good() const { return good_ && next_ == row_.size(); }

 private:
  template <typename Value>
  Value Take() {
    const Value* const value = next_ < row_.size() ? std::get_if<Value>(&row_[next_++]) : nullptr;
    if (value != nullptr) return *value;
    good_ = false;
    return {};
  }
  const SqlRow& row_;
  std::size_t next_ = 0;
  bool good_ = true;
};

class SqlStore final : public Store {
 public:
  explicit SqlStore(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}

  Status Prepare() {
    return InTransaction([this]() -> Status {
      const auto scripts = StoreMigrations();
      ASSIGN_OR_RETURN(const std::int64_t version, database_->SchemaVersion());
      if (version < 0 || version > std::ssize(scripts))
        return Fail("its schema has version {}; this program knows {}", version, scripts.size());
      if (version == std::ssize(scripts)) return {};
      for (std::size_t i = static_cast<std::size_t>(version); i < scripts.size(); ++i)
        RETURN_IF_ERROR(database_->RunScript(scripts[i]));
      return database_->SetSchemaVersion(std::ssize(scripts));
    });
  }

  Status AddTenant(const StoredTenant& tenant) override {
    return Change("INSERT INTO tenants (name, weight) VALUES (?, ?) ON CONFLICT DO NOTHING",
                  {tenant.name, tenant.weight},
                  fmt::format("there is a tenant '{}' already", tenant.name));
  }

  Status RemoveTenant(const std::string& name) override {
    return InTransaction([&]() -> Status {
      RETURN_IF_ERROR(database_->NoteChange());
      const SqlValue values[] = {name};
      RETURN_IF_ERROR(database_->Run("DELETE FROM indicators WHERE tenant = ?", values));
      ASSIGN_OR_RETURN(const auto done,
                       database_->Run("DELETE FROM tenants WHERE name = ?", values));
      if (done.changed == 0) return Fail("there is no tenant '{}'", name);
      return {};
    });
  }

  Result<std::vector<StoredTenant>> Tenants() override {
    return Rows<StoredTenant>("SELECT name, weight FROM tenants ORDER BY name",
                              [](RowReader& row) -> Result<StoredTenant> {
                                const std::string name = row.Text();
                                return StoredTenant{name, row.Number()};
                              });
  }

  Status AddKey(const StoredKey& key) override {
    const SqlValue tenant = key.tenant.empty() ? SqlValue() : SqlValue(key.tenant);
    return Change(
        "INSERT INTO keys (id, tenant, digest) SELECT ?, ?, ? WHERE ? = '' OR EXISTS "
        "(SELECT 1 FROM tenants WHERE name = ?)",
        {key.id, tenant, SqlBytes{std::string(key.digest.begin(), key.digest.end())}, key.tenant,
         key.tenant},
        fmt::format("there is no tenant '{}'", key.tenant));
  }

  Status RemoveKey(const std::string& id) override {
    return Change("DELETE FROM keys WHERE id = ?", {id}, fmt::format("there is no key '{}'", id));
  }

  Result<std::vector<StoredKey>> Keys() override {
    return Rows<StoredKey>("SELECT id, tenant, digest FROM keys ORDER BY tenant, id",
                           [](RowReader& row) -> Result<StoredKey> {
                             StoredKey key{.id = row.Text()};
                             key.tenant = row.TextOrNothing();
                             const std::string digest = row.Bytes();
                             if (digest.size() != key.digest.size())
                               return Fail("the digest of key '{}' is broken", key.id);
                             std::ranges::copy(digest, key.digest.begin());
                             return key;
                           });
  }

  Status PutAgreement(const StoredAgreement& agreement) override {
    return Change(
        "INSERT INTO agreements (tenant, network, terms) SELECT ?, ?, ? WHERE EXISTS "
        "(SELECT 1 FROM tenants WHERE name = ?) "
        "ON CONFLICT (tenant, network) DO UPDATE SET terms = excluded.terms",
        {agreement.tenant, agreement.network, agreement.terms, agreement.tenant},
        fmt::format("there is no tenant '{}'", agreement.tenant));
  }

  Status RemoveAgreement(const std::string& tenant, const std::string& network) override {
    return Change("DELETE FROM agreements WHERE tenant = ? AND network = ?", {tenant, network},
                  fmt::format("tenant '{}' has no agreement on '{}'", tenant, network));
  }

  Result<std::vector<StoredAgreement>> Agreements() override {
    return Rows<StoredAgreement>(
        "SELECT tenant, network, terms FROM agreements ORDER BY tenant, network",
        [](RowReader& row) -> Result<StoredAgreement> {
          const std::string tenant = row.Text();
          const std::string network = row.Text();
          return StoredAgreement{tenant, network, row.Text()};
        });
  }

  Status WriteIndicators(std::span<const KeptAgreement> books) override {
    if (books.empty()) return {};
    return InTransaction([&]() -> Status {
      RETURN_IF_ERROR(StillLeased());
      for (const KeptAgreement& kept : books) {
        const SqlValue values[] = {kept.tenant, kept.network, Nanoseconds(kept.history.time),
                                   FormatBooks({&kept, 1})};
        RETURN_IF_ERROR(
            database_->Run("INSERT INTO indicators (tenant, network, time_ns, books) "
                           "VALUES (?, ?, ?, ?) ON CONFLICT (tenant, network) DO UPDATE "
                           "SET time_ns = excluded.time_ns, books = excluded.books "
                           "WHERE excluded.time_ns > indicators.time_ns",
                           values));
      }
      return {};
    });
  }

  Result<std::vector<KeptAgreement>> Indicators() override {
    return Rows<KeptAgreement>("SELECT books FROM indicators ORDER BY tenant, network",
                               [](RowReader& row) -> Result<KeptAgreement> {
                                 ASSIGN_OR_RETURN(auto kept, ParseBooks("indicators", row.Text()));
                                 if (kept.size() != 1)
                                   return Fail("an entry of the indicators is broken");
                                 return std::move(kept.front());
                               });
  }

  Status TakeLease(const std::string& holder, Duration length) override {
    const std::int64_t now = WallNanoseconds() / 1'000'000;
    const std::int64_t expires =
        now + std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
    return InTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(const SqlResult found,
                       database_->Run("SELECT holder, epoch, expires_ms FROM writer", {}));
      std::int64_t epoch = 1;
      if (!found.rows.empty()) {
        const auto* other = std::get_if<std::string>(&found.rows[0].at(0));
        const auto* last = std::get_if<std::int64_t>(&found.rows[0].at(1));
        const auto* until = std::get_if<std::int64_t>(&found.rows[0].at(2));
        if (other == nullptr || last == nullptr || until == nullptr)
          return Fail("its table 'writer' is broken");
        const bool mine = *other == holder;
        if (!mine && *until != 0 && HolderLives(*other).value_or(*until > now))
          return Fail("it has a writer, {} (epoch {}); one server writes to a store", *other,
                      *last);
        epoch = mine && *last == epoch_ ? *last : *last + 1;
      }
      const SqlValue values[] = {holder, epoch, expires};
      RETURN_IF_ERROR(
          database_->Run("INSERT INTO writer (id, holder, epoch, expires_ms) VALUES (0, ?, ?, ?) "
                         "ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, "
                         "epoch = excluded.epoch, expires_ms = excluded.expires_ms",
                         values));
      holder_ = holder;
      epoch_ = epoch;
      return {};
    });
  }

  Status GiveLeaseBack() override {
    if (epoch_ == 0) return {};
    return InTransaction([&]() -> Status {
      const SqlValue values[] = {holder_, std::exchange(epoch_, 0)};
      RETURN_IF_ERROR(database_->Run(
          "UPDATE writer SET expires_ms = 0 WHERE holder = ? AND epoch = ?", values));
      return {};
    });
  }

  std::vector<std::string> TakeTroubles() override { return std::exchange(troubles_, {}); }

  Result<std::int64_t> Version() override {
    const auto version = database_->ChangesByOthers();
    if (!version.has_value()) return Named(version.error());
    return *version;
  }

 private:
  tl::unexpected<Error> Named(const Error& error) const {
    return Fail("{}: {}", database_->name(), error.message);
  }

  Status InTransaction(const std::function<Status()>& act) {
    Status status = database_->Begin();
    if (!status.has_value()) return Named(status.error());
    status = act();
    if (status.has_value()) status = database_->Commit();
    if (status.has_value()) return {};
    database_->Rollback();  // the first error counts
    return Named(status.error());
  }

  // A statement that changes something, or else this is wrong.
  Status Change(std::string_view sql, const std::vector<SqlValue>& values,
                const std::string& otherwise) {
    return InTransaction([&]() -> Status {
      RETURN_IF_ERROR(database_->NoteChange());
      ASSIGN_OR_RETURN(const auto done, database_->Run(sql, values));
      if (done.changed == 0) return Fail("{}", otherwise);
      return {};
    });
  }

  template <typename Row>
  Result<std::vector<Row>> Rows(std::string_view sql,
                                const std::function<Result<Row>(RowReader&)>& read) {
    const auto result = database_->Run(sql, {});
    if (!result.has_value()) return Named(result.error());
    std::vector<Row> rows;
    for (const SqlRow& values : result->rows) {
      RowReader reader(values);
      auto row = read(reader);
      if (row.has_value() && reader.good()) {
        rows.push_back(std::move(*row));
      } else if (troubles_.size() < kMostTroubles) {
        troubles_.push_back(fmt::format("{}: a row is set aside: {}", database_->name(),
                                        row.has_value() ? "it is broken" : row.error().message));
      }
    }
    return rows;
  }

  // In the transaction of what is written.
  Status StillLeased() {
    if (epoch_ == 0) return {};  // nobody asked for one: a tool, or a test
    const SqlValue values[] = {holder_, epoch_};
    ASSIGN_OR_RETURN(
        const auto found,
        database_->Run("SELECT epoch FROM writer WHERE holder = ? AND epoch = ?", values));
    if (found.rows.empty()) return Fail("another server has become its writer");
    return {};
  }

  static constexpr std::size_t kMostTroubles = 100;

  const std::unique_ptr<SqlDatabase> database_;
  std::string holder_;      // of the lease
  std::int64_t epoch_ = 0;  // 0: it is not held
  std::vector<std::string> troubles_;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& where, IfMissing missing,
                                           Duration patience) {
  ASSIGN_OR_RETURN(auto database,
                   IsPostgres(where) ? OpenPostgres(where) : OpenSqlite(where, missing, patience));
  auto store = std::make_unique<SqlStore>(std::move(database));
  RETURN_IF_ERROR(store->Prepare());
  return store;
}

std::string LeaseHolder() {
  const std::string process = std::to_string(getpid());
  return fmt::format("{}/{}/{}", MachineName(), process, BeginningOf(process).value_or("?"));
}

bool IsStoreAddress(std::string_view where) { return IsPostgres(where); }

}  // namespace fairlead
