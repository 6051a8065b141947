// The only file that includes libpq.
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/serving/store/sql_database.h"

namespace fairlead {
namespace {

// Of PostgreSQL's types, as pg_type has them.
constexpr Oid kBytes = 17;
constexpr Oid kBigInt = 20;
constexpr Oid kText = 25;
constexpr Oid kDouble = 701;

// For one answer. The database has less, and says so itself.
constexpr int kPatience = 5000;  // milliseconds

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

// The schema is one; what SQLite calls these, PostgreSQL calls those.
std::string Translated(std::string_view sql) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kTypes = {
      {{" REAL ", " DOUBLE PRECISION "}, {" BLOB ", " BYTEA "}, {" INTEGER ", " BIGINT "}}};
  std::string text(sql);
  for (const auto& [theirs, ours] : kTypes) {
    for (std::size_t at = 0; (at = text.find(theirs, at)) != std::string::npos; at += ours.size())
      text.replace(at, theirs.size(), ours);
  }
  return text;
}

std::string Numbered(std::string_view sql) {
  std::string text;
  int next = 0;
  for (const char c : sql) {
    if (c == '?') {
      text += fmt::format("${}", ++next);
    } else {
      text += c;
    }
  }
  return text;
}

// A value as libpq takes it: texts, and bytes as they are.
struct Parameter {
  Oid type = kText;
  std::optional<std::string> text;
  int format = 0;
};

Parameter ParameterOf(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return {kBigInt, std::to_string(*integer)};
  if (const auto* number = std::get_if<double>(&value))
    return {kDouble, fmt::format("{}", *number)};
  if (const auto* text = std::get_if<std::string>(&value)) return {kText, *text};
  if (const auto* blob = std::get_if<SqlBytes>(&value)) return {kBytes, blob->bytes, 1};
  return {};
}

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Reply = std::unique_ptr<PGresult, Clear>;

SqlValue ValueOf(const PGresult* result, int row, int column) {
  if (PQgetisnull(result, row, column) != 0) return std::monostate{};
  const std::string text(PQgetvalue(result, row, column),
                         static_cast<std::size_t>(PQgetlength(result, row, column)));
  switch (PQftype(result, column)) {
    case kBigInt: return ParseInteger(text).value_or(0);
    case kDouble: {
      double number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      return number;
    }
    case kBytes: {
      std::size_t size = 0;
      const std::unique_ptr<unsigned char, decltype(&PQfreemem)> bytes(
          PQunescapeBytea(reinterpret_cast<const unsigned char*>(text.c_str()), &size), &PQfreemem);
      return SqlBytes{std::string(reinterpret_cast<const char*>(bytes.get()), size)};
    }
    default: return text;
  }
}

std::string OneLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

// Without what stands between "user:" and "@", and behind "?".
std::string WithoutPassword(std::string where) {
  where.resize(std::min(where.find('?'), where.size()));
  const std::size_t begin = where.find("://") + 3;
  const std::size_t at = where.find('@', begin);
  const std::size_t colon = where.find(':', begin);
  if (at == std::string::npos || colon >= at) return where;
  return where.substr(0, colon) + where.substr(at);
}

class PostgresDatabase final : public SqlDatabase {
 public:
  explicit PostgresDatabase(const std::string& where)
      : name_(WithoutPassword(where)), where_(where), connection_(Connect(where), &PQfinish) {
    Quieten();
  }

  // Its own books: what SQLite has in its file's header.
  Status Prepare() {
    RETURN_IF_ERROR(Connected());
    return RunScript(
        "SELECT pg_advisory_xact_lock(4606); CREATE TABLE IF NOT EXISTS fairlead_schema (id "
        "INTEGER "
        "PRIMARY KEY, version INTEGER NOT NULL, changes INTEGER NOT NULL); INSERT INTO "
        "fairlead_schema VALUES (0, 0, 0) ON CONFLICT DO NOTHING");
  }

  const std::string& name() const override { return name_; }

  // The one row is what writers wait for.
  Status Begin() override {
    RETURN_IF_ERROR(Connected());
    RETURN_IF_ERROR(RunScript("BEGIN"));
    noted_ = 0;
    Status status = RunScript("SELECT id FROM fairlead_schema FOR UPDATE");
    if (!status.has_value()) Rollback();
    return status;
  }
  Status Commit() override {
    RETURN_IF_ERROR(RunScript("COMMIT"));
    own_changes_ += noted_;
    return {};
  }
  void Rollback() override { static_cast<void>(RunScript("ROLLBACK")); }

