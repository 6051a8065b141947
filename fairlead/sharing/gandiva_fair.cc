#include "fairlead/sharing/gandiva_fair.h"

#include <algorithm>

#include "fairlead/sharing/preference_walk.h"
#include "fairlead/sharing/trading.h"

namespace fairlead {
namespace {

// Passes grow by kOne / weight; 2^40 leaves room for 2^23 rounds at weight 1.
constexpr std::int64_t kOne = std::int64_t{1} << 40;

class GandivaFair final : public SharingMechanism {
 public:
  GandivaFair(const Market& market, const GandivaFairOptions& options)
      : market_(market), options_(options), walk_(market), trading_(market) {
    const bool pool = options.scope == GandivaFairOptions::Scope::kPool;
    lanes_ = static_cast<std::size_t>(pool ? 1 : market.groups());
    passes_.resize(lanes_ * static_cast<std::size_t>(market.agents()));
    served_.resize(lanes_);
  }

  std::string_view Name() const override { return "gandiva-fair"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    if (options_.scope == GandivaFairOptions::Scope::kPool)
      ServePool(reports);
    else
      ServeEach(reports);
    if (options_.trading == GandivaFairOptions::Trading::kSecondPrice)
      trading_.Trade(reports, allocation);
  }

 private:
  std::int64_t& Pass(std::size_t lane, int agent) {
    return passes_[static_cast<std::size_t>(agent) * lanes_ + lane];
  }
  // The smallest pass; of equal ones that which comes first counting from `offset`, so that
  // accelerators do not all begin with the same agent.
  bool Before(std::size_t lane, int offset, int left, int right) {
    const std::int64_t l = Pass(lane, left);
    const std::int64_t r = Pass(lane, right);
    if (l != r) return l < r;
    const int n = market_.agents();
    return (left + n - offset % n) % n < (right + n - offset % n) % n;
  }
  void Charge(std::size_t lane, int agent) {
    served_[lane] = Pass(lane, agent);
    Pass(lane, agent) += kOne / market_.weight(agent);
  }

  void ServeEach(const Reports& reports) {
    for (int g = 0; g < market_.groups(); ++g) {
      const auto lane = static_cast<std::size_t>(g);
      for (int copy = 0; copy < market_.group(g).count; ++copy) {
        int next = Allocation::kNobody;
        for (int a = 0; a < market_.agents(); ++a) {
          if (reports.utility(market_, a, g) <= 0) continue;
          Pass(lane, a) = std::max(Pass(lane, a), served_[lane]);
          if (next == Allocation::kNobody || Before(lane, market_.first_of(g) + copy, a, next))
            next = a;
        }
        if (next == Allocation::kNobody) break;
        walk_.Take(next, g);
        Charge(lane, next);
      }
    }
  }

  void ServePool(const Reports& reports) {
    waiting_.clear();
    for (int a = 0; a < market_.agents(); ++a) {
      if (!IsActive(market_, reports, a)) continue;
      Pass(0, a) = std::max(Pass(0, a), served_[0]);
      waiting_.push_back(a);
    }
    while (walk_.left() > 0 && !waiting_.empty()) {
      const auto next = std::ranges::min_element(
          waiting_, [this](int left, int right) { return Before(0, first_, left, right); });
      const int group = walk_.First(*next, kOfUse);
      if (group == PreferenceWalk::kNoGroup) {
        waiting_.erase(next);
        continue;
      }
      walk_.Take(*next, group);
      Charge(0, *next);
    }
    first_ = (first_ + 1) % market_.agents();
  }

  const Market& market_;
  GandivaFairOptions options_;
  PreferenceWalk walk_;
  Trading trading_;
  std::size_t lanes_ = 0;  // passes of an agent: one for each group, or one for all
  std::vector<std::int64_t> passes_;
  std::vector<std::int64_t> served_;  // the pass of the last one served, in each lane
  std::vector<int> waiting_;
  int first_ = 0;  // of the pool, among equals
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeGandivaFair(const Market& market,
                                                  const GandivaFairOptions& options) {
  return std::make_unique<GandivaFair>(market, options);
}

}  // namespace fairlead
