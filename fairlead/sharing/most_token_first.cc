#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/preference_walk.h"
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

namespace {

class MostTokenFirst final : public SharingMechanism {
 public:
  MostTokenFirst(const Market& market, TokenLedger ledger, const MostTokenFirstOptions& options)
      : agents_(market.agents()),
        options_(options),
        ledger_(std::move(ledger)),
        walk_(market),
        least_(options.price == MostTokenFirstOptions::Price::kWholeToken ? ledger_.grains() : 1),
        worth_(options.useless == MostTokenFirstOptions::Useless::kIdle ? kOfUse : 0) {}

  std::string_view Name() const override { return "most-token-first"; }
  std::span<const std::int64_t> Budgets() const override { return ledger_.budgets(); }
  std::int64_t Grains() const override { return ledger_.grains(); }

  std::unique_ptr<SharingMechanism> Clone() const override {
    return std::make_unique<MostTokenFirst>(*this);
  }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    ledger_.Distribute(Sell(reports));
    if (walk_.left() > 0) HandOutRest();
    if (options_.ties == MostTokenFirstOptions::Ties::kRotate) first_ = Next(first_);
  }

 private:
  struct Bidder {
    std::int64_t budget;
    int rank;  // among equal budgets
    int agent;

    friend bool operator<(const Bidder& left, const Bidder& right) {
      return left.budget != right.budget ? left.budget < right.budget : left.rank > right.rank;
    }
    friend bool operator>(const Bidder& left, const Bidder& right) { return right < left; }
  };

  int Next(int agent) const { return agent + 1 == agents_ ? 0 : agent + 1; }

  // How many tokens were paid. The richest comes next: of those who have not bought in this round,
  // in order, or of those who have. All pay the same, so these line up behind each other in order
  // too, equal ones by rank: nobody who could buy at a budget joins after the first at it has
  // bought.
  std::int64_t Sell(const Reports& reports) {
    bidders_.clear();
    for (int a = 0; a < agents_; ++a) {
      const std::int64_t budget = ledger_.budgets()[static_cast<std::size_t>(a)];
      const int rank = a >= first_ ? a - first_ : a - first_ + agents_;
      if (budget >= least_) bidders_.push_back({budget, rank, a});
    }
    std::sort(bidders_.begin(), bidders_.end(), std::greater<>());
    again_.clear();
    std::int64_t paid = 0;
    for (std::size_t next = 0, back = 0; walk_.left() > 0;) {
      const bool fresh = next < bidders_.size();
      if (!fresh && back == again_.size()) break;
      const bool first_time = fresh && (back == again_.size() || again_[back] < bidders_[next]);
      Bidder richest = first_time ? bidders_[next++] : again_[back++];
      const int group =
          walk_.First(richest.agent, std::max(worth_, reports.threshold(richest.agent)));
      if (group == PreferenceWalk::kNoGroup) continue;
      walk_.Take(richest.agent, group);
      ledger_.Spend(richest.agent, 1);
      richest.budget -= ledger_.grains();
      ++paid;
      if (richest.budget >= least_) again_.push_back(richest);
    }
    return paid;
  }

  void HandOutRest() {
    walk_.Reread();
    for (int passed = 0; walk_.left() > 0 && passed < agents_; turn_ = Next(turn_)) {
      const int group = walk_.First(turn_, worth_);
      if (group == PreferenceWalk::kNoGroup) {
        ++passed;
      } else {
        walk_.Take(turn_, group);
        passed = 0;
      }
    }
  }

  int agents_;
  MostTokenFirstOptions options_;
  TokenLedger ledger_;
  PreferenceWalk walk_;
  std::int64_t least_;  // the smallest budget that buys
  double worth_;        // the smallest utility that is taken
  std::vector<Bidder> bidders_;
  std::vector<Bidder> again_;  // who have bought and may buy again
  int first_ = 0;              // among equal budgets
  int turn_ = 0;
};

}  // namespace

Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirst(const Market& market,
                                                             const MostTokenFirstOptions& options) {
  const auto tokens = static_cast<std::int64_t>(options.tokens) * market.accelerators();
  ASSIGN_OR_RETURN(TokenLedger ledger, TokenLedger::Make(market, tokens));
  return std::make_unique<MostTokenFirst>(market, std::move(ledger), options);
}

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
