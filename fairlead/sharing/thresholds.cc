#include "fairlead/sharing/thresholds.h"

namespace fairlead {
namespace {

class FixedThresholds final : public ThresholdChooser {
 public:
  FixedThresholds(const Market& market, double threshold)
      : thresholds_(static_cast<std::size_t>(market.agents()), threshold) {}

  void Choose(const SharingMechanism& /*mechanism*/, Reports& reports) override {
    reports.thresholds = thresholds_;
  }

 private:
  std::vector<double> thresholds_;
};

}  // namespace

std::unique_ptr<ThresholdChooser> MakeFixedThresholds(const Market& market, double threshold) {
  return std::make_unique<FixedThresholds>(market, threshold);
}

double AllocatedUtility(const Market& market, const Reports& reports, const Allocation& allocation,
                        int agent) {
  double sum = 0;
  for (int g = 0; g < market.groups(); ++g) {
    const int end = market.first_of(g) + market.group(g).count;
    for (int c = market.first_of(g); c < end; ++c) {
      if (allocation.holder[static_cast<std::size_t>(c)] == agent)
        sum += reports.utility(market, agent, g);
    }
  }
  return sum;
}

}  // namespace fairlead
