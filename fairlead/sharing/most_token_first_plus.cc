#include "fairlead/sharing/most_token_first_plus.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/sharing/preference_walk.h"
#include "fairlead/sharing/token_ledger.h"

namespace fairlead {
namespace {

constexpr std::int64_t kParts = 1000;  // of a token, in prices

class MostTokenFirstPlus final : public SharingMechanism {
 public:
  MostTokenFirstPlus(const Market& market, TokenLedger ledger,
                     const MostTokenFirstPlusOptions& options)
      : market_(&market),
        options_(options),
        ledger_(std::move(ledger)),
        initial_(ledger_.budgets().begin(), ledger_.budgets().end()),
        walk_(market) {}

  std::string_view Name() const override { return "most-token-first-plus"; }
  std::span<const std::int64_t> Budgets() const override { return ledger_.budgets(); }
  std::int64_t Grains() const override { return ledger_.grains(); }
  std::unique_ptr<SharingMechanism> Clone() const override {
    return std::make_unique<MostTokenFirstPlus>(*this);
  }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    std::int64_t spent = 0;
    by_stake_ = options_.stakes && !reports.stakes.empty();
    if (by_stake_) Stake(reports);
    const Reports& bidden = by_stake_ ? staked_ : reports;
    walk_.Begin(bidden, allocation);
    bids_.clear();
    for (int a = 0; a < market_->agents(); ++a) AddBid(bidden, a);
    std::make_heap(bids_.begin(), bids_.end());
    while (!bids_.empty() && walk_.left() > 0) {
      std::pop_heap(bids_.begin(), bids_.end());
      const Bid best = bids_.back();
      bids_.pop_back();
      const int group = walk_.First(best.agent, kOfUse);
      if (group == PreferenceWalk::kNoGroup) continue;
      if (group == best.group) {
        walk_.Take(best.agent, group);
        const std::int64_t price = Price(bidden.utility(*market_, best.agent, group));
        ledger_.Spend(best.agent, price);
        spent += price;
      }
      if (AddBid(bidden, best.agent)) std::push_heap(bids_.begin(), bids_.end());
    }
    ledger_.Distribute(spent);
    first_ = first_ + 1 == market_->agents() ? 0 : first_ + 1;
  }

 private:
  struct Bid {
    double worth;
    int rank;  // among equals
    int agent;
    int group;

    bool operator<(const Bid& other) const {
      return worth != other.worth ? worth < other.worth : rank > other.rank;
    }
  };

  // Stakes in the place of utilities; what is of use stays so, however little is at stake.
  void Stake(const Reports& reports) {
    constexpr double kHardly = 1e-9;
    staked_.utilities.resize(reports.utilities.size());
    for (std::size_t i = 0; i < reports.utilities.size(); ++i) {
      const double utility = reports.utilities[i];
      staked_.utilities[i] = utility > 0 ? std::max(reports.stakes[i], utility * kHardly) : 0;
    }
    staked_.preferences = reports.preferences;
  }

  // Utilities have no upper bound in general: what is worth more than a million pays like that.
  static std::int64_t Price(double utility) {
    return std::max<std::int64_t>(1, std::llround(std::min(utility, 1e6) * kParts));
  }

  // 1 at the budget an agent began with, straight above it, ever smaller and never 0 below.
  double Sway(int agent) const {
    const auto a = static_cast<std::size_t>(agent);
    const double over =
        static_cast<double>(ledger_.budgets()[a]) / static_cast<double>(initial_[a]) - 1;
    return over >= 0 ? 1 + options_.sway * over : 1 / (1 - options_.sway * over);
  }

  bool AddBid(const Reports& reports, int agent) {
    const int group = walk_.First(agent, kOfUse);
    if (group == PreferenceWalk::kNoGroup) return false;
    const double weight = by_stake_ ? static_cast<double>(market_->weight(agent)) : 1;
    bids_.push_back({.worth = reports.utility(*market_, agent, group) * weight * Sway(agent),
                     .rank = agent >= first_ ? agent - first_ : agent - first_ + market_->agents(),
                     .agent = agent,
                     .group = group});
    return true;
  }

  const Market* market_;
  MostTokenFirstPlusOptions options_;
  TokenLedger ledger_;
  std::vector<std::int64_t> initial_;
  PreferenceWalk walk_;
  std::vector<Bid> bids_;
  bool by_stake_ = false;
  Reports staked_;  // what is bid in such a round
  int first_ = 0;   // among equals
};

}  // namespace

Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirstPlus(
    const Market& market, const MostTokenFirstPlusOptions& options) {
  const auto tokens = static_cast<std::int64_t>(options.tokens) * market.accelerators();
  ASSIGN_OR_RETURN(TokenLedger ledger, TokenLedger::Make(market, tokens, kParts));
  return std::make_unique<MostTokenFirstPlus>(market, std::move(ledger), options);
}

}  // namespace fairlead
