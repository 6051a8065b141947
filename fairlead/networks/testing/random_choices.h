// Choices of the usual kinds from one random stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {

class RandomChoices {
 public:
  explicit RandomChoices(const RandomStream& random) : random_(random) {}

  RandomStream& random() { return random_; }
  bool Chance(double probability) { return random_.Uniform() < probability; }
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(high - low + 1)));
  }
  float Real(double low, double high) {
    return static_cast<float>(low + (high - low) * random_.Uniform());
  }
  std::vector<float> Reals(std::int64_t count, double low, double high) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = Real(low, high);
    return values;
  }
  template <typename T, std::size_t n>
  T OneOf(const std::array<T, n>& choices) {
    return choices[random_.Below(n)];
  }

 private:
  RandomStream random_;
};

}  // namespace fairlead
