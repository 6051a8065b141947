#include "fairlead/fairness/sharing_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"

namespace fairlead {

double SharingIncentive(double shared, double expected) {
  if (expected != 0) return shared / expected;
  return shared == 0 ? 1 : std::numeric_limits<double>::infinity();
}

double WeightedWelfare(std::span<const std::int64_t> weights, std::span<const double> utilities) {
  CHECK(weights.size() == utilities.size() && !weights.empty());
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += static_cast<double>(weights[i]) * utilities[i];
    all += static_cast<double>(weights[i]);
  }
  return sum / all;
}

Envy WeightedEnvy(std::span<const std::int64_t> weights, std::span<const double> swapped,
                  double tolerance) {
  const std::size_t n = weights.size();
  CHECK(swapped.size() == n * n);
  Envy envy;
  envy.ratios.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    bool is_envious = false;
    for (std::size_t j = 0; j < n; ++j) {
      const double ratio = SharingIncentive(static_cast<double>(weights[i]) * swapped[i * n + j],
                                            static_cast<double>(weights[j]) * swapped[i * n + i]);
      envy.ratios[i * n + j] = ratio;
      if (i == j) continue;
      envy.largest = std::max(envy.largest, ratio);
      if (ratio <= 1 + tolerance) continue;
      is_envious = true;
      ++envy.pairs;
    }
    if (is_envious) ++envy.envious;
  }
  return envy;
}

namespace {

constexpr double kSame = 1e-12;

class ParetoJudge {
 public:
  explicit ParetoJudge(const ParetoQuestion& question)
      : question_(question),
        agents_(static_cast<std::size_t>(question.agents)),
        things_(question.holders.size()) {
    CHECK(question.utilities.size() == agents_ * things_);
  }

  ParetoVerdict Judge() {
    if (HasWaste() || HasSwap()) return ParetoVerdict::kImprovable;
    if (HasPrices()) return ParetoVerdict::kEfficient;
    if (std::pow(static_cast<double>(agents_), static_cast<double>(things_)) > 1e6)
      return ParetoVerdict::kUndecided;
    return TryAll() ? ParetoVerdict::kImprovable : ParetoVerdict::kEfficient;
  }

 private:
  double Worth(std::size_t agent, std::size_t thing) const {
    return question_.utilities[agent * things_ + thing];
  }
  bool Held(std::size_t thing) const { return question_.holders[thing] >= 0; }
  std::size_t Holder(std::size_t thing) const {
    return static_cast<std::size_t>(question_.holders[thing]);
  }

  bool HasWaste() const {
    for (std::size_t c = 0; c < things_; ++c) {
      if (Held(c) && Worth(Holder(c), c) > 0) continue;
      for (std::size_t a = 0; a < agents_; ++a) {
        if (Worth(a, c) > 0) return true;
      }
    }
    return false;
  }

  bool HasSwap() const {
    for (std::size_t c = 0; c < things_; ++c) {
      for (std::size_t d = 0; d < things_ && Held(c); ++d) {
        if (!Held(d) || Holder(c) == Holder(d)) continue;
        const double first = Worth(Holder(c), d) - Worth(Holder(c), c);
        const double second = Worth(Holder(d), c) - Worth(Holder(d), d);
        if (first >= 0 && second >= 0 && first + second > kSame) return true;
      }
    }
    return false;
  }

  // Weights of agents such that each thing is where its weighted worth is largest: differences of
  // their logarithms are bounded, and Bellman and Ford find a solution or a cycle.
  bool HasPrices() const {
    constexpr double kFree = std::numeric_limits<double>::infinity();
    std::vector<double> bound(agents_ * agents_, kFree);  // of log w_j - log w_i
    for (std::size_t c = 0; c < things_; ++c) {
      if (!Held(c) || Worth(Holder(c), c) <= 0) continue;
      const std::size_t i = Holder(c);
      for (std::size_t j = 0; j < agents_; ++j) {
        if (j == i || Worth(j, c) <= 0) continue;
        double& most = bound[i * agents_ + j];
        most = std::min(most, std::log(Worth(i, c)) - std::log(Worth(j, c)));
      }
    }
    std::vector<double> logs(agents_, 0);
    for (std::size_t round = 0; round <= agents_; ++round) {
      bool changed = false;
      for (std::size_t i = 0; i < agents_; ++i) {
        for (std::size_t j = 0; j < agents_; ++j) {
          const double most = logs[i] + bound[i * agents_ + j];
          if (logs[j] <= most + kSame) continue;
          logs[j] = most;
          changed = true;
        }
      }
      if (!changed) return true;
    }
    return false;
  }

  std::vector<double> Totals(const std::vector<std::size_t>& holders) const {
    std::vector<double> totals(agents_, 0);
    for (std::size_t c = 0; c < things_; ++c) totals[holders[c]] += Worth(holders[c], c);
    return totals;
  }

  bool TryAll() const {
    std::vector<double> now(agents_, 0);
    for (std::size_t c = 0; c < things_; ++c) {
      if (Held(c)) now[Holder(c)] += Worth(Holder(c), c);
    }
    std::vector<std::size_t> holders(things_, 0);
    while (true) {
      const std::vector<double> totals = Totals(holders);
      bool worse = false;
      bool better = false;
      for (std::size_t a = 0; a < agents_; ++a) {
        worse = worse || totals[a] < now[a] - kSame;
        better = better || totals[a] > now[a] + 1e-9;
      }
      if (better && !worse) return true;
      std::size_t c = 0;
      while (c < things_ && ++holders[c] == agents_) holders[c++] = 0;
      if (c == things_) return false;
    }
  }

  const ParetoQuestion& question_;
  std::size_t agents_;
  std::size_t things_;
};

}  // namespace

ParetoVerdict JudgePareto(const ParetoQuestion& question) { return ParetoJudge(question).Judge(); }

}  // namespace fairlead
