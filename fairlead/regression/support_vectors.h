// Support vector regression with Gaussian kernels: base + the sum over examples of a weight and how
// near the input is. Errors within a tube cost nothing, so that many weights are 0.
//
// Fitted to a part of the examples (the kernel between all of them is kept in memory), by going
// over the weights in turn, each set to where the objective is least.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fairlead/regression/scaling.h"

namespace fairlead {

class SupportVectors final : public Regressor {
 public:
  SupportVectors(Scaling scaling, float base, float gamma, std::vector<float> points,
                 std::vector<float> weights);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  float base_;
  float gamma_;
  std::vector<float> points_;  // scaled, row by row
  std::vector<float> weights_;
};

std::unique_ptr<Regressor> FitSupportVectors(const Examples& examples, const FitOptions& options);

}  // namespace fairlead
