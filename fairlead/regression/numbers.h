// Lists of numbers as words in a text, exactly: what is written is what is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

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

}  // namespace fairlead
