// Keeps a store and a service alike: who is added to the store while the service runs joins it,
// keys included, and what agreements get is written behind, in batches, so that nobody who serves
// waits for a disk.
//
// A store that cannot be read or written is said, as is its return, and tried again: the service
// goes on with what it has. What is lost when the process dies is what came after the last
// writing.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/store/store.h"

namespace fairlead {

// How long a lease is for a store that is written so often.
inline Duration LeaseFor(Duration interval) {
  return std::max<Duration>(std::chrono::seconds{10}, 3 * interval);
}

struct StoreKeeperSetup {
  InferenceService* service = nullptr;  // not owned
  Store* store = nullptr;               // not owned; nobody else's while it is kept
  Duration interval = std::chrono::seconds{1};
  // An agreement's terms; tenant and network are filled in by the keeper.
  std::function<Result<ServiceAgreement>(const StoredAgreement&)> read_terms;
  std::function<void(KeyRing)> use_keys;
  std::function<void(const std::string&)> tell;  // a line for people, from any thread
  // Who writes to the store; empty: no lease is asked for.
  std::string holder{};
  // A file for what could not be written at the end; empty: none.
  std::string pending{};
  Duration patience = std::chrono::seconds{10};  // at the end, with a store that does not answer
  // Ends the process, where a call of the store does not return even then; empty: that is waited
  // for.
  std::function<void()> give_up{};
};

// What a server left in such a file goes into the store, and the file away. Nothing is done where
// there is none.
Status TakeUpPending(const std::string& file, Store& store);

class StoreKeeper {
 public:
  explicit StoreKeeper(StoreKeeperSetup setup);
  ~StoreKeeper();  // ends
  StoreKeeper(const StoreKeeper&) = delete;
  StoreKeeper& operator=(const StoreKeeper&) = delete;

  // Lets in who is stored; returns when they are there. The service runs.
  void Begin();
  // Writes once more. Where the store does not take it in time, it goes into the file for what is
  // pending, and that is told as an error. Nothing happens when it has ended, or has not begun.
  Status End();

  // Done at every interval: both of these. For tests too.
  void Pass();
  void Join();
  void Write();

 private:
  using Names = std::pair<std::string, std::string>;  // of tenant and network

  void KeepOn();
  std::vector<KeptAgreement> All() const;
  void Tell(const std::string& line);
  // False, and said once until it is good again, where the store is not.
  bool Good(const Status& status);
  InputAnswer Apply(ClientChange change);
  void JoinTenants(const std::vector<StoredTenant>& tenants);
  void JoinAgreements(const std::vector<StoredAgreement>& agreements);
  void JoinAgreement(const StoredAgreement& agreement);
  void JoinWaiting();
  void EndAgreements(const std::vector<StoredAgreement>& agreements);
  void Continue(AgreementId id, const Names& names);

  const StoreKeeperSetup setup_;
  std::map<Names, AgreementHistory> books_;   // that were kept, of agreements that may come
  std::map<std::string, TenantId> joined_;    // tenants of the store's
  std::map<Names, std::string> terms_;        // that were looked at
  std::map<Names, AgreementId> started_;      // those of the store's
  std::map<Names, StoredAgreement> waiting_;  // for their networks
  std::map<AgreementId, std::pair<OutcomeCounts, OutcomeCounts>> written_;
  std::set<std::string> told_;
  std::atomic<bool> good_ = true;        // the store was, in this pass
  std::optional<std::string> trouble_;   // with the store, which was told
  std::optional<std::int64_t> version_;  // of the store, when it was looked at

  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  bool ended_ = false;  // the thread has written for the last time
  std::thread thread_;
};

}  // namespace fairlead
