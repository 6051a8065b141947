// Which requests of an agreement its contract covers.
//
// Tokens drip in at the contract's rate, up to its burst; a request takes one if there is one. So
// in any time t no more than burst + rate * t requests are covered, and none is left out that could
// be covered with that kept: taking whoever comes first covers the most.
//
// Exact: the level is a whole number of the least that drips in within a nanosecond, so it depends
// on neither rounding nor how often somebody looks. O(1).
#pragma once

#include <cstdint>
#include <utility>

#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"

namespace fairlead {

class TokenBucket {
 public:
  explicit TokenBucket(const Contract& contract);  // full
  // With so much in it: whole tokens and 10^-15 tokens, no more than the burst together.
  TokenBucket(const Contract& contract, Instant now, std::int64_t tokens, std::int64_t parts);

  // Takes a token if there is one. What arrived earlier than the last request but is told of later,
  // as clients' may be, finds what that one left.
  bool Take(Instant arrival);
  // Another contract from now on. What is in it stays, as far as there is room.
  void Change(const Contract& contract, Instant now);
  // What is in it at an instant: whole tokens and 10^-15 tokens.
  std::pair<std::int64_t, std::int64_t> At(Instant now) const;

  // How long it takes from an instant on until there is a whole token.
  Duration UntilToken(Instant now) const;

  // A rate of 1 per million seconds drips one of these in a nanosecond.
  static constexpr std::int64_t kPartsPerToken = 1'000'000'000'000'000;

 private:
  __extension__ using Level = __int128;  // in 10^-15 tokens: up to 10^24

  void Fill(Instant until);

  std::int64_t rate_;
  Level full_;
  Level level_;
  Instant filled_{};  // when it was last looked at
};

}  // namespace fairlead
