#include "fairlead/sharing/trading.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fairlead/sharing/kind_counts.h"

namespace fairlead {

Trading::Trading(const Market& market)
    : market_(market), credit_(static_cast<std::size_t>(market.agents())) {
  for (int g = 0; g < market.groups(); ++g)
    kind_of_.insert(kind_of_.end(), static_cast<std::size_t>(market.group(g).count),
                    market.group(g).kind);
}

Trading::Kinds Trading::Extremes(const std::vector<double>& rates) const {
  std::vector<double> sums(static_cast<std::size_t>(market_.kinds()));
  for (std::size_t i = 0; i < rates.size(); ++i) sums[i % sums.size()] += rates[i];
  const auto [slow, fast] = std::ranges::minmax_element(sums);
  return {.fast = static_cast<int>(fast - sums.begin()),
          .slow = static_cast<int>(slow - sums.begin())};
}

std::vector<int> Trading::Held(const Allocation& allocation, int agent, int kind) const {
  std::vector<int> held;
  for (std::size_t c = 0; c < kind_of_.size(); ++c) {
    if (kind_of_[c] == kind && allocation.holder[c] == agent) held.push_back(static_cast<int>(c));
  }
  return held;
}

void Trading::Trade(const Reports& reports, Allocation& allocation) {
  const std::vector<double> rates = RatesByKind(market_, reports);
  const Kinds kinds = Extremes(rates);
  if (kinds.fast == kinds.slow) return;
  struct Trader {
    double gain;
    int agent;
  };
  std::vector<Trader> traders;
  for (int a = 0; a < market_.agents(); ++a) {
    const auto row = market_.of_kind(a, 0);
    const double slow = rates[row + static_cast<std::size_t>(kinds.slow)];
    if (slow > 0) traders.push_back({rates[row + static_cast<std::size_t>(kinds.fast)] / slow, a});
  }
  std::ranges::stable_sort(traders, std::greater{}, &Trader::gain);
  for (std::size_t high = 0, low = traders.size(); high + 1 < low;) {
    const Trader& buyer = traders[high];
    const Trader& seller = traders[low - 1];
    const double price = traders[high + 1].gain;  // the second highest of those still here
    const std::vector<int> fast = Held(allocation, seller.agent, kinds.fast);
    const std::vector<int> slow = Held(allocation, buyer.agent, kinds.slow);
    double& credit = credit_[static_cast<std::size_t>(seller.agent)];
    const auto paid = static_cast<std::size_t>(std::floor(credit + price));
    if (seller.gain >= price || slow.empty() || slow.size() < paid) {
      ++high;
    } else if (fast.empty()) {
      --low;
    } else {
      credit += price - static_cast<double>(paid);
      allocation.holder[static_cast<std::size_t>(fast.front())] = buyer.agent;
      for (std::size_t i = 0; i < paid; ++i)
        allocation.holder[static_cast<std::size_t>(slow[i])] = seller.agent;
    }
  }
}

}  // namespace fairlead
