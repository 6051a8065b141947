// Tenants, their keys and agreements, and what agreements were promised and got: in a file (SQLite,
// for several processes if need be), or in a PostgreSQL database.
//
// The schema is the same, and has a version; an older one is brought up to date when it is opened,
// a newer one is refused. Every method is one transaction: it is done as a whole, or not at all,
// whenever the process dies. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/recording/books_file.h"
#include "fairlead/serving/store/key_ring.h"

namespace fairlead {

struct StoredTenant {
  std::string name;
  double weight = 1;

  friend bool operator==(const StoredTenant&, const StoredTenant&) = default;
};

struct StoredAgreement {
  std::string tenant;
  std::string network;
  std::string terms;  // JSON

  friend bool operator==(const StoredAgreement&, const StoredAgreement&) = default;
};

class Store {
 public:
  enum class IfMissing : std::uint8_t { kCreate, kFail };
  // A path, or the address of a PostgreSQL database, which must be there: postgresql://host/name.
  // A file that another process writes to is waited for as long as `patience`.
  static Result<std::unique_ptr<Store>> Open(const std::string& where, IfMissing missing,
                                             Duration patience = std::chrono::seconds{5});
  virtual ~Store() = default;

  // Fails where the name is taken.
  virtual Status AddTenant(const StoredTenant& tenant) = 0;
  // With keys, agreements and indicators. Fails where there is none.
  virtual Status RemoveTenant(const std::string& name) = 0;
  virtual Result<std::vector<StoredTenant>> Tenants() = 0;

  // Fails where the tenant is not there.
  virtual Status AddKey(const StoredKey& key) = 0;
  virtual Status RemoveKey(const std::string& id) = 0;
  virtual Result<std::vector<StoredKey>> Keys() = 0;

  // In the place of the one that is there. Fails where the tenant is not there.
  virtual Status PutAgreement(const StoredAgreement& agreement) = 0;
  virtual Status RemoveAgreement(const std::string& tenant, const std::string& network) = 0;
  virtual Result<std::vector<StoredAgreement>> Agreements() = 0;

  // Writes what is newer than what is there: twice is as good as once.
  virtual Status WriteIndicators(std::span<const KeptAgreement> books) = 0;
  virtual Result<std::vector<KeptAgreement>> Indicators() = 0;

  // A store has one writer of indicators: whoever holds the lease, until that runs out or is given
  // back. Taking it again makes it longer. Fails where another holds it, with its name; a holder of
  // this machine that has died does not count. What is written later fails once the lease was lost.
  virtual Status TakeLease(const std::string& holder, Duration length) = 0;
  virtual Status GiveLeaseBack() = 0;

  // Rows that could not be read, and were passed over, since this was asked; for people.
  virtual std::vector<std::string> TakeTroubles() = 0;

  // Another number whenever somebody else has changed tenants, keys or agreements.
  virtual Result<std::int64_t> Version() = 0;
};

// This process, as a holder of a lease: machine, process, and when that began.
std::string LeaseHolder();

// Of a PostgreSQL database; else it is a path.
bool IsStoreAddress(std::string_view where);

// The scripts that lead from each version of the schema to the next, for tests.
std::span<const std::string_view> StoreMigrations();

}  // namespace fairlead
