#include "fairlead/sharing/greedy.h"

namespace fairlead {
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

}  // namespace fairlead
