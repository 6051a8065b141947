// Inputs brought to mean 0 and deviation 1, as learners want them that compare inputs with each
// other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fairlead/regression/numbers.h"
#include "fairlead/regression/regressor.h"

namespace fairlead {

class Scaling {
 public:
  explicit Scaling(const Examples& examples);
  Scaling(std::vector<float> means, std::vector<float> factors)
      : means_(std::move(means)), factors_(std::move(factors)) {}
  static Result<Scaling> Read(std::size_t width, NumberReader& reader);

  std::size_t width() const { return means_.size(); }
  // Inputs outside of what was seen by far are taken to its edge.
  void Apply(std::span<const float> input, std::span<float> scaled) const;
  void Write(std::string& text) const;

 private:
  std::vector<float> means_;
  std::vector<float> factors_;  // 0 for inputs that never change
};

}  // namespace fairlead
