// A database that speaks SQL, as far as the store needs it: SQLite or PostgreSQL. Of the room
// alone; one thread at a time.
//
// Statements are written as SQLite has them (`?` for a value), in what both understand. A
// connection that is lost is made anew when the next transaction begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/serving/store/store.h"

namespace fairlead {

struct SqlBytes {
  std::string bytes;
};
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, SqlBytes>;
using SqlRow = std::vector<SqlValue>;

struct SqlResult {
  std::vector<SqlRow> rows;
  std::int64_t changed = 0;  // rows, by a statement that changes some
};

class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  // For messages; no password in it.
  virtual const std::string& name() const = 0;

  virtual Status Begin() = 0;  // nobody else writes until the end
  virtual Status Commit() = 0;
  virtual void Rollback() = 0;

  virtual Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> values) = 0;
  // Several statements, for the schema.
  virtual Status RunScript(std::string_view sql) = 0;

  // Of the schema. 0: there is none yet.
  virtual Result<std::int64_t> SchemaVersion() = 0;
  virtual Status SetSchemaVersion(std::int64_t version) = 0;

  // In a transaction: what others read anew is changed by it.
  virtual Status NoteChange() = 0;
  // Another number whenever somebody else has changed such a thing.
  virtual Result<std::int64_t> ChangesByOthers() = 0;
};

Result<std::unique_ptr<SqlDatabase>> OpenSqlite(const std::string& path, Store::IfMissing missing,
                                                Duration patience);

// `postgresql://user@host/database`, and all that libpq takes of that kind.
bool IsPostgres(std::string_view where);
Result<std::unique_ptr<SqlDatabase>> OpenPostgres(const std::string& where);

}  // namespace fairlead
