// Books: what is read comes back as it was written, and a ledger that goes on from it tells the
// same, however long it is moved about.

#include "fairlead/base/check.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/recording/books_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

ServiceAgreement PromiseOf(const AgreementHistory& history) {
  ServiceAgreement promise;
  promise.window = history.window;
  promise.max_misses = history.max_misses;
  if (history.period.has_value()) {
    promise.period = history.period->length;
    promise.period_kind = history.period->kind;
  }
  if (history.bucket.has_value()) promise.contract = history.bucket->contract;
  return promise;
}

void GoOn(const AgreementHistory& history) {
  FairnessLedger ledger;
  const AgreementId id = ledger.Add(PromiseOf(history));
  ledger.Continue(id, history);
  const AgreementHistory again = ledger.History(id);
  FairnessLedger other;
  other.Add(PromiseOf(history));
  other.Continue(id, again);
  CHECK(other.History(id) == again);
  CHECK(other.MissesLeft(id) == ledger.MissesLeft(id));
  CHECK(other.WorstWindow(id) == ledger.WorstWindow(id));
  ledger.Record(id, ledger.Arrive(id, {}), Outcome::kHit, /*measured=*/true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto books = ParseBooks("fuzz.json", TextOf(data, size));
  if (!books.has_value()) {
    CHECK(books.error().message.starts_with("fuzz.json:"));
    return 0;
  }
  const auto again = ParseBooks("fuzz.json", FormatBooks(*books));
  CHECK(again.has_value() && *again == *books);
  for (const KeptAgreement& kept : *books) GoOn(kept.history);
  return 0;
}

}  // namespace fairlead
