#include "fairlead/sharing/drf.h"

#include <algorithm>

#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

class Drf final : public SharingMechanism {
 public:
  explicit Drf(const Market& market)
      : market_(market), walk_(market), used_(market.of_kind(market.agents(), 0)) {}

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
    }
    first_ = (first_ + 1) % market_.agents();
  }

 private:
  double& Used(int agent, int kind) { return used_[market_.of_kind(agent, kind)]; }
  double DominantShare(int agent) {
    double share = 0;
    for (int k = 0; k < market_.kinds(); ++k) share = std::max(share, Used(agent, k));
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
      for (int k = 0; k < market_.kinds(); ++k) Used(a, k) += missing;
    }
    was_here_.assign(static_cast<std::size_t>(market_.agents()), false);
    for (const int a : waiting_) was_here_[static_cast<std::size_t>(a)] = true;
  }

  const Market& market_;
  PreferenceWalk walk_;
  std::vector<double> used_;  // agents x kinds, in parts of a kind's round
  std::vector<bool> was_here_;
  std::vector<int> waiting_;
  int first_ = 0;  // among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeDrf(const Market& market) {
  return std::make_unique<Drf>(market);
}

}  // namespace fairlead
