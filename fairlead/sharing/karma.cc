#include <algorithm>

#include "fairlead/sharing/mechanisms.h"
#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

// A credit is cut into total_weight grains.
class Karma final : public SharingMechanism {
 public:
  Karma(const Market& market, const KarmaOptions& options)
      : market_(market),
        walk_(market),
        credits_(static_cast<std::size_t>(market.agents())),
        own_(credits_.size()) {
    for (int a = 0; a < market.agents(); ++a) {
      const std::int64_t share = market.weight(a) * market.accelerators();  // in grains
      const std::int64_t own =
          share * static_cast<std::int64_t>(options.guaranteed) / (100 * market.total_weight());
      own_[static_cast<std::size_t>(a)] = static_cast<int>(own);
      income_.push_back(share - own * market.total_weight());
    }
  }

  std::string_view Name() const override { return "karma"; }
  std::span<const std::int64_t> Budgets() const override { return credits_; }
  std::int64_t Grains() const override { return market_.total_weight(); }

  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    for (int a = 0; a < market_.agents(); ++a) Credits(a) += income_[static_cast<std::size_t>(a)];
    TakeOwn();
    Borrow();
    first_ = (first_ + 1) % market_.agents();
  }

 private:
  std::int64_t& Credits(int agent) { return credits_[static_cast<std::size_t>(agent)]; }
  int Rank(int agent) const { return (agent - first_ + market_.agents()) % market_.agents(); }

  void TakeOwn() {
    lent_ = own_;
    wanting_.clear();
    for (int i = 0; i < market_.agents(); ++i) {
      const int agent = (first_ + i) % market_.agents();
      int& left = lent_[static_cast<std::size_t>(agent)];
      int group = walk_.First(agent, kOfUse);
      for (; left > 0 && group != PreferenceWalk::kNoGroup; --left) {
        walk_.Take(agent, group);
        group = walk_.First(agent, kOfUse);
      }
      if (left == 0 && group != PreferenceWalk::kNoGroup) wanting_.push_back(agent);
    }
  }

  void Borrow() {
    while (walk_.left() > 0 && !wanting_.empty()) {
      const auto richest = std::ranges::max_element(
          wanting_, {}, [this](int agent) { return std::pair(Credits(agent), -Rank(agent)); });
      const int agent = *richest;
      const int group = walk_.First(agent, kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        wanting_.erase(richest);
        continue;
      }
      walk_.Take(agent, group);
      Credits(agent) -= Grains();
      Repay();
    }
  }

  // The credit that was just paid goes to the poorest of those whose own is lent, if any is.
  void Repay() {
    int poorest = Allocation::kNobody;
    for (int a = 0; a < market_.agents(); ++a) {
      if (lent_[static_cast<std::size_t>(a)] > 0 &&
          (poorest == Allocation::kNobody ||
           std::pair(Credits(a), Rank(a)) < std::pair(Credits(poorest), Rank(poorest))))
        poorest = a;
    }
    if (poorest == Allocation::kNobody) return;
    --lent_[static_cast<std::size_t>(poorest)];
    Credits(poorest) += Grains();
  }

  const Market& market_;
  PreferenceWalk walk_;
  std::vector<std::int64_t> credits_;
  std::vector<int> own_;
  std::vector<std::int64_t> income_;  // of a round: the part of one's share that is not one's own
  std::vector<int> lent_;             // what agents left of their own and nobody paid for yet
  std::vector<int> wanting_;
  int first_ = 0;  // among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeKarma(const Market& market, const KarmaOptions& options) {
  return std::make_unique<Karma>(market, options);
}

}  // namespace fairlead
