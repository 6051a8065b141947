#include "fairlead/sharing/token_ledger.h"

namespace fairlead {

Result<TokenLedger> TokenLedger::Make(const Market& market, std::int64_t tokens,
                                      std::int64_t parts) {
  constexpr std::int64_t kMostGrains = std::int64_t{1} << 61;
  if (tokens < 1) return Fail("{} tokens; expected 1 or more", tokens);
  TokenLedger ledger;
  ledger.total_weight_ = market.total_weight();
  ledger.grains_ = market.total_weight() * parts;
  if (tokens > kMostGrains / ledger.grains_)
    return Fail("{} tokens for weights of {} in all; at most {}", tokens, ledger.grains_,
                kMostGrains / ledger.grains_);
  for (int a = 0; a < market.agents(); ++a) ledger.weights_.push_back(market.weight(a));
  ledger.budgets_.assign(ledger.weights_.size(), 0);
  ledger.Distribute(tokens * parts);
  return ledger;
}

void TokenLedger::Distribute(std::int64_t parts) {
  for (std::size_t a = 0; a < budgets_.size(); ++a) budgets_[a] += parts * weights_[a];
}

}  // namespace fairlead