  Result<SqlResult> Run(std::string_view sql, std::span<const SqlValue> values) override {
    RETURN_IF_ERROR(Connected());
    std::vector<Parameter> parameters;
    for (const SqlValue& value : values) parameters.push_back(ParameterOf(value));
    std::vector<Oid> types;
    std::vector<const char*> texts;
    std::vector<int> lengths;
    std::vector<int> formats;
    for (const Parameter& parameter : parameters) {
      types.push_back(parameter.type);
      texts.push_back(parameter.text.has_value() ? parameter.text->data() : nullptr);
      lengths.push_back(parameter.text.has_value() ? static_cast<int>(parameter.text->size()) : 0);
      formats.push_back(parameter.format);
    }
    const int sent =
        PQsendQueryParams(connection_.get(), Numbered(sql).c_str(), static_cast<int>(values.size()),
                          types.data(), texts.data(), lengths.data(), formats.data(), 0);
    ASSIGN_OR_RETURN(const Reply reply, Await(sent));
    RETURN_IF_ERROR(Check(reply.get()));
    SqlResult result;
    for (int row = 0; row < PQntuples(reply.get()); ++row) {
      SqlRow& values_of = result.rows.emplace_back();
      for (int column = 0; column < PQnfields(reply.get()); ++column)
        values_of.push_back(ValueOf(reply.get(), row, column));
    }
    result.changed = ParseInteger(PQcmdTuples(reply.get())).value_or(0);
    return result;
  }

  Status RunScript(std::string_view sql) override {
    const int sent = PQsendQuery(connection_.get(), Translated(sql).c_str());
    ASSIGN_OR_RETURN(const Reply reply, Await(sent));
    return Check(reply.get());
  }

  Result<std::int64_t> SchemaVersion() override { return Own("version"); }
  Status SetSchemaVersion(std::int64_t version) override {
    return RunScript(fmt::format("UPDATE fairlead_schema SET version = {}", version));
  }

  Status NoteChange() override {
    ++noted_;
    return RunScript("UPDATE fairlead_schema SET changes = changes + 1");
  }
  Result<std::int64_t> ChangesByOthers() override {
    ASSIGN_OR_RETURN(const std::int64_t changes, Own("changes"));
    return changes - own_changes_;
  }

 private:
  // Who does not answer is given up, so that the store says so, and ends when the server does;
  // unless the address says otherwise.
  static PGconn* Connect(const std::string& where) {
    const char* const keys[] = {"connect_timeout",     "tcp_user_timeout", "keepalives_idle",
                                "keepalives_interval", "keepalives_count", "options",
                                "application_name",    "dbname",           nullptr};
    const char* const values[] = {"5",
                                  "10000",
                                  "5",
                                  "2",
                                  "3",
                                  "-c lock_timeout=3000 -c statement_timeout=4000 "
                                  "-c idle_in_transaction_session_timeout=10000",
                                  "fairlead",
                                  where.c_str(),
                                  nullptr};
    return PQconnectdbParams(keys, values, 1);
  }

  void Quieten() {
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
  }

  // The last result of what was sent. A database that does not answer loses the connection: the
  // next transaction begins with another one.
  Result<Reply> Await(int sent) {
    if (sent == 0) return Fail("{}", OneLine(PQerrorMessage(connection_.get())));
    Reply told;
    while (true) {
      while (PQisBusy(connection_.get()) != 0) {
        pollfd wait{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
        if (poll(&wait, 1, kPatience) == 0) {
          connection_.reset();
          return Fail("the database does not answer");
        }
        if (PQconsumeInput(connection_.get()) == 0)
          return Fail("{}", OneLine(PQerrorMessage(connection_.get())));
      }
      Reply next(PQgetResult(connection_.get()));
      if (next == nullptr) return told;
      if (told == nullptr || IsGood(told.get())) told = std::move(next);  // the first error counts
    }
  }

  Status Connected() {
    if (PQstatus(connection_.get()) == CONNECTION_OK) return {};
    connection_.reset(Connect(where_));
    Quieten();
    if (PQstatus(connection_.get()) == CONNECTION_OK) return {};
    return Fail("{}", OneLine(PQerrorMessage(connection_.get())));
  }

  static bool IsGood(const PGresult* reply) {
    const auto status = PQresultStatus(reply);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }
  Status Check(const PGresult* reply) {
    if (IsGood(reply)) return {};
    return Fail("{}", OneLine(PQerrorMessage(connection_.get())));
  }

  Result<std::int64_t> Own(std::string_view column) {
    ASSIGN_OR_RETURN(const SqlResult result,
                     Run(fmt::format("SELECT {} FROM fairlead_schema", column), {}));
    if (result.rows.size() != 1) return Fail("its table fairlead_schema is broken");
    return std::get<std::int64_t>(result.rows[0][0]);
  }

  const std::string name_;
  const std::string where_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::int64_t noted_ = 0;  // in this transaction
  std::int64_t own_changes_ = 0;
};

}  // namespace

bool IsPostgres(std::string_view where) {
  for (const std::string_view scheme : kSchemes) {
    if (where.starts_with(scheme)) return true;
  }
  return false;
}

Result<std::unique_ptr<SqlDatabase>> OpenPostgres(const std::string& where) {
  auto database = std::make_unique<PostgresDatabase>(where);
  const Status prepared = database->Prepare();
  if (!prepared.has_value()) return Fail("{}: {}", database->name(), prepared.error().message);
  return database;
}

}  // namespace fairlead
