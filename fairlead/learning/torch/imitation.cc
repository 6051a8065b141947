// Imitation: the actor is made to put rows in the order of a teacher.
//
// Every list policy here is an order and a placement, and the decoder has the placement already
// (scores of 0). So a teacher says for each decision the whole order of its rows, and the actor's
// raw priorities u are read as chances: the row that comes next is i with a chance of exp(u_i)
// against the sum over all rows that are left (Plackett and Luce's model). The loss is what the
// teacher's order costs in -log, place by place; early places count more, since accelerators are
// few:
//
//   loss = sum over places j of w_j (log sum over k >= j of exp(u_k) - u_j),   w_j = 1 / (1 + j /
//   4)
//
// divided by the sum of weights. What the actor can't see (an agreement's number of outcomes, say)
// it imitates on average.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "fairlead/learning/torch/learner.h"
#include "fairlead/learning/torch/torch_networks.h"

namespace fairlead {
namespace {

using torch::Tensor;

constexpr double kPlaces = 4;      // of the order that matter most: accelerators of a kind
constexpr double kNowhere = -1e4;  // the priority of a row that is not there

}  // namespace

Tensor ImitationLoss(const Tensor& raw, std::span<const ExperiencedDecision* const> decisions) {
  const auto count = static_cast<std::int64_t>(decisions.size());
  const std::int64_t rows = raw.size(1);
  Tensor order = torch::zeros({count, rows}, torch::kLong);
  Tensor weights = torch::zeros({count, rows});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<std::uint16_t>& teacher = decisions[static_cast<std::size_t>(i)]->teacher;
    std::int64_t* places = order.data_ptr<std::int64_t>() + i * rows;
    float* weight = weights.data_ptr<float>() + i * rows;
    for (std::size_t j = 0; j < teacher.size(); ++j) {
      places[j] = teacher[j];
      weight[j] = static_cast<float>(1 / (1 + static_cast<double>(j) / kPlaces));
    }
  }
  order = order.to(raw.device());
  weights = weights.to(raw.device());
  const Tensor there = weights > 0;
  const Tensor priorities =
      raw.select(2, 0).gather(1, order).masked_fill(there.logical_not(), kNowhere);
  const Tensor left = torch::logcumsumexp(priorities.flip({1}), 1).flip({1});
  const Tensor costs = torch::where(there, left - priorities, torch::zeros_like(left));
  return (weights * costs).sum() / weights.sum().clamp_min(1);
}

double ImitationStep(TorchState& state, std::span<const ExperiencedDecision* const> decisions,
                     double progress) {
  const ImitationOptions& options = state.options.imitation;
  const double fallen = 0.55 + 0.45 * std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0));
  for (auto& group : state.imitation.param_groups())
    static_cast<torch::optim::AdamOptions&>(group.options()).lr(options.learning_rate * fallen);
  const TorchBatch batch = PackFeatures(decisions, state.shape.features, state.device);
  const Tensor raw = state.actor->Raw(batch.features);
  const Tensor loss = ImitationLoss(raw, decisions);
  const Tensor squares = raw.square() * batch.mask.unsqueeze(2) / batch.mask.sum().clamp_min(1);
  const Tensor penalty = options.priority_penalty * squares.select(2, 0).sum() +
                         options.score_penalty * squares.slice(2, 1).sum();
  state.imitation.zero_grad();
  (loss + penalty).backward();
  torch::nn::utils::clip_grad_norm_(state.actor->parameters(), state.options.ddpg.gradient_norm);
  state.imitation.step();
  return loss.item<double>();
}

}  // namespace fairlead
