// The nearest examples, weighted by how near they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fairlead/regression/scaling.h"

namespace fairlead {

class NearestNeighbours final : public Regressor {
 public:
  NearestNeighbours(Scaling scaling, std::vector<float> points, std::vector<float> targets);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  std::vector<float> points_;  // scaled, row by row
  std::vector<float> targets_;
};

std::unique_ptr<Regressor> FitNeighbours(const Examples& examples, const FitOptions& options);

}  // namespace fairlead
