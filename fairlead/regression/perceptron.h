// A network of two hidden layers, fitted by Adam (Kingma and Ba, 2015) on small batches.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/regression/scaling.h"

namespace fairlead {

// Weights stand input by input: row i has what input i adds to each output.
struct DenseLayer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;  // a multiple of 8, but for the last layer
  std::vector<float> weights;
  std::vector<float> biases;
};

class Perceptron final : public Regressor {
 public:
  static constexpr std::size_t kLayers = 3;
  static constexpr std::size_t kWidest = 256;
  Perceptron(Scaling scaling, std::array<DenseLayer, kLayers> layers);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  std::array<DenseLayer, kLayers> layers_;
};

std::unique_ptr<Regressor> FitPerceptron(const Examples& examples, const FitOptions& options);

}  // namespace fairlead
