// Inputs brought to mean 0 and deviation 1, as learners want them that compare inputs with each
// other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/regression/regressor.h"

namespace fairlead {

// Lists of numbers as words in a text, exactly: what is written is what is read.

// "name 3 0.5 1 2\n"
void WriteNumbers(std::string& text, std::string_view name, const std::vector<float>& numbers);
void WriteWholes(std::string& text, std::string_view name,
                 const std::vector<std::uint32_t>& wholes);

class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : rest_(text) {}

  // The line that must come next, with that name. Numbers are finite.
  Result<std::vector<float>> Numbers(std::string_view name);
  Result<std::vector<std::uint32_t>> Wholes(std::string_view name);
  // Nothing is left.
  Status End() const;

 private:
  std::string_view Word();
  Result<std::size_t> Head(std::string_view name);
  Status EndOfLine(std::string_view name) const;

  std::string_view rest_;
};

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
