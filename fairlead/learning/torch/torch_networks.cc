#include "fairlead/learning/torch/torch_networks.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr int kValueHidden = 128;

torch::nn::GRUOptions Recurrent(int inputs, int hidden) {
  return torch::nn::GRUOptions(inputs, hidden).batch_first(true);
}

// decisions x rows x width, from `rows x width` numbers of each. Decisions have 17 rows on average
// and 64 at most: only what is there goes to the device, and is put in its place there.
template <typename NumbersOf>
torch::Tensor Pack(std::span<const ExperiencedDecision* const> decisions, int width,
                   torch::Device device, NumbersOf&& numbers_of) {
  std::int64_t longest = 1;
  std::int64_t all = 0;
  for (const ExperiencedDecision* decision : decisions) {
    longest = std::max<std::int64_t>(longest, decision->rows);
    all += decision->rows;
  }
  const auto count = static_cast<std::int64_t>(decisions.size());
  torch::Tensor there = torch::empty({all, width});
  torch::Tensor places = torch::empty({all}, torch::kLong);
  float* number = there.data_ptr<float>();
  std::int64_t* place = places.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const ExperiencedDecision& decision = *decisions[static_cast<std::size_t>(i)];
    number = std::ranges::copy(numbers_of(decision), number).out;
    for (std::int64_t row = 0; row < decision.rows; ++row) *place++ = i * longest + row;
  }
  torch::Tensor packed =
      torch::zeros({count * longest, width}, torch::TensorOptions().device(device));
  packed.index_copy_(0, places.to(device), there.to(device));
  return packed.view({count, longest, width});
}

}  // namespace

TorchBatch PackFeatures(std::span<const ExperiencedDecision* const> decisions, int features,
                        torch::Device device) {
  TorchBatch batch;
  batch.features = Pack(decisions, features, device,
                        [](const ExperiencedDecision& d) -> const auto& { return d.features; });
  const auto count = static_cast<std::int64_t>(decisions.size());
  torch::Tensor rows = torch::empty({count}, torch::kLong);
  for (std::int64_t i = 0; i < count; ++i)
    rows.data_ptr<std::int64_t>()[i] = decisions[static_cast<std::size_t>(i)]->rows;
  rows = rows.to(device);
  const auto longest = batch.features.size(1);
  const auto places = torch::arange(longest, torch::TensorOptions().device(device));
  batch.mask = (places.unsqueeze(0) < rows.unsqueeze(1)).to(torch::kFloat);
  batch.last = (rows - 1).clamp_min(0);
  return batch;
}

torch::Tensor PackActions(std::span<const ExperiencedDecision* const> decisions, int outputs,
                          torch::Device device) {
  return Pack(decisions, outputs, device,
              [](const ExperiencedDecision& d) -> const auto& { return d.actions; });
}

TorchActorImpl::TorchActorImpl(const ActorShape& shape) {
  gru = register_module("gru", torch::nn::GRU(Recurrent(shape.features, shape.hidden)));
  head = register_module("head", torch::nn::Linear(shape.hidden, shape.outputs));
  // Rows hardly remember those before them at first: most of what matters stands in the row itself.
  // Gates are r, z, n; the state is z of the former one and 1 - z of what is new.
  constexpr double kForgetful = -2;
  const torch::NoGradGuard no_gradient;
  gru->named_parameters()["bias_ih_l0"].slice(0, shape.hidden, 2 * shape.hidden).add_(kForgetful);
}

torch::Tensor TorchActorImpl::Raw(const torch::Tensor& features) {
  return head->forward(std::get<0>(gru->forward(features)));
}

TorchCriticImpl::TorchCriticImpl(const ActorShape& shape) {
  const int inputs = shape.features + shape.outputs;
  gru = register_module("gru", torch::nn::GRU(Recurrent(inputs, shape.hidden)));
  hidden = register_module("hidden", torch::nn::Linear(2 * shape.hidden + 1, kValueHidden));
  value = register_module("value", torch::nn::Linear(kValueHidden, 1));
}

torch::Tensor TorchCriticImpl::forward(const TorchBatch& batch, const torch::Tensor& actions) {
  const torch::Tensor mask = batch.mask.unsqueeze(2);
  const torch::Tensor inputs = torch::cat({batch.features, actions * mask}, 2);
  const torch::Tensor states = std::get<0>(gru->forward(inputs));
  const torch::Tensor rows = batch.mask.sum(1, true);
  const torch::Tensor mean = (states * mask).sum(1) / rows.clamp_min(1);
  const torch::Tensor last =
      states.gather(1, batch.last.view({-1, 1, 1}).expand({-1, 1, states.size(2)})).squeeze(1);
  // How many rows there are tells the load; 64 is the most that an encoder shows.
  const torch::Tensor both = torch::cat({mean, last, rows / 64}, 1);
  return value->forward(torch::relu(hidden->forward(both))).squeeze(1);
}

}  // namespace fairlead
