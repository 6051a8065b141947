#include "fairlead/running/training/collecting_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

CollectingPolicy::CollectingPolicy(CollectingOptions options, RandomStream random)
    : options_(std::move(options)),
      random_(random),
      frame_(options_.frame),
      meter_(options_.reward) {
  CHECK(options_.network != nullptr || options_.acts == WhoActs::kTeacher);
  CHECK(options_.teacher != nullptr || options_.acts != WhoActs::kTeacher);
  if (options_.network != nullptr) runner_ = std::make_unique<GruRunner>(*options_.network);
}

void CollectingPolicy::Observe(const SystemView& view, const Event& event) {
  meter_.Observe(view, event);
  if (options_.teacher != nullptr) options_.teacher->Observe(view, event);
}

void CollectingPolicy::Decide(const SystemView& view, SchedulingPlan& plan) {
  if (options_.teacher != nullptr) options_.teacher->Begin(view);
  if (frame_.Look(view)) {
    if (options_.teacher != nullptr)
      options_.teacher->Order(view, frame_.features(), order_, values_);
    Act(view);
    if (options_.trajectory != nullptr) Remember(view);
  }
  frame_.Decide(view, actions_, plan);
}

void CollectingPolicy::Act(const SystemView& view) {
  const DecisionFeatures& features = frame_.features();
  actions_.assign(features.size() * kActionsPerRow, 0);
  if (options_.acts == WhoActs::kTeacher) {
    // Above what is deferred, and the largest first.
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const float behind = static_cast<float>(place) / static_cast<float>(order_.size());
      actions_[order_[place] * kActionsPerRow] = 1 - behind;
    }
    return;
  }
  runner_->Run(features.system, features.rows, features.size(), actions_);
  if (options_.acts == WhoActs::kExploring) AddNoise(view.now());
}

// Ornstein and Uhlenbeck's process, at the instants of decisions. What stands in a row changes as
// segments come and go; its noise stays with the row.
void CollectingPolicy::AddNoise(Instant now) {
  const double kept = std::exp(-Seconds(now - noise_at_) / options_.exploration.memory);
  const double fresh = options_.exploration.deviation * std::sqrt(1 - kept * kept);
  noise_at_ = now;
  if (noise_.size() < actions_.size()) noise_.resize(actions_.size());
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    noise_[i] =
        static_cast<float>(kept * static_cast<double>(noise_[i]) + fresh * random_.Normal());
    actions_[i] = std::clamp(actions_[i] + noise_[i], -1.0F, 1.0F);
  }
}

void CollectingPolicy::Remember(const SystemView& view) {
  std::vector<ExperiencedDecision>& decisions = options_.trajectory->decisions;
  if (!decisions.empty()) {
    ExperiencedDecision& before = decisions.back();
    before.reward = static_cast<float>(meter_.reward());
    before.discount = static_cast<float>(meter_.Discount(view.now()));
    before.elapsed = static_cast<float>(Seconds(view.now() - last_));
  }
  meter_.Restart(view.now());
  last_ = view.now();
  const DecisionFeatures& features = frame_.features();
  ExperiencedDecision decision{.rows = static_cast<std::uint16_t>(features.size()),
                               .actions = actions_};
  decision.features.reserve(features.size() * (features.system.size() + features.width));
  for (std::size_t row = 0; row < features.size(); ++row) {
    const auto numbers = features.Row(row);
    decision.features.insert(decision.features.end(), features.system.begin(),
                             features.system.end());
    decision.features.insert(decision.features.end(), numbers.begin(), numbers.end());
  }
  if (options_.teacher != nullptr) {
    decision.teacher = order_;
    decision.values = values_;
  }
  decisions.push_back(std::move(decision));
  if (decisions.size() == options_.most_decisions) options_.stop.request_stop();
}

}  // namespace fairlead
