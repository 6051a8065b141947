#include <array>

#include "fairlead/serving/store/store.h"

namespace fairlead {

// Never changed once released: what is new is a new script at the end.
std::span<const std::string_view> StoreMigrations() {
  static constexpr std::array<std::string_view, 3> kMigrations = {
      R"(
CREATE TABLE tenants (
  name   TEXT PRIMARY KEY NOT NULL,
  weight REAL NOT NULL
);
CREATE TABLE keys (
  id     TEXT PRIMARY KEY NOT NULL,
  tenant TEXT REFERENCES tenants (name) ON DELETE CASCADE,
  digest BLOB NOT NULL
);
CREATE TABLE agreements (
  tenant  TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
  network TEXT NOT NULL,
  terms   TEXT NOT NULL,
  PRIMARY KEY (tenant, network)
);
)",
      // Indicators also of tenants that stand in a scenario alone.
      R"(
CREATE TABLE indicators (
  tenant  TEXT NOT NULL,
  network TEXT NOT NULL,
  time_ns INTEGER NOT NULL,
  books   TEXT NOT NULL,
  PRIMARY KEY (tenant, network)
);
)",
      // Who writes indicators: one row, or none.
      R"(
CREATE TABLE writer (
  id         INTEGER PRIMARY KEY NOT NULL,
  holder     TEXT NOT NULL,
  epoch      INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
);
)"};
  return kMigrations;
}

}  // namespace fairlead
