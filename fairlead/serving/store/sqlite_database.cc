#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <optional>
#include <utility>

#include "fairlead/serving/store/sql_database.h"

namespace fairlead {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void Bind(sqlite3_stmt* statement, int place, const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, place, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()),
                      SQLITE_STATIC);
  } else if (const auto* blob = std::get_if<SqlBytes>(&value)) {
    sqlite3_bind_blob(statement, place, blob->bytes.data(), static_cast<int>(blob->bytes.size()),
                      SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement, place);
  }
}

SqlValue ValueOf(sqlite3_stmt* statement, int column) {
  const auto bytes = [&] {
    const void* const data = sqlite3_column_blob(statement, column);
    const int size = sqlite3_column_bytes(statement, column);
    return std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: return bytes();
    case SQLITE_BLOB: return SqlBytes{bytes()};
    default: return std::monostate{};
  }
}

// Which file it is, whatever it is called.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(std::string path, Duration patience)
      : path_(std::move(path)), patience_(patience) {}

  Status Open(Store::IfMissing missing) {
    sqlite3* handle = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX |
                      (missing == Store::IfMissing::kCreate ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path_.c_str(), &handle, flags, nullptr);
    database_.reset(handle);
    if (code != SQLITE_OK) return Fail("{}", sqlite3_errstr(code));
    using std::chrono::milliseconds;
    sqlite3_busy_timeout(
        handle, static_cast<int>(std::chrono::duration_cast<milliseconds>(patience_).count()));
    // A write that was told is there after the process died. There is no write-ahead log: it has
    // an index that is mapped into memory, and who makes that file shorter ends the process.
    RETURN_IF_ERROR(
        Execute("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL;"
                "PRAGMA foreign_keys = ON;"));
    identity_ = IdentityOf(path_);
    ++opened_;
    return {};
  }

  const std::string& name() const override { return path_; }
  Status Begin() override { return RunScript("BEGIN IMMEDIATE"); }
  Status Commit() override { return RunScript("COMMIT"); }
  void Rollback() override { static_cast<void>(RunScript("ROLLBACK")); }

  Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> values) override {
    RETURN_IF_ERROR(StillThere());
    sqlite3_stmt* handle = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &handle,
                           nullptr) != SQLITE_OK)
      return Fail("{}", sqlite3_errmsg(database_.get()));
    const Statement statement(handle);
    for (std::size_t i = 0; i < values.size(); ++i)
      Bind(handle, static_cast<int>(i) + 1, values[i]);
    SqlResult result;
    while (true) {
      const int code = sqlite3_step(handle);
      if (code == SQLITE_DONE) break;
      if (code != SQLITE_ROW) return Fail("{}", sqlite3_errmsg(database_.get()));
      SqlRow& row = result.rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(handle); ++column)
        row.push_back(ValueOf(handle, column));
    }
    result.changed = sqlite3_changes(database_.get());
    return result;
  }

  Status RunScript(std::string_view sql) override {
    RETURN_IF_ERROR(StillThere());
    return Execute(sql);
  }

  Result<std::int64_t> SchemaVersion() override { return Pragma("PRAGMA user_version"); }
  Status SetSchemaVersion(std::int64_t version) override {
    return RunScript(fmt::format("PRAGMA user_version = {}", version));
  }

  Status NoteChange() override { return {}; }  // SQLite counts by itself
  Result<std::int64_t> ChangesByOthers() override {
    ASSIGN_OR_RETURN(const std::int64_t version, Pragma("PRAGMA data_version"));
    return version + (opened_ << 32);
  }

 private:
  Status Execute(std::string_view sql) {
    if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return Fail("{}", sqlite3_errmsg(database_.get()));
    return {};
  }

  // SQLite would write on to a file that has been removed, where nobody reads it any more. One that
  // was put in its place is taken instead.
  Status StillThere() {
    const auto identity = IdentityOf(path_);
    if (identity.has_value() && identity == identity_) return {};
    if (!identity.has_value()) return Fail("the file has gone");
    database_.reset();
    return Open(Store::IfMissing::kFail);
  }

  Result<std::int64_t> Pragma(std::string_view sql) {
    ASSIGN_OR_RETURN(const SqlResult result, Run(sql, {}));
    return std::get<std::int64_t>(result.rows.at(0).at(0));
  }

  const std::string path_;
  const Duration patience_;  // for another process that writes
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, &sqlite3_close};
  std::optional<FileIdentity> identity_;
  std::int64_t opened_ = 0;  // so often; each connection counts others' changes anew
};

}  // namespace

Result<std::unique_ptr<SqlDatabase>> OpenSqlite(const std::string& path, Store::IfMissing missing,
                                                Duration patience) {
  auto database = std::make_unique<SqliteDatabase>(path, patience);
  const Status opened = database->Open(missing);
  if (!opened.has_value()) return Fail("{}: {}", path, opened.error().message);
  return database;
}

}  // namespace fairlead
