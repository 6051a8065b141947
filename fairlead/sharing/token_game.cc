#include <algorithm>

#include "fairlead/sharing/kind_counts.h"
#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

class TokenGame final : public SharingMechanism {
 public:
  TokenGame(const Market& market, const TokenGameOptions& options)
      : market_(&market), options_(options), budgets_(static_cast<std::size_t>(market.agents())) {}

  std::string_view Name() const override { return "token-game"; }
  std::span<const std::int64_t> Budgets() const override { return budgets_; }
  std::unique_ptr<SharingMechanism> Clone() const override {
    return std::make_unique<TokenGame>(*this);
  }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    const Market& market = *market_;
    allocation.divided = false;
    allocation.holder.assign(static_cast<std::size_t>(market.accelerators()), Allocation::kNobody);
    if (big_ < 0) Begin(reports);
    taken_.assign(static_cast<std::size_t>(market.groups()), 0);
    served_.assign(budgets_.size(), false);
    PassOn(Sell(reports, allocation));
    HandOutRest(reports, allocation);
    first_ = Next(first_);
  }

 private:
  int Next(int agent) const { return agent + 1 == market_->agents() ? 0 : agent + 1; }

  void Begin(const Reports& reports) {
    const std::vector<double> rates = RatesByKind(*market_, reports);
    std::vector<double> sums(static_cast<std::size_t>(market_->kinds()));
    for (std::size_t i = 0; i < rates.size(); ++i) sums[i % sums.size()] += rates[i];
    big_ = static_cast<int>(std::ranges::max_element(sums) - sums.begin());
    const std::int64_t tokens =
        static_cast<std::int64_t>(options_.tokens) * market_->count_of_kind(big_);
    served_.assign(budgets_.size(), false);
    PassOn(tokens);
  }

  // The most useful group with a free accelerator; -1: none of `least` or more.
  int BestFree(const Reports& reports, int agent, bool only_big, double least) const {
    int best = PreferenceWalk::kNoGroup;
    for (int g = 0; g < market_->groups(); ++g) {
      if (only_big && market_->group(g).kind != big_) continue;
      if (taken_[static_cast<std::size_t>(g)] == market_->group(g).count) continue;
      const double utility = reports.utility(*market_, agent, g);
      if (utility < least) continue;
      if (best == PreferenceWalk::kNoGroup || utility > reports.utility(*market_, agent, best))
        best = g;
    }
    return best;
  }
  void Take(int agent, int group, Allocation& allocation) {
    int& taken = taken_[static_cast<std::size_t>(group)];
    allocation.holder[static_cast<std::size_t>(market_->first_of(group) + taken++)] = agent;
  }

  std::int64_t Sell(const Reports& reports, Allocation& allocation) {
    std::int64_t paid = 0;
    int agent = first_;
    for (int passed = 0; passed < market_->agents(); agent = Next(agent)) {
      std::int64_t& budget = budgets_[static_cast<std::size_t>(agent)];
      const int group =
          budget < 1 ? PreferenceWalk::kNoGroup
                     : BestFree(reports, agent, true, std::max(kOfUse, reports.threshold(agent)));
      if (group == PreferenceWalk::kNoGroup) {
        ++passed;
        continue;
      }
      Take(agent, group, allocation);
      --budget;
      ++paid;
      served_[static_cast<std::size_t>(agent)] = true;
      passed = 0;
    }
    return paid;
  }

  // As often in turn as its weight says.
  void PassOn(std::int64_t tokens) {
    const bool to_all = std::ranges::find(served_, false) == served_.end();
    while (tokens > 0) {
      if (given_ >= market_->weight(heir_) ||
          (served_[static_cast<std::size_t>(heir_)] && !to_all)) {
        heir_ = Next(heir_);
        given_ = 0;
        continue;
      }
      ++budgets_[static_cast<std::size_t>(heir_)];
      ++given_;
      --tokens;
    }
  }

  void HandOutRest(const Reports& reports, Allocation& allocation) {
    for (int passed = 0; passed < market_->agents(); turn_ = Next(turn_)) {
      const int group = BestFree(reports, turn_, false, kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        ++passed;
        continue;
      }
      Take(turn_, group, allocation);
      passed = 0;
    }
  }

  const Market* market_;
  TokenGameOptions options_;
  std::vector<std::int64_t> budgets_;
  std::vector<int> taken_;    // accelerators of each group, in this round
  std::vector<bool> served_;  // had a big one in this round
  int big_ = -1;              // the kind; known from the first reports
  int first_ = 0;             // who asks first
  int turn_ = 0;              // of what costs nothing
  int heir_ = 0;              // whose turn it is to be given tokens
  std::int64_t given_ = 0;    // to it on end
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeTokenGame(const Market& market,
                                                const TokenGameOptions& options) {
  return std::make_unique<TokenGame>(market, options);
}

}  // namespace fairlead
