#include "fairlead/regression/scaling.h"

#include <algorithm>
#include <cmath>

namespace fairlead {
namespace {

constexpr float kFarthest = 4;

}  // namespace

Scaling::Scaling(const Examples& examples) : means_(examples.width), factors_(examples.width) {
  const auto rows = static_cast<double>(examples.size());
  for (std::size_t input = 0; input < examples.width; ++input) {
    double sum = 0;
    for (std::size_t row = 0; row < examples.size(); ++row) sum += double{examples.Row(row)[input]};
    const double mean = sum / rows;
    double squares = 0;
    for (std::size_t row = 0; row < examples.size(); ++row)
      squares += std::pow(double{examples.Row(row)[input]} - mean, 2);
    const double deviation = std::sqrt(squares / rows);
    means_[input] = static_cast<float>(mean);
    factors_[input] = deviation > 1e-6 ? static_cast<float>(1 / deviation) : 0;
  }
}

Result<Scaling> Scaling::Read(std::size_t width, NumberReader& reader) {
  ASSIGN_OR_RETURN(std::vector<float> means, reader.Numbers("means"));
  ASSIGN_OR_RETURN(std::vector<float> factors, reader.Numbers("factors"));
  if (means.size() != width || factors.size() != width)
    return Fail("{} means and {} factors for {} inputs", means.size(), factors.size(), width);
  return Scaling(std::move(means), std::move(factors));
}

void Scaling::Apply(std::span<const float> input, std::span<float> scaled) const {
  for (std::size_t i = 0; i < means_.size(); ++i)
    scaled[i] = std::clamp((input[i] - means_[i]) * factors_[i], -kFarthest, kFarthest);
}

void Scaling::Write(std::string& text) const {
  WriteNumbers(text, "means", means_);
  WriteNumbers(text, "factors", factors_);
}

}  // namespace fairlead
