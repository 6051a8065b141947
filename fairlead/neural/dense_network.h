// Small networks of dense layers in plain C++, and their weights as text.
//
// Sums run in one order, row by row and column by column, in doubles: the same inputs give the same
// outputs in every build.
//
// The file, in words separated by blanks: `fairlead-network 1 NAME VERSION LAYERS`, then for each
// layer `dense INPUTS OUTPUTS none|tanh|relu|softmax`, its biases, and its weights output by
// output. NAME says what the inputs and outputs mean to whoever made them (an encoder's name),
// VERSION grows when that changes; who loads a file asks for both.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

enum class NeuronActivation : std::uint8_t { kNone, kTanh, kRelu, kSoftmax };

struct DenseLayer {
  int inputs = 0;
  int outputs = 0;
  NeuronActivation activation = NeuronActivation::kNone;
  std::vector<double> biases;
  std::vector<double> weights;  // outputs x inputs
};

struct DenseNetwork {
  std::string name;
  int version = 1;
  std::vector<DenseLayer> layers;

  int inputs() const { return layers.front().inputs; }
  int outputs() const { return layers.back().outputs; }
};

// Sizes fit and numbers are finite; at least one layer.
Status CheckNetwork(const DenseNetwork& network);

// What every layer puts out, the last one last; `values` keeps its room from call to call.
// `inputs` has as many numbers as the first layer takes.
void RunNetwork(const DenseNetwork& network, std::span<const double> inputs,
                std::vector<std::vector<double>>& values);

// `name` and `version` as they must be; an error says which were found.
Result<DenseNetwork> ParseNetwork(std::string_view text, std::string_view name, int version);
std::string FormatNetwork(const DenseNetwork& network);

}  // namespace fairlead
