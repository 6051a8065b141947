#include "fairlead/sharing/kind_counts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fairlead {

std::vector<double> RatesByKind(const Market& market, const Reports& reports) {
  if (!reports.rates.empty()) return reports.rates;
  std::vector<double> rates(market.of_kind(market.agents(), 0));
  for (int a = 0; a < market.agents(); ++a) {
    for (int g = 0; g < market.groups(); ++g) {
      double& rate = rates[market.of_kind(a, market.group(g).kind)];
      rate = std::max(rate, reports.utility(market, a, g));
    }
  }
  return rates;
}

std::vector<int> ActiveAgents(const Market& market, const Reports& reports) {
  std::vector<int> active;
  for (int a = 0; a < market.agents(); ++a) {
    if (IsActive(market, reports, a)) active.push_back(a);
  }
  return active;
}

void KindMatch::Assign(const Reports& reports, std::vector<int> counts, Allocation& allocation) {
  const Market& market = *market_;
  allocation.divided = false;
  allocation.holder.assign(static_cast<std::size_t>(market.accelerators()), Allocation::kNobody);
  std::vector<int> taken(static_cast<std::size_t>(market.groups()));
  const auto take = [&](const Pair& pair) {
    int& so_far = taken[static_cast<std::size_t>(pair.group)];
    if (so_far == market.group(pair.group).count) return false;
    const int accelerator = market.first_of(pair.group) + so_far++;
    allocation.holder[static_cast<std::size_t>(accelerator)] = pair.agent;
    return true;
  };
  pairs_.clear();
  for (int a = 0; a < market.agents(); ++a) {
    for (int g = 0; g < market.groups(); ++g) {
      const double utility = reports.utility(market, a, g);
      if (utility > 0) pairs_.push_back({utility, a, g});
    }
  }
  std::ranges::sort(pairs_, [](const Pair& left, const Pair& right) {
    if (left.utility != right.utility) return left.utility > right.utility;
    return std::pair(left.agent, left.group) < std::pair(right.agent, right.group);
  });
  for (const Pair& pair : pairs_) {
    int& left = counts[market.of_kind(pair.agent, market.group(pair.group).kind)];
    while (left > 0 && take(pair)) --left;
  }
  for (const Pair& pair : pairs_) {
    while (take(pair)) {
    }
  }
}

void KindMatch::AssignInTurns(const std::vector<int>& counts, std::int64_t round,
                              Allocation& allocation) {
  const Market& market = *market_;
  allocation.divided = false;
  allocation.holder.assign(static_cast<std::size_t>(market.accelerators()), Allocation::kNobody);
  std::vector<int> of_kind;
  for (int k = 0; k < market.kinds(); ++k) {
    of_kind.clear();
    for (int g = 0; g < market.groups(); ++g) {
      for (int c = market.first_of(g); c < market.first_of(g) + market.group(g).count; ++c) {
        if (market.group(g).kind == k) of_kind.push_back(c);
      }
    }
    std::int64_t step = static_cast<std::int64_t>(of_kind.size()) * 3 / 8 + 1;
    while (std::gcd(step, static_cast<std::int64_t>(of_kind.size())) != 1) ++step;
    std::int64_t next = round * step;
    for (int a = 0; a < market.agents(); ++a) {
      for (int i = 0; i < counts[market.of_kind(a, k)]; ++i) {
        const auto place = static_cast<std::size_t>(next++) % of_kind.size();
        allocation.holder[static_cast<std::size_t>(of_kind[place])] = a;
      }
    }
  }
}

}  // namespace fairlead
