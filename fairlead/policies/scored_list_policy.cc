#include "fairlead/policies/scored_list_policy.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_lanes.h"
#include "fairlead/policies/scored_walk.h"

namespace fairlead {
namespace {

// With units to divide: so much of its slack a segment may take up (docs/policies/fairlead.md).
constexpr double kPartOfSlack = 0.8;

class ScoredListPolicy final : public SchedulingPolicy {
 public:
  ScoredListPolicy(std::string name, std::unique_ptr<ScoringRule> rule,
                   const ListPolicyOptions& options, RandomStream random)
      : name_(std::move(name)), rule_(std::move(rule)), dispatch_(MakeDispatch(options, random)) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    LaneRule* lanes = rule_->lanes();
    if (lanes != nullptr) ready_.Take(view, *lanes);
    rule_->Begin(view, plan);
    dispatch_.Begin(view, plan, rule_.get());
    // A rule that scores all at once may count the decisions in which it was asked.
    if (lanes != nullptr ? dispatch_.Exhausted() : dispatch_.placement().NoneUsable()) return;
    const auto visit = [&](const ScoredSegment& segment) {
      dispatch_.Offer(view, segment.job, segment.segment, plan);
      return !dispatch_.Exhausted();
    };
    if (lanes != nullptr) {
      ready_.Walk(view, dispatch_.early_drop(), *rule_, *lanes, visit);
    } else {
      walk_.Walk(view, dispatch_.early_drop(), *rule_, visit);
    }
    Divide(view, plan);
  }

 private:
  // By the rule's order, what runs among what has joined it.
  void Divide(const SystemView& view, SchedulingPlan& plan) {
    for (std::size_t i = 0; i < view.accelerators().size(); ++i) {
      const AcceleratorId id{i};
      const AcceleratorState& state = view.accelerators()[i];
      if (!dispatch_.Divides(view, id) || !state.online || !state.queue.empty()) continue;
      const auto [tasks, capacity] = dispatch_.division().Gather(view, id, kPartOfSlack);
      scored_.clear();
      for (FissionTask& task : tasks) {
        task.priority = std::min(task.priority, 1.0);  // all alike
        scored_.push_back({.serial = task.serial,
                           .job = task.job,
                           .segment = task.segment,
                           .covered = view.job(task.job).covered});
      }
      rule_->Score(view, scored_);
      order_.resize(scored_.size());
      std::iota(order_.begin(), order_.end(), 0U);
      std::ranges::sort(order_, [&](auto a, auto b) { return scored_[a] < scored_[b]; });
      for (std::uint32_t place = 0; place < order_.size(); ++place)
        tasks[order_[place]].place = place;
      fission_.DivideInOrder(tasks, capacity);
      dispatch_.division().CarryOut(view, id, plan);
    }
  }

  std::string name_;
  std::unique_ptr<ScoringRule> rule_;
  Dispatch dispatch_;
  ScoredLanes ready_;  // where the rule has lanes,
  ScoredWalk walk_;    // where it has none
  Fission fission_;
  std::vector<ScoredSegment> scored_;  // scratch: tasks of one accelerator
  std::vector<std::uint32_t> order_;   // scratch: theirs
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeScoredListPolicy(std::string name,
                                                       std::unique_ptr<ScoringRule> rule,
                                                       const ListPolicyOptions& options,
                                                       RandomStream random) {
  return std::make_unique<ScoredListPolicy>(std::move(name), std::move(rule), options, random);
}

}  // namespace fairlead
