#include "fairlead/serving/store/statement.h"

namespace fairlead {

Result<Statement> Statement::Prepare(sqlite3* database, std::string_view sql) {
  Statement statement;
  statement.database_ = database;
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &handle, nullptr) !=
      SQLITE_OK)
    return Fail("{}", sqlite3_errmsg(database));
  statement.handle_.reset(handle);
  return statement;
}

Statement& Statement::Bind(std::string_view text) {
  sqlite3_bind_text(handle_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::Bind(double number) {
  sqlite3_bind_double(handle_.get(), ++bound_, number);
  return *this;
}

Statement& Statement::Bind(std::int64_t number) {
  sqlite3_bind_int64(handle_.get(), ++bound_, number);
  return *this;
}

Statement& Statement::BindBytes(std::span<const std::uint8_t> bytes) {
  sqlite3_bind_blob(handle_.get(), ++bound_, bytes.data(), static_cast<int>(bytes.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::BindNothing() {
  sqlite3_bind_null(handle_.get(), ++bound_);
  return *this;
}

Result<bool> Statement::Step() {
  switch (sqlite3_step(handle_.get())) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: return Fail("{}", sqlite3_errmsg(database_));
  }
}

Status Statement::Run() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, Step());
    if (!more) return {};
  }
}

void Statement::Reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  bound_ = 0;
}

std::string Statement::Text(int column) const { return std::string(Bytes(column)); }

std::string_view Statement::Bytes(int column) const {
  const void* const data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

}  // namespace fairlead
