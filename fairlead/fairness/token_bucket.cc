#include "fairlead/fairness/token_bucket.h"

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/base/integer.h"

namespace fairlead {
namespace {

void CheckContract(const Contract& contract) {
  CHECK(contract.rate >= 1 && contract.rate <= Contract::kFastest);
  CHECK(contract.burst >= 1 && contract.burst <= Contract::kLargestBurst);
}

}  // namespace

TokenBucket::TokenBucket(const Contract& contract)
    : rate_(contract.rate), full_(Level{kPartsPerToken} * contract.burst), level_(full_) {
  CheckContract(contract);
}

TokenBucket::TokenBucket(const Contract& contract, Instant now, std::int64_t tokens,
                         std::int64_t parts)
    : TokenBucket(contract) {
  level_ = Level{kPartsPerToken} * tokens + parts;
  CHECK(level_ >= 0 && level_ <= full_);
  filled_ = now;
}

std::pair<std::int64_t, std::int64_t> TokenBucket::At(Instant now) const {
  TokenBucket then = *this;
  then.Fill(now);
  return {static_cast<std::int64_t>(then.level_ / kPartsPerToken),
          static_cast<std::int64_t>(then.level_ % kPartsPerToken)};
}

Duration TokenBucket::UntilToken(Instant now) const {
  TokenBucket then = *this;
  then.Fill(now);
  if (then.level_ >= kPartsPerToken) return {};
  const auto missing = static_cast<std::int64_t>(kPartsPerToken - then.level_);
  return std::max(filled_ - now, Duration::zero()) + Duration{CeilDiv(missing, rate_)};
}

void TokenBucket::Fill(Instant until) {
  if (until <= filled_) return;
  level_ = std::min(full_, level_ + Level{rate_} * (until - filled_).count());
  filled_ = until;
}

bool TokenBucket::Take(Instant arrival) {
  Fill(arrival);
  if (level_ < kPartsPerToken) return false;
  level_ -= kPartsPerToken;
  return true;
}

void TokenBucket::Change(const Contract& contract, Instant now) {
  CheckContract(contract);
  Fill(now);
  rate_ = contract.rate;
  full_ = Level{kPartsPerToken} * contract.burst;
  level_ = std::min(level_, full_);
}

}  // namespace fairlead
