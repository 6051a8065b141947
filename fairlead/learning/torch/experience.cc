#include "fairlead/learning/torch/experience.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

void ReplayBuffer::Add(std::shared_ptr<const Trajectory> trajectory) {
  const std::size_t count = trajectory->decisions.size();
  if (count == 0) return;
  ends_.push_back((ends_.empty() ? 0 : ends_.back()) + count);
  trajectories_.push_back(std::move(trajectory));
  size_ += count;
  while (size_ > most_ && trajectories_.size() > 1) {
    size_ -= trajectories_.front()->decisions.size();
    trajectories_.pop_front();
    ends_.pop_front();
  }
}

ReplayBuffer::Spot ReplayBuffer::Draw(RandomStream& random) const {
  CHECK(size_ > 0);
  const std::size_t first = ends_.back() - size_;
  const std::size_t place = first + random.Below(size_);
  const auto end = std::ranges::upper_bound(ends_, place);
  const auto which = static_cast<std::size_t>(end - ends_.begin());
  const Trajectory* trajectory = trajectories_[which].get();
  return {trajectory, place - (*end - trajectory->decisions.size())};
}

Transition ReplayBuffer::From(Spot spot) const {
  const auto& decisions = spot.trajectory->decisions;
  Transition transition{.decision = &decisions[spot.index]};
  double elapsed = 0;
  double reward = 0;
  double discount = 1;
  std::size_t i = spot.index;
  do {
    reward += discount * static_cast<double>(decisions[i].reward);
    discount *= static_cast<double>(decisions[i].discount);
    elapsed += static_cast<double>(decisions[i].elapsed);
    ++i;
  } while (i < decisions.size() && elapsed < lookahead_);
  transition.reward = static_cast<float>(reward);
  if (i < decisions.size()) {
    transition.next = &decisions[i];
    transition.discount = static_cast<float>(discount);
  }
  return transition;
}

void ReplayBuffer::SampleTransitions(int count, RandomStream& random,
                                     std::vector<Transition>& out) const {
  out.clear();
  for (int i = 0; i < count; ++i) out.push_back(From(Draw(random)));
}

void ReplayBuffer::SampleDecisions(int count, RandomStream& random,
                                   std::vector<const ExperiencedDecision*>& out) const {
  out.clear();
  for (int i = 0; i < count; ++i) {
    const Spot spot = Draw(random);
    out.push_back(&spot.trajectory->decisions[spot.index]);
  }
}

}  // namespace fairlead
