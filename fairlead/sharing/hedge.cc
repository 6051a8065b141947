#include "fairlead/sharing/hedge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"

namespace fairlead {
namespace {

class HedgeThresholds final : public ThresholdChooser {
 public:
  HedgeThresholds(const Market& market, const HedgeOptions& options, std::uint64_t seed)
      : market_(market),
        options_(options),
        random_(seed, "sharing/hedge"),
        learners_(static_cast<std::size_t>(market.agents())) {}

  void Choose(const SharingMechanism& mechanism, Reports& reports) override {
    reports.thresholds.clear();
    for (int a = 0; a < market_.agents(); ++a)
      reports.thresholds.push_back(ThresholdValue(Draw(Scores(mechanism, a))));
    const bool by_utility = reports.preferences.empty();
    if (by_utility) PreferByUtility(market_, reports, reports.preferences);  // once for all copies
    for (int a = 0; a < market_.agents(); ++a) Learn(mechanism, a, reports);
    if (by_utility) reports.preferences.clear();
  }

 private:
  using Row = std::array<double, kThresholds>;  // sums of rewards

  static double Tokens(const SharingMechanism& mechanism, int agent) {
    if (mechanism.Budgets().empty()) return 0;
    return static_cast<double>(mechanism.Budgets()[static_cast<std::size_t>(agent)]) /
           static_cast<double>(mechanism.Grains());
  }

  Row& Scores(const SharingMechanism& mechanism, int agent) {
    const auto whole = static_cast<std::int64_t>(std::floor(Tokens(mechanism, agent)));
    return learners_[static_cast<std::size_t>(agent)][whole];
  }

  int Draw(const Row& scores) {
    const double best = *std::ranges::max_element(scores);
    Row weights;
    for (std::size_t t = 0; t < weights.size(); ++t)
      weights[t] = std::exp(options_.rate * (scores[t] - best));
    return static_cast<int>(random_.Weighted(weights));
  }

  void Learn(const SharingMechanism& mechanism, int agent, Reports& reports) {
    double& threshold = reports.thresholds[static_cast<std::size_t>(agent)];
    const double chosen = threshold;
    double mean = 0;
    for (int g = 0; g < market_.groups(); ++g)
      mean += reports.utility(market_, agent, g) * market_.group(g).count / market_.accelerators();
    Row& scores = Scores(mechanism, agent);
    for (int t = 0; t < kThresholds; ++t) {
      threshold = ThresholdValue(t);
      const auto copy = mechanism.Clone();
      CHECK(copy != nullptr);
      copy->Allocate(reports, allocation_);
      const double saved = mean * Tokens(*copy, agent);
      double reward = AllocatedUtility(market_, reports, allocation_, agent);
      if (options_.sign == HedgeOptions::Sign::kText) reward -= saved;
      if (options_.sign == HedgeOptions::Sign::kSaving) reward += saved;
      scores[static_cast<std::size_t>(t)] += reward;
    }
    threshold = chosen;
  }

  const Market& market_;
  HedgeOptions options_;
  RandomStream random_;
  std::vector<std::map<std::int64_t, Row>> learners_;  // of each agent, by whole tokens
  Allocation allocation_;
};

}  // namespace

std::unique_ptr<ThresholdChooser> MakeHedge(const Market& market, const HedgeOptions& options,
                                            std::uint64_t seed) {
  return std::make_unique<HedgeThresholds>(market, options, seed);
}

}  // namespace fairlead
