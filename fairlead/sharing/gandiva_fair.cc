#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "fairlead/sharing/kind_counts.h"
#include "fairlead/sharing/mechanism.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

// Trading of fast accelerators for slow ones at the second price, for gandiva-fair.
//
// Only where there are two kinds or more: between the kinds that come first and last in the sum of
// rates. An agent's gain is how much faster the fast kind is for it.

class Trading {
 public:
  explicit Trading(const Market& market);

  // Swaps holders until no two agents want to trade. Both sides gain in rates, as they are
  // reported, by each trade: the buyer pays less than its gain, the seller has more than its own.
  void Trade(const Reports& reports, Allocation& allocation);

 private:
  struct Kinds {
    int fast = 0;
    int slow = 0;
  };
  Kinds Extremes(const std::vector<double>& rates) const;
  std::vector<int> Held(const Allocation& allocation, int agent, int kind) const;

  const Market& market_;
  std::vector<int> kind_of_;    // each accelerator's
  std::vector<double> credit_;  // what sellers are owed, in slow accelerators
};

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

// Passes grow by kOne / weight; 2^40 leaves room for 2^23 rounds at weight 1.
constexpr std::int64_t kOne = std::int64_t{1} << 40;

class GandivaFair final : public SharingMechanism {
 public:
  GandivaFair(const Market& market, const GandivaFairOptions& options)
      : market_(market), options_(options), walk_(market), trading_(market) {
    const bool pool = options.scope == GandivaFairOptions::Scope::kPool;
    lanes_ = static_cast<std::size_t>(pool ? 1 : market.groups());
    passes_.resize(lanes_ * static_cast<std::size_t>(market.agents()));
    served_.resize(lanes_);
    blind_ = options.queues == GandivaFairOptions::Queues::kBlind;
  }

  std::string_view Name() const override { return "gandiva-fair"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    if (options_.scope == GandivaFairOptions::Scope::kPool)
      ServePool(reports);
    else
      ServeEach(reports);
    if (options_.trading == GandivaFairOptions::Trading::kSecondPrice)
      trading_.Trade(reports, allocation);
  }

 private:
  std::int64_t& Pass(std::size_t lane, int agent) {
    return passes_[static_cast<std::size_t>(agent) * lanes_ + lane];
  }
  // The smallest pass; of equal ones that which comes first counting from `offset`, so that
  // accelerators do not all begin with the same agent.
  bool Before(std::size_t lane, int offset, int left, int right) {
    const std::int64_t l = Pass(lane, left);
    const std::int64_t r = Pass(lane, right);
    if (l != r) return l < r;
    const int n = market_.agents();
    return (left + n - offset % n) % n < (right + n - offset % n) % n;
  }
  void Charge(std::size_t lane, int agent) {
    served_[lane] = Pass(lane, agent);
    Pass(lane, agent) += kOne / market_.weight(agent);
  }

  void ServeEach(const Reports& reports) {
    for (int g = 0; g < market_.groups(); ++g) {
      const auto lane = static_cast<std::size_t>(g);
      for (int copy = 0; copy < market_.group(g).count; ++copy) {
        int next = Allocation::kNobody;
        for (int a = 0; a < market_.agents(); ++a) {
          if (!blind_ && reports.utility(market_, a, g) <= 0) continue;
          Pass(lane, a) = std::max(Pass(lane, a), served_[lane]);
          if (next == Allocation::kNobody || Before(lane, market_.first_of(g) + copy, a, next))
            next = a;
        }
        if (next == Allocation::kNobody) break;
        walk_.Take(next, g);
        Charge(lane, next);
      }
    }
  }

  void ServePool(const Reports& reports) {
    waiting_.clear();
    for (int a = 0; a < market_.agents(); ++a) {
      if (!blind_ && !IsActive(market_, reports, a)) continue;
      Pass(0, a) = std::max(Pass(0, a), served_[0]);
      waiting_.push_back(a);
    }
    while (walk_.left() > 0 && !waiting_.empty()) {
      const auto next = std::ranges::min_element(
          waiting_, [this](int left, int right) { return Before(0, first_, left, right); });
      const int group = walk_.First(*next, blind_ ? 0 : kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        waiting_.erase(next);
        continue;
      }
      walk_.Take(*next, group);
      Charge(0, *next);
    }
    first_ = (first_ + 1) % market_.agents();
  }

  const Market& market_;
  GandivaFairOptions options_;
  PreferenceWalk walk_;
  Trading trading_;
  bool blind_ = false;
  std::size_t lanes_ = 0;  // passes of an agent: one for each group, or one for all
  std::vector<std::int64_t> passes_;
  std::vector<std::int64_t> served_;  // the pass of the last one served, in each lane
  std::vector<int> waiting_;
  int first_ = 0;  // of the pool, among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeGandivaFair(const Market& market,
                                                  const GandivaFairOptions& options) {
  return std::make_unique<GandivaFair>(market, options);
}

}  // namespace fairlead
