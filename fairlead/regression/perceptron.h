// A network of two hidden layers, fitted by Adam (Kingma and Ba, 2015) on small batches.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/regression/scaling.h"

namespace fairlead {

class Perceptron final : public Regressor {
 public:
  static constexpr std::size_t kLayers = 3;
  static constexpr std::size_t kWidest = 256;

  // Weights stand input by input: row i has what input i adds to each output.
  struct Layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;  // a multiple of 8, but for the last layer
    std::vector<float> weights;
    std::vector<float> biases;
  };

  Perceptron(Scaling scaling, std::array<Layer, kLayers> layers);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  std::array<Layer, kLayers> layers_;
};

std::unique_ptr<Regressor> FitPerceptron(const Examples& examples, const FitOptions& options);

}  // namespace fairlead
