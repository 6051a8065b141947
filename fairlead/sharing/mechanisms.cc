#include "fairlead/sharing/mechanisms.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

// How many of m things each agent has this round, so that over rounds each has its weight's share.
//
// Every agent gains m x weight / all weights a round, exactly, in fractions of one thing; it has
// the whole things of what it gained, and those with the largest remainders have what that leaves.
// No agent is ever a whole thing ahead of or, but for equal remainders, behind its share.
class Quotas {
 public:
  explicit Quotas(const Market& market);

  // The counts of the next round; they add up to the market's accelerators.
  std::span<const int> Next();

 private:
  const Market* market_;
  std::vector<std::int64_t>
      gained_;  // and not had; in parts of one, of which total_weight make one
  std::vector<int> counts_;
  std::vector<int> order_;
};

class TimeEqual final : public SharingMechanism {
 public:
  std::string_view Name() const override { return "time-equal"; }
  void Allocate(const Reports& /*reports*/, Allocation& allocation) override {
    allocation.holder.clear();
    allocation.divided = true;
  }
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeTimeEqual() { return std::make_unique<TimeEqual>(); }

namespace {

class FixedPartition final : public SharingMechanism {
 public:
  explicit FixedPartition(std::vector<int> holder) : holder_(std::move(holder)) {}

  std::string_view Name() const override { return "fixed-partition"; }
  void Allocate(const Reports& /*reports*/, Allocation& allocation) override {
    allocation.divided = false;
    allocation.holder = holder_;
  }

 private:
  std::vector<int> holder_;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeFixedPartition(const Market& market) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(market.agents()));
  std::vector<int> holder;
  for (int c = 0; c < market.accelerators(); ++c) {
    int next = 0;
    for (int a = 1; a < market.agents(); ++a) {
      // (held + 1) / weight, compared without rounding.
      if ((held[static_cast<std::size_t>(a)] + 1) * market.weight(next) <
          (held[static_cast<std::size_t>(next)] + 1) * market.weight(a))
        next = a;
    }
    ++held[static_cast<std::size_t>(next)];
    holder.push_back(next);
  }
  return std::make_unique<FixedPartition>(std::move(holder));
}

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

namespace {

class DynamicPartition final : public SharingMechanism {
 public:
  DynamicPartition(const Market& market, const DynamicPartitionOptions& options)
      : agents_(market.agents()), options_(options), walk_(market), quotas_(market) {}

  std::string_view Name() const override { return "dynamic-partition"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    const std::span<const int> counts = quotas_.Next();
    for (int i = 0; i < agents_; ++i) {
      const int agent = (first_ + i) % agents_;
      for (int taken = 0; taken < counts[static_cast<std::size_t>(agent)]; ++taken)
        walk_.Take(agent, walk_.First(agent, 0));
    }
    if (options_.first == DynamicPartitionOptions::First::kRotate) first_ = (first_ + 1) % agents_;
  }

 private:
  int agents_;
  DynamicPartitionOptions options_;
  PreferenceWalk walk_;
  Quotas quotas_;
  int first_ = 0;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeDynamicPartition(const Market& market,
                                                       const DynamicPartitionOptions& options) {
  return std::make_unique<DynamicPartition>(market, options);
}

namespace {

class TakeTurns final : public SharingMechanism {
 public:
  explicit TakeTurns(const Market& market) : market_(market), walk_(market) {}

  std::string_view Name() const override { return "round-robin"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    while (walk_.left() > 0) {
      walk_.Take(turn_, walk_.First(turn_, 0));
      if (++turns_had_ < market_.weight(turn_)) continue;
      turns_had_ = 0;
      turn_ = (turn_ + 1) % market_.agents();
    }
  }

 private:
  const Market& market_;
  PreferenceWalk walk_;
  int turn_ = 0;
  std::int64_t turns_had_ = 0;  // in a row
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeTakeTurns(const Market& market) {
  return std::make_unique<TakeTurns>(market);
}

namespace {

class Greedy final : public SharingMechanism {
 public:
  Greedy(const Market& market, const GreedyOptions& options) : market_(market), options_(options) {}

  std::string_view Name() const override { return "greedy"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    allocation.divided = false;
    allocation.holder.assign(static_cast<std::size_t>(market_.accelerators()), Allocation::kNobody);
    for (int g = 0; g < market_.groups(); ++g) {
      const int first = market_.first_of(g);
      for (int c = first; c < first + market_.group(g).count; ++c)
        allocation.holder[static_cast<std::size_t>(c)] = Best(reports, g, first_ + c);
    }
    first_ = (first_ + 1) % market_.agents();
  }

 private:
  int Best(const Reports& reports, int group, int first) const {
    int best = Allocation::kNobody;
    const bool staked = options_.by == GreedyOptions::By::kStake && !reports.stakes.empty();
    double most = 0;
    for (int i = 0; i < market_.agents(); ++i) {
      const int agent = (first + i) % market_.agents();
      const double utility = reports.utility(market_, agent, group);
      const double worth = static_cast<double>(market_.weight(agent)) *
                           (staked ? reports.stakes[market_.of_group(agent, group)] : utility);
      if (utility > 0 && worth > most) {
        most = worth;
        best = agent;
      }
    }
    return best;
  }

