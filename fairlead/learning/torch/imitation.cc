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
//
// A teacher that is a function of single rows says what it gives for each of them. Then the loss is
// the mean of Huber's between that and u, with the same weights, instead: an order alone teaches
// slowly what a hundredth of an indicator is worth, since most pairs of rows are in the right order
// whatever that is.
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

constexpr double kLeastPart = 0.02;  // of the learning rate, at the end

double WeightOf(std::size_t place) { return 1 / (1 + static_cast<double>(place) / kPlaces); }

// Against what the teacher gives for rows.
Tensor ValueLoss(const Tensor& raw, std::span<const ExperiencedDecision* const> decisions) {
  const auto count = static_cast<std::int64_t>(decisions.size());
  const std::int64_t rows = raw.size(1);
  Tensor values = torch::zeros({count, rows});
  Tensor given = torch::zeros({count, rows});
  for (std::int64_t i = 0; i < count; ++i) {
    const ExperiencedDecision& decision = *decisions[static_cast<std::size_t>(i)];
    std::ranges::copy(decision.values, values.data_ptr<float>() + i * rows);
    for (std::size_t j = 0; j < decision.values.size(); ++j)
      given.data_ptr<float>()[i * rows + decision.teacher[j]] = static_cast<float>(WeightOf(j));
  }
  values = values.to(raw.device());
  given = given.to(raw.device());
  constexpr double kQuadratic = 0.5;  // beyond, errors count by their size: steps of the teacher
  const Tensor away =
      torch::smooth_l1_loss(raw.select(2, 0), values, torch::Reduction::None, kQuadratic);
  return (away * given).sum() / given.sum().clamp_min(1);
}

Tensor OrderLoss(const Tensor& raw, std::span<const ExperiencedDecision* const> decisions) {
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
      weight[j] = static_cast<float>(WeightOf(j));
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

}  // namespace

Tensor ImitationLoss(const Tensor& raw, std::span<const ExperiencedDecision* const> decisions) {
  const bool valued = std::ranges::all_of(decisions, [](const ExperiencedDecision* decision) {
    return decision->values.size() == decision->rows;
  });
  return valued ? ValueLoss(raw, decisions) : OrderLoss(raw, decisions);
}

double ImitationStep(TorchState& state, std::span<const ExperiencedDecision* const> decisions,
                     double progress) {
  const ImitationOptions& options = state.options.imitation;
  const double way = 0.5 - 0.5 * std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0));
  const double fallen = 1 - (1 - kLeastPart) * way;
  for (auto& group : state.imitation.param_groups())
    static_cast<torch::optim::AdamOptions&>(group.options()).lr(options.learning_rate * fallen);
  const TorchBatch batch = PackFeatures(decisions, state.shape.features, state.device);
  const Tensor raw = state.actor->Raw(batch.features);
  const Tensor loss = ImitationLoss(raw, decisions);
  const Tensor squares = raw.square() * batch.mask.unsqueeze(2) / batch.mask.sum().clamp_min(1);
  const bool valued = !decisions.empty() && !decisions.front()->values.empty();
  Tensor penalty = options.score_penalty * squares.slice(2, 1).sum();
  if (!valued) penalty = penalty + options.priority_penalty * squares.select(2, 0).sum();
  state.imitation.zero_grad();
  (loss + penalty).backward();
  torch::nn::utils::clip_grad_norm_(state.actor->parameters(), state.options.ddpg.gradient_norm);
  state.imitation.step();
  return loss.item<double>();
}

}  // namespace fairlead
