#include "fairlead/neural/gru.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/check.h"
#include "fairlead/neural/gru_kernel.h"

namespace fairlead {
namespace {

constexpr std::size_t kGates = 3;

std::size_t RoundUp(std::size_t number, std::size_t to) { return (number + to - 1) / to * to; }

}  // namespace

Status CheckGru(const GruNetwork& network) {
  if (network.inputs < 1 || network.hidden < 1 || network.outputs < 1)
    return Fail("network '{}' has {} inputs, {} hidden units and {} outputs", network.name,
                network.inputs, network.hidden, network.outputs);
  const auto inputs = static_cast<std::size_t>(network.inputs);
  const auto hidden = static_cast<std::size_t>(network.hidden);
  const auto outputs = static_cast<std::size_t>(network.outputs);
  if (network.input_weights.size() != kGates * hidden * inputs ||
      network.hidden_weights.size() != kGates * hidden * hidden ||
      network.input_biases.size() != kGates * hidden ||
      network.hidden_biases.size() != kGates * hidden ||
      network.head_weights.size() != outputs * hidden || network.head_biases.size() != outputs)
    return Fail(
        "network '{}': its weights are not as many as {} inputs, {} hidden units and {} "
        "outputs need",
        network.name, inputs, hidden, outputs);
  for (const auto* numbers :
       {&network.input_weights, &network.hidden_weights, &network.input_biases,
        &network.hidden_biases, &network.head_weights, &network.head_biases}) {
    if (!std::ranges::all_of(*numbers, [](float number) { return std::isfinite(number); }))
      return Fail("network '{}' has a weight that is no number", network.name);
  }
  return {};
}

// `groups` matrices that stand one behind the other, each padded to whole blocks of `block`.
GruRunner::Matrix GruRunner::Arrange(std::span<const float> weights, std::span<const float> biases,
                                     const Shape& shape) {
  const std::size_t outputs = biases.size() / shape.groups;
  const std::size_t padded = RoundUp(outputs, shape.block);
  Matrix matrix{.inputs = shape.inputs,
                .outputs = shape.groups * padded,
                .weights = std::vector<float>(shape.groups * padded * shape.inputs),
                .biases = std::vector<float>(shape.groups * padded)};
  for (std::size_t o = 0; o < biases.size(); ++o) {
    const std::size_t at = o / outputs * padded + o % outputs;
    matrix.biases[at] = biases[o];
    float* const block = &matrix.weights[at / shape.block * shape.block * shape.inputs];
    for (std::size_t i = 0; i < shape.inputs; ++i)
      block[i * shape.block + at % shape.block] = weights[o * shape.inputs + i];
  }
  return matrix;
}

GruRunner::GruRunner(const GruNetwork& network, VectorCode code)
    : code_(code),
      inputs_(static_cast<std::size_t>(network.inputs)),
      outputs_(static_cast<std::size_t>(network.outputs)),
      hidden_(static_cast<std::size_t>(network.hidden)),
      padded_(RoundUp(hidden_, kGruBlock)),
      input_(Arrange(network.input_weights, network.input_biases, {inputs_, kGates, kGruBlock})),
      recurrent_(
          Arrange(network.hidden_weights, network.hidden_biases, {hidden_, kGates, kGruBlock})),
      head_(Arrange(network.head_weights, network.head_biases, {hidden_, 1, kGruLanes})),
      scratch_(3 * kGates * padded_ + padded_ + head_.outputs) {
  CHECK(CanRun(code));
}

void GruRunner::Run(std::span<const float> shared, std::span<const float> rows, std::size_t steps,
                    std::span<float> outputs) {
  CHECK(shared.size() <= inputs_ && rows.size() == steps * (inputs_ - shared.size()) &&
        outputs.size() == steps * outputs_);
  float* const scratch = scratch_.data();
  const std::size_t gates = kGates * padded_;
  RunGru({.input = {input_.weights.data(), input_.inputs, input_.outputs},
          .input_biases = input_.biases.data(),
          .shared = shared.data(),
          .shared_inputs = shared.size(),
          .rows = rows.data(),
          .steps = steps,
          .recurrent = {recurrent_.weights.data(), recurrent_.inputs, recurrent_.outputs},
          .recurrent_biases = recurrent_.biases.data(),
          .head = {head_.weights.data(), head_.inputs, head_.outputs},
          .head_biases = head_.biases.data(),
          .outputs = outputs_,
          .hidden = padded_,
          .shared_sums = scratch,
          .input_sums = scratch + gates,
          .gates = scratch + 2 * gates,
          .state = scratch + 3 * gates,
          .head_sums = scratch + 3 * gates + padded_,
          .answers = outputs.data()},
         code_);
}

}  // namespace fairlead
