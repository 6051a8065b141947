#include "fairlead/policies/random.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/policies/dispatch.h"

namespace fairlead {
namespace {

class RandomPolicy final : public SchedulingPolicy {
 public:
  RandomPolicy(std::string name, const RandomPolicyOptions& options, RandomStream random)
      : name_(std::move(name)),
        random_(random),
        dispatch_(options.drop, MemoryLimit(),
                  MakePlacement({.rule = PlacementRule::kRandom},
                                RandomStream(random_.Bits(), "placement"))) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    dispatch_.Begin(view, plan);
    drawn_.clear();
    const auto ready = view.ready();
    // A few draws nearly always suffice. Where idle accelerators suit almost nothing that is
    // ready, the rest is offered once in a circle from a random place: no draw is repeated.
    const auto there = std::ranges::count(view.accelerators(), true, &AcceleratorState::online);
    const std::size_t draws =
        std::min(ready.size(), kDrawsPerAccelerator * static_cast<std::size_t>(there));
    const Placement& placement = dispatch_.placement();
    while (!placement.NoneUsable() && drawn_.size() < draws)
      Offer(view, ready[DrawOther(ready.size())], plan);
    if (placement.NoneUsable() || draws == ready.size()) return;
    const std::size_t first = random_.Below(ready.size());
    for (std::size_t step = 0; step < ready.size() && !dispatch_.Exhausted(); ++step) {
      const std::size_t at = (first + step) % ready.size();
      if (!std::ranges::binary_search(drawn_, at)) Offer(view, ready[at], plan);
    }
  }

 private:
  static constexpr std::size_t kDrawsPerAccelerator = 8;

  void Offer(const SystemView& view, const ReadySegment& segment, SchedulingPlan& plan) {
    if (dispatch_.Exhausted()) return;  // what is idle suits nothing
    if (dispatch_.early_drop().GivenUp(segment.job, view.job(segment.job).serial)) return;
    dispatch_.Offer(view, segment.job, segment.segment, plan);
  }

  // A uniform draw among those not drawn yet: the n-th of the rest, where the sorted list of the
  // drawn ones says how many to step over. Of these the i-th has drawn_[i] - i before it that were
  // not drawn, which never falls.
  std::size_t DrawOther(std::size_t size) {
    const std::size_t nth = random_.Below(size - drawn_.size());
    std::size_t over = 0;
    for (std::size_t end = drawn_.size(); over < end;) {
      const std::size_t middle = (over + end) / 2;
      if (drawn_[middle] - middle <= nth) {
        over = middle + 1;
      } else {
        end = middle;
      }
    }
    drawn_.insert(drawn_.begin() + static_cast<std::ptrdiff_t>(over), nth + over);
    return nth + over;
  }

  std::string name_;
  RandomStream random_;
  Dispatch dispatch_;
  std::vector<std::size_t> drawn_;  // in this decision, ascending
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeRandomPolicy(std::string name,
                                                   const RandomPolicyOptions& options,
                                                   RandomStream random) {
  return std::make_unique<RandomPolicy>(std::move(name), options, random);
}

}  // namespace fairlead
