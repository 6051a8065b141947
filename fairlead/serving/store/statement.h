// One statement of SQL: values in, rows out. Of the room alone.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

class Statement {
 public:
  static Result<Statement> Prepare(sqlite3* database, std::string_view sql);

  // Values, in order.
  Statement& Bind(std::string_view text);
  Statement& Bind(double number);
  Statement& Bind(std::int64_t number);
  Statement& BindBytes(std::span<const std::uint8_t> bytes);
  Statement& BindNothing();

  // True: there is a row; false: it is done.
  Result<bool> Step();
  Status Run();  // to its end
  void Reset();  // for new values

  std::string Text(int column) const;
  std::string_view Bytes(int column) const;
  double Number(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::int64_t Integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  sqlite3* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0;
};

}  // namespace fairlead
