#include "fairlead/sharing/drf.h"

#include <algorithm>

#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
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
