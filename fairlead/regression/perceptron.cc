#include "fairlead/regression/perceptron.h"

#include <algorithm>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

// Sums in groups of eight that stay in registers.
void Forward(const Perceptron::Layer& layer, const float* in, float* out, bool last) {
  constexpr std::size_t kGroup = 8;
  if (last) {
    float sum = layer.biases[0];
    for (std::size_t i = 0; i < layer.inputs; ++i) sum += layer.weights[i] * in[i];
    out[0] = sum;
    return;
  }
  for (std::size_t begin = 0; begin < layer.outputs; begin += kGroup) {
    std::array<float, kGroup> sums;
    std::copy_n(&layer.biases[begin], kGroup, sums.begin());
    const float* weights = &layer.weights[begin];
    for (std::size_t i = 0; i < layer.inputs; ++i, weights += layer.outputs) {
      for (std::size_t k = 0; k < kGroup; ++k) sums[k] += weights[k] * in[i];
    }
    for (std::size_t k = 0; k < kGroup; ++k) out[begin + k] = std::max(sums[k], 0.0F);
  }
}

}  // namespace

Perceptron::Perceptron(Scaling scaling, std::array<Layer, kLayers> layers)
    : scaling_(std::move(scaling)), layers_(std::move(layers)) {
  CHECK(scaling_.width() == layers_[0].inputs && layers_[2].outputs == 1);
  for (const Layer& layer : layers_) CHECK(layer.inputs <= kWidest);
}

float Perceptron::Predict(std::span<const float> input) const {
  std::array<float, kWidest> scaled;
  std::array<float, kWidest> first;
  std::array<float, kWidest> second;
  float out = 0;
  scaling_.Apply(input, scaled);
  Forward(layers_[0], scaled.data(), first.data(), false);
  Forward(layers_[1], first.data(), second.data(), false);
  Forward(layers_[2], second.data(), &out, true);
  return out;
}

void Perceptron::Write(std::string& text) const {
  scaling_.Write(text);
  for (const Layer& layer : layers_) {
    WriteNumbers(text, "weights", layer.weights);
    WriteNumbers(text, "biases", layer.biases);
  }
}

Result<std::unique_ptr<Regressor>> Perceptron::Read(std::size_t width, std::string_view text) {
  NumberReader reader(text);
  ASSIGN_OR_RETURN(Scaling scaling, Scaling::Read(width, reader));
  std::array<Layer, kLayers> layers;
  std::size_t inputs = width;
  for (std::size_t l = 0; l < kLayers; ++l) {
    ASSIGN_OR_RETURN(layers[l].weights, reader.Numbers("weights"));
    ASSIGN_OR_RETURN(layers[l].biases, reader.Numbers("biases"));
    layers[l].inputs = inputs;
    layers[l].outputs = layers[l].biases.size();
    const bool last = l + 1 == kLayers;
    if (inputs > kWidest || layers[l].weights.size() != inputs * layers[l].outputs ||
        (last ? layers[l].outputs != 1 : layers[l].outputs == 0 || layers[l].outputs % 8 != 0))
      return Fail("layer {} has {} weights and {} biases for {} inputs", l,
                  layers[l].weights.size(), layers[l].biases.size(), inputs);
    inputs = layers[l].outputs;
  }
  RETURN_IF_ERROR(reader.End());
  return std::unique_ptr<Regressor>(
      std::make_unique<Perceptron>(std::move(scaling), std::move(layers)));
}

}  // namespace fairlead
