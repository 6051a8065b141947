#include "fairlead/sharing/nash.h"

namespace fairlead {
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

}  // namespace fairlead
