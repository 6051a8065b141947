#include "fairlead/sharing/most_token_first.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "fairlead/sharing/preference_walk.h"
#include "fairlead/sharing/token_ledger.h"

namespace fairlead {
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

}  // namespace fairlead
