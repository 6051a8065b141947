#include "fairlead/serving/store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "fairlead/serving/store/statement.h"

namespace fairlead {
namespace {

constexpr int kPatience = 5000;  // milliseconds, for another process that writes

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, sqlite3* database)
      : path_(std::move(path)), database_(database, &sqlite3_close) {}

  Status Prepare() {
    sqlite3_busy_timeout(database_.get(), kPatience);
    // A write that was told is there after the process died; after a loss of power the last ones
    // may be missing, and the file is whole.
    RETURN_IF_ERROR(
        Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                "PRAGMA foreign_keys = ON;"));
    return Named(InTransaction([this] { return Migrate(); }));
  }

  Status AddTenant(const StoredTenant& tenant) override {
    return Changed([&](Statement& add) { add.Bind(tenant.name).Bind(tenant.weight); },
                   "INSERT INTO tenants (name, weight) VALUES (?, ?) ON CONFLICT DO NOTHING",
                   fmt::format("there is a tenant '{}' already", tenant.name));
  }

  Status RemoveTenant(const std::string& name) override {
    return Named(InTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(auto indicators, Make("DELETE FROM indicators WHERE tenant = ?"));
      RETURN_IF_ERROR(indicators.Bind(name).Run());
      ASSIGN_OR_RETURN(auto tenant, Make("DELETE FROM tenants WHERE name = ?"));
      RETURN_IF_ERROR(tenant.Bind(name).Run());
      if (sqlite3_changes(database_.get()) == 0) return Fail("there is no tenant '{}'", name);
      return {};
    }));
  }

  Result<std::vector<StoredTenant>> Tenants() override {
    return Rows<StoredTenant>("SELECT name, weight FROM tenants ORDER BY name",
                              [](const Statement& row) -> Result<StoredTenant> {
                                return StoredTenant{row.Text(0), row.Number(1)};
                              });
  }

  Status AddKey(const StoredKey& key) override {
    return Changed(
        [&](Statement& add) {
          add.Bind(key.id);
          if (key.tenant.empty()) {
            add.BindNothing();
          } else {
            add.Bind(key.tenant);
          }
          add.BindBytes(key.digest).Bind(key.tenant).Bind(key.tenant);
        },
        "INSERT INTO keys (id, tenant, digest) SELECT ?, ?, ? WHERE ? = '' OR EXISTS "
        "(SELECT 1 FROM tenants WHERE name = ?)",
        fmt::format("there is no tenant '{}'", key.tenant));
  }

  Status RemoveKey(const std::string& id) override {
    return Changed([&](Statement& remove) { remove.Bind(id); }, "DELETE FROM keys WHERE id = ?",
                   fmt::format("there is no key '{}'", id));
  }

  Result<std::vector<StoredKey>> Keys() override {
    return Rows<StoredKey>("SELECT id, tenant, digest FROM keys ORDER BY tenant, id",
                           [](const Statement& row) -> Result<StoredKey> {
                             StoredKey key{.id = row.Text(0), .tenant = row.Text(1)};
                             const std::string_view digest = row.Bytes(2);
                             if (digest.size() != key.digest.size())
                               return Fail("the digest of key '{}' is broken", key.id);
                             std::ranges::copy(digest, key.digest.begin());
                             return key;
                           });
  }

  Status PutAgreement(const StoredAgreement& agreement) override {
    return Changed(
        [&](Statement& put) {
          put.Bind(agreement.tenant).Bind(agreement.network).Bind(agreement.terms);
          put.Bind(agreement.tenant);
        },
        "INSERT INTO agreements (tenant, network, terms) SELECT ?, ?, ? WHERE EXISTS "
        "(SELECT 1 FROM tenants WHERE name = ?) "
        "ON CONFLICT (tenant, network) DO UPDATE SET terms = excluded.terms",
        fmt::format("there is no tenant '{}'", agreement.tenant));
  }

  Status RemoveAgreement(const std::string& tenant, const std::string& network) override {
    return Changed([&](Statement& remove) { remove.Bind(tenant).Bind(network); },
                   "DELETE FROM agreements WHERE tenant = ? AND network = ?",
                   fmt::format("tenant '{}' has no agreement on '{}'", tenant, network));
  }

  Result<std::vector<StoredAgreement>> Agreements() override {
    return Rows<StoredAgreement>(
        "SELECT tenant, network, terms FROM agreements ORDER BY tenant, network",
        [](const Statement& row) -> Result<StoredAgreement> {
          return StoredAgreement{row.Text(0), row.Text(1), row.Text(2)};
        });
  }

  Status WriteIndicators(std::span<const KeptAgreement> books) override {
    if (books.empty()) return {};
    return Named(InTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(auto put, Make("INSERT INTO indicators (tenant, network, time_ns, books) "
                                      "VALUES (?, ?, ?, ?) ON CONFLICT (tenant, network) DO UPDATE "
                                      "SET time_ns = excluded.time_ns, books = excluded.books "
                                      "WHERE excluded.time_ns > indicators.time_ns"));
      for (const KeptAgreement& kept : books) {
        put.Reset();
        put.Bind(kept.tenant).Bind(kept.network).Bind(Nanoseconds(kept.history.time));
        RETURN_IF_ERROR(put.Bind(FormatBooks({&kept, 1})).Run());
      }
      return {};
    }));
  }

  Result<std::vector<KeptAgreement>> Indicators() override {
    return Rows<KeptAgreement>("SELECT books FROM indicators ORDER BY tenant, network",
                               [](const Statement& row) -> Result<KeptAgreement> {
                                 ASSIGN_OR_RETURN(auto kept, ParseBooks("indicators", row.Text(0)));
                                 if (kept.size() != 1)
                                   return Fail("an entry of the indicators is broken");
                                 return std::move(kept.front());
                               });
  }

  Result<std::int64_t> Version() override {
    ASSIGN_OR_RETURN(auto version, Make("PRAGMA data_version"));
    auto row = version.Step();
    if (!row.has_value()) return Fail("{}: {}", path_, row.error().message);
    return version.Integer(0);
  }

 private:
  Result<Statement> Make(std::string_view sql) { return Statement::Prepare(database_.get(), sql); }

  Status Execute(std::string_view sql) {
    if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return Fail("{}: {}", path_, sqlite3_errmsg(database_.get()));
    return {};
  }

  // An error with the file's name before it.
  Status Named(Status status) const {
    if (status.has_value()) return status;
    if (status.error().message.starts_with(path_)) return status;
    return Fail("{}: {}", path_, status.error().message);
  }

  Status InTransaction(const std::function<Status()>& act) {
    RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
    Status status = act();
    if (status.has_value()) status = Execute("COMMIT");
    if (!status.has_value()) static_cast<void>(Execute("ROLLBACK"));  // the first error counts
    return status;
  }

  Status Migrate() {
    const auto scripts = StoreMigrations();
    std::int64_t version = 0;
    {
      ASSIGN_OR_RETURN(auto ask, Make("PRAGMA user_version"));
      RETURN_IF_ERROR(ask.Step());
      version = ask.Integer(0);
    }
    if (version < 0 || version > std::ssize(scripts))
      return Fail("its schema has version {}; this program knows {}", version, scripts.size());
    for (std::size_t i = static_cast<std::size_t>(version); i < scripts.size(); ++i)
      RETURN_IF_ERROR(Execute(scripts[i]));
    return Execute(fmt::format("PRAGMA user_version = {}", scripts.size()));
  }

  // A statement that changes something, or else this is wrong.
  Status Changed(const std::function<void(Statement&)>& bind, std::string_view sql,
                 const std::string& otherwise) {
    return Named(InTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(auto statement, Make(sql));
      bind(statement);
      RETURN_IF_ERROR(statement.Run());
      if (sqlite3_changes(database_.get()) == 0) return Fail("{}", otherwise);
      return {};
    }));
  }

  template <typename Row>
  Result<std::vector<Row>> Rows(std::string_view sql,
                                const std::function<Result<Row>(const Statement&)>& read) {
    std::vector<Row> rows;
    const auto all = [&]() -> Status {
      ASSIGN_OR_RETURN(auto statement, Make(sql));
      while (true) {
        ASSIGN_OR_RETURN(const bool more, statement.Step());
        if (!more) return {};
        ASSIGN_OR_RETURN(Row row, read(statement));
        rows.push_back(std::move(row));
      }
    };
    RETURN_IF_ERROR(Named(all()));
    return rows;
  }

  std::string path_;
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& path, IfMissing missing) {
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX |
                    (missing == IfMissing::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  auto store = std::make_unique<SqliteStore>(path, database);
  if (code != SQLITE_OK) return Fail("{}: {}", path, sqlite3_errstr(code));
  RETURN_IF_ERROR(store->Prepare());
  return store;
}

}  // namespace fairlead
