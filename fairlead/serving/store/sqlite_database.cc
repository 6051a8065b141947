#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "fairlead/serving/store/sql_database.h"

namespace fairlead {
namespace {

constexpr int kPatience = 5000;  // milliseconds, for another process that writes

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

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(std::string path, sqlite3* database)
      : path_(std::move(path)), database_(database, &sqlite3_close) {}

  Status Prepare() {
    sqlite3_busy_timeout(database_.get(), kPatience);
    // A write that was told is there after the process died; after a loss of power the last ones
    // may be missing, and the file is whole.
    return RunScript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA foreign_keys = ON;");
  }

  const std::string& name() const override { return path_; }
  Status Begin() override { return RunScript("BEGIN IMMEDIATE"); }
  Status Commit() override { return RunScript("COMMIT"); }
  void Rollback() override { static_cast<void>(RunScript("ROLLBACK")); }

  Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> values) override {
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
    if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return Fail("{}", sqlite3_errmsg(database_.get()));
    return {};
  }

  Result<std::int64_t> SchemaVersion() override { return Pragma("PRAGMA user_version"); }
  Status SetSchemaVersion(std::int64_t version) override {
    return RunScript(fmt::format("PRAGMA user_version = {}", version));
  }

  Status NoteChange() override { return {}; }  // SQLite counts by itself
  Result<std::int64_t> ChangesByOthers() override { return Pragma("PRAGMA data_version"); }

 private:
  Result<std::int64_t> Pragma(std::string_view sql) {
    ASSIGN_OR_RETURN(const SqlResult result, Run(sql, {}));
    return std::get<std::int64_t>(result.rows.at(0).at(0));
  }

  const std::string path_;
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_;
};

}  // namespace

Result<std::unique_ptr<SqlDatabase>> OpenSqlite(const std::string& path, Store::IfMissing missing) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX |
                    (missing == Store::IfMissing::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  auto database = std::make_unique<SqliteDatabase>(path, handle);
  if (code != SQLITE_OK) return Fail("{}: {}", path, sqlite3_errstr(code));
  const Status prepared = database->Prepare();
  if (!prepared.has_value()) return Fail("{}: {}", path, prepared.error().message);
  return database;
}

}  // namespace fairlead
