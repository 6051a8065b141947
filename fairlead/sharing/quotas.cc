#include "fairlead/sharing/quotas.h"

#include <algorithm>
#include <numeric>

namespace fairlead {

Quotas::Quotas(const Market& market)
    : market_(&market),
      gained_(static_cast<std::size_t>(market.agents())),
      counts_(gained_.size()),
      order_(gained_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
}

std::span<const int> Quotas::Next() {
  const std::int64_t whole = market_->total_weight();
  std::int64_t left = market_->accelerators();
  for (std::size_t a = 0; a < gained_.size(); ++a) {
    gained_[a] += market_->weight(static_cast<int>(a)) * market_->accelerators();
    counts_[a] = static_cast<int>(std::max<std::int64_t>(0, gained_[a] / whole));
    gained_[a] -= counts_[a] * whole;
    left -= counts_[a];
  }
  std::ranges::stable_sort(order_, [this](int left_agent, int right_agent) {
    const auto l = static_cast<std::size_t>(left_agent);
    const auto r = static_cast<std::size_t>(right_agent);
    return gained_[l] != gained_[r] ? gained_[l] > gained_[r] : l < r;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) {
    const auto a = static_cast<std::size_t>(order_[i % order_.size()]);
    ++counts_[a];
    gained_[a] -= whole;
  }
  return counts_;
}

}  // namespace fairlead
