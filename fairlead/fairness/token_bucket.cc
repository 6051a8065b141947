#include "fairlead/fairness/token_bucket.h"

#include <algorithm>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

// A rate of 1 per million seconds drips one of these in a nanosecond.
constexpr std::int64_t kToken = 1'000'000'000'000'000;

void CheckContract(const Contract& contract) {
  CHECK(contract.rate >= 1 && contract.rate <= Contract::kFastest);
  CHECK(contract.burst >= 1 && contract.burst <= Contract::kLargestBurst);
}

}  // namespace

TokenBucket::TokenBucket(const Contract& contract)
    : rate_(contract.rate), full_(Level{kToken} * contract.burst), level_(full_) {
  CheckContract(contract);
}

void TokenBucket::Fill(Instant until) {
  if (until <= filled_) return;
  level_ = std::min(full_, level_ + Level{rate_} * (until - filled_).count());
  filled_ = until;
}

bool TokenBucket::Take(Instant arrival) {
  Fill(arrival);
  if (level_ < kToken) return false;
  level_ -= kToken;
  return true;
}

void TokenBucket::Change(const Contract& contract, Instant now) {
  CheckContract(contract);
  Fill(now);
  rate_ = contract.rate;
  full_ = Level{kToken} * contract.burst;
  level_ = std::min(level_, full_);
}

}  // namespace fairlead
