// Deep deterministic policy gradients (Lillicrap et al., arXiv 1509.02971) over sequences of rows.
//
// One step, on transitions (s, a, r, s') drawn from the replay buffer, where r is what was earned
// on the way from s to s', discounted by the simulated time t that it took:
//
//   y      = r + exp(-t / horizon) Q'(s', mu'(s'))      Q', mu': target networks
//   critic   minimises Huber(Q(s, a) - y)
//   actor    maximises Q(s, mu(s)), less `anchor` times the loss of imitation where s has a label
//   targets  go a small part (polyak) of the way to their networks
//
// Departures from the paper: both networks are recurrent over the rows of one decision and have no
// batch normalisation; the discount is by time, and rewards are added up over a stretch of time
// before the critic is asked; Huber's loss; gradients are shortened; outputs far in the flat part
// of tanh cost a little, since no gradient brings them back.
#include <algorithm>

#include "fairlead/learning/torch/learner.h"
#include "fairlead/learning/torch/torch_networks.h"

namespace fairlead {
namespace {

using torch::Tensor;

constexpr double kFlatPenalty = 1e-3;

void Follow(const torch::nn::Module& leader, const torch::nn::Module& follower, double part) {
  const torch::NoGradGuard no_gradient;
  const auto from = leader.parameters();
  const auto to = follower.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) to[i].lerp_(from[i], part);
}

// What the critic should have said.
Tensor Targets(TorchState& state, std::span<const Transition> transitions) {
  const torch::NoGradGuard no_gradient;
  static const ExperiencedDecision kEnd;  // no rows; its value counts for nothing
  std::vector<const ExperiencedDecision*> next;
  std::vector<float> rewards;
  std::vector<float> discounts;
  const double scale = state.options.ddpg.reward_scale;
  for (const Transition& transition : transitions) {
    next.push_back(transition.next == nullptr ? &kEnd : transition.next);
    rewards.push_back(static_cast<float>(scale * static_cast<double>(transition.reward)));
    discounts.push_back(transition.next == nullptr ? 0 : transition.discount);
  }
  const TorchBatch batch = PackFeatures(next, state.shape.features, state.device);
  const Tensor actions = state.target_actor->forward(batch.features);
  const Tensor values = state.target_critic->forward(batch, actions);
  return torch::tensor(rewards).to(state.device) +
         torch::tensor(discounts).to(state.device) * values;
}

double CriticStep(TorchState& state, const TorchBatch& batch, const Tensor& actions,
                  const Tensor& targets) {
  const Tensor loss = torch::smooth_l1_loss(state.critic->forward(batch, actions), targets);
  state.critic_optimiser.zero_grad();
  loss.backward();
  torch::nn::utils::clip_grad_norm_(state.critic->parameters(), state.options.ddpg.gradient_norm);
  state.critic_optimiser.step();
  return loss.item<double>();
}

double ActorStep(TorchState& state, const TorchBatch& batch,
                 std::span<const ExperiencedDecision* const> decisions) {
  const DdpgOptions& options = state.options.ddpg;
  const Tensor raw = state.actor->Raw(batch.features);
  const Tensor value = state.critic->forward(batch, torch::tanh(raw)).mean();
  const Tensor flat = ((raw.abs() - 2).clamp_min(0).square() * batch.mask.unsqueeze(2)).sum() /
                      batch.mask.sum().clamp_min(1);
  Tensor loss = kFlatPenalty * flat - value;
  if (options.anchor > 0) loss = loss + options.anchor * ImitationLoss(raw, decisions);
  state.actor_optimiser.zero_grad();
  loss.backward();  // the critic's gradients are not used: its next step clears them
  torch::nn::utils::clip_grad_norm_(state.actor->parameters(), options.gradient_norm);
  state.actor_optimiser.step();
  return value.item<double>();
}

}  // namespace

DdpgFigures DdpgStep(TorchState& state, std::span<const Transition> transitions) {
  std::vector<const ExperiencedDecision*> decisions;
  for (const Transition& transition : transitions) decisions.push_back(transition.decision);
  const Tensor targets = Targets(state, transitions);
  const TorchBatch batch = PackFeatures(decisions, state.shape.features, state.device);
  const Tensor actions = PackActions(decisions, state.shape.outputs, state.device);
  DdpgFigures figures;
  figures.critic_loss = CriticStep(state, batch, actions, targets);
  if (++state.ddpg_steps > state.options.ddpg.critic_first) {
    figures.value = ActorStep(state, batch, decisions);
    Follow(*state.actor, *state.target_actor, state.options.ddpg.polyak);
  }
  Follow(*state.critic, *state.target_critic, state.options.ddpg.polyak);
  return figures;
}

}  // namespace fairlead
