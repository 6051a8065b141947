// Tokens by agent, exact to the last one.
//
// A token is cut into as many grains as all weights add up to, times the parts that prices have.
// What is spent and handed out again by weight is then whole grains for everybody: nothing is
// rounded, and nothing is lost in any number of rounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/sharing/market.h"

namespace fairlead {

class TokenLedger {
 public:
  // `tokens` in all, by weight. Prices are whole parts of a token.
  static Result<TokenLedger> Make(const Market& market, std::int64_t tokens,
                                  std::int64_t parts = 1);

  std::span<const std::int64_t> budgets() const { return budgets_; }  // in grains
  std::int64_t grains() const { return grains_; }                     // of one token

  // In parts of a token.
  void Spend(int agent, std::int64_t price) {
    budgets_[static_cast<std::size_t>(agent)] -= price * total_weight_;
  }
  // Hands parts of tokens out by weight.
  void Distribute(std::int64_t parts);

 private:
  TokenLedger() = default;

  std::int64_t grains_ = 0;
  std::int64_t total_weight_ = 0;
  std::vector<std::int64_t> weights_;
  std::vector<std::int64_t> budgets_;
};

}  // namespace fairlead