  const Market& market_;
  GreedyOptions options_;
  int first_ = 0;  // among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeGreedy(const Market& market, const GreedyOptions& options) {
  return std::make_unique<Greedy>(market, options);
}

namespace {

class Nash final : public SharingMechanism {
 public:
  explicit Nash(const Market& market)
      : market_(market), had_(static_cast<std::size_t>(market.agents())) {}

  std::string_view Name() const override { return "nash"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    allocation.divided = false;
    allocation.holder.assign(static_cast<std::size_t>(market_.accelerators()), Allocation::kNobody);
    for (int g = 0; g < market_.groups(); ++g) {
      const int first = market_.first_of(g);
      for (int c = first; c < first + market_.group(g).count; ++c) {
        const int agent = Neediest(reports, g);
        if (agent == Allocation::kNobody) break;
        allocation.holder[static_cast<std::size_t>(c)] = agent;
        had_[static_cast<std::size_t>(agent)] += reports.utility(market_, agent, g);
      }
    }
    first_ = (first_ + 1) % market_.agents();
  }

 private:
  // Compared as products, so that who has had nothing comes first without a division.
  int Neediest(const Reports& reports, int group) const {
    int best = Allocation::kNobody;
    for (int i = 0; i < market_.agents(); ++i) {
      const int agent = (first_ + i) % market_.agents();
      const double worth = Worth(reports, agent, group);
      if (worth <= 0) continue;
      if (best == Allocation::kNobody ||
          worth * had_[static_cast<std::size_t>(best)] >
              Worth(reports, best, group) * had_[static_cast<std::size_t>(agent)])
        best = agent;
    }
    return best;
  }
  double Worth(const Reports& reports, int agent, int group) const {
    return static_cast<double>(market_.weight(agent)) * reports.utility(market_, agent, group);
  }

  const Market& market_;
  std::vector<double> had_;
  int first_ = 0;  // among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeNash(const Market& market) {
  return std::make_unique<Nash>(market);
}

namespace {

class Drf final : public SharingMechanism {
 public:
  explicit Drf(const Market& market)
      : market_(market),
        walk_(market),
        resources_(market.kinds() + 1),
        used_(static_cast<std::size_t>(market.agents()) * static_cast<std::size_t>(resources_)) {}

  std::string_view Name() const override { return "drf"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    Enter(reports);
    while (walk_.left() > 0 && !waiting_.empty()) {
      const auto least = std::ranges::min_element(waiting_, {}, [this](int agent) {
        return std::pair(DominantShare(agent),
                         (agent - first_ + market_.agents()) % market_.agents());
      });
      const int group = walk_.First(*least, kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        waiting_.erase(least);
        continue;
      }
      walk_.Take(*least, group);
      const int kind = market_.group(group).kind;
      Used(*least, kind) += 1.0 / market_.count_of_kind(kind);
      if (!reports.bandwidths.empty())
        Used(*least, market_.kinds()) += reports.bandwidths[market_.of_kind(*least, kind)];
    }
    first_ = (first_ + 1) % market_.agents();
  }

 private:
  // Of a kind's time or, behind these, of the memory's bandwidth.
  double& Used(int agent, int resource) {
    return used_[static_cast<std::size_t>(agent) * static_cast<std::size_t>(resources_) +
                 static_cast<std::size_t>(resource)];
  }
  double DominantShare(int agent) {
    double share = 0;
    for (int r = 0; r < resources_; ++r) share = std::max(share, Used(agent, r));
    return share / static_cast<double>(market_.weight(agent));
  }

  // Those with work, none of them further back than the one that had least of those who were here.
  void Enter(const Reports& reports) {
    double least = -1;
    waiting_.clear();
    for (int a = 0; a < market_.agents(); ++a) {
      if (!IsActive(market_, reports, a)) continue;
      waiting_.push_back(a);
      if (was_here_.empty() || !was_here_[static_cast<std::size_t>(a)]) continue;
      least = least < 0 ? DominantShare(a) : std::min(least, DominantShare(a));
    }
    for (const int a : waiting_) {
      const double share = DominantShare(a);
      if (share >= least) continue;
      const double missing = (least - share) * static_cast<double>(market_.weight(a));
      for (int r = 0; r < resources_; ++r) Used(a, r) += missing;
    }
    was_here_.assign(static_cast<std::size_t>(market_.agents()), false);
    for (const int a : waiting_) was_here_[static_cast<std::size_t>(a)] = true;
  }

  const Market& market_;
  PreferenceWalk walk_;
  int resources_;             // each kind's time, and the memory's bandwidth
  std::vector<double> used_;  // agents x resources, in parts of a round
  std::vector<bool> was_here_;
  std::vector<int> waiting_;
  int first_ = 0;  // among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeDrf(const Market& market) {
  return std::make_unique<Drf>(market);
}

}  // namespace fairlead
