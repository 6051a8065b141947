#include "fairlead/regression/scaling.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fairlead {

void WriteNumbers(std::string& text, std::string_view name, const std::vector<float>& numbers) {
  fmt::format_to(std::back_inserter(text), "{} {}", name, numbers.size());
  for (const float number : numbers) fmt::format_to(std::back_inserter(text), " {}", number);
  text += '\n';
}

void WriteWholes(std::string& text, std::string_view name,
                 const std::vector<std::uint32_t>& wholes) {
  fmt::format_to(std::back_inserter(text), "{} {}", name, wholes.size());
  for (const std::uint32_t whole : wholes) fmt::format_to(std::back_inserter(text), " {}", whole);
  text += '\n';
}

std::string_view NumberReader::Word() {
  const std::size_t begin = rest_.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return rest_ = {};
  rest_.remove_prefix(begin);
  const std::size_t end = std::min(rest_.find_first_of(" \n"), rest_.size());
  const std::string_view word = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return word;
}

namespace {

template <typename Number>
Result<Number> Parse(std::string_view word, std::string_view name) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    return Fail("'{}' among the numbers of '{}'", word, name);
  return number;
}

}  // namespace

Result<std::size_t> NumberReader::Head(std::string_view name) {
  const std::string_view found = Word();
  if (found != name) return Fail("'{}' where '{}' was expected", found, name);
  ASSIGN_OR_RETURN(const auto count, Parse<std::uint32_t>(Word(), name));
  if (count > rest_.size()) return Fail("the numbers of '{}' end too early", name);
  return std::size_t{count};
}

// A number whose last digits are cut off is a number still: the end of its line is not.
Status NumberReader::EndOfLine(std::string_view name) const {
  if (rest_.starts_with('\n')) return {};
  return Fail("the line of '{}' does not end after its numbers", name);
}

Result<std::vector<float>> NumberReader::Numbers(std::string_view name) {
  ASSIGN_OR_RETURN(const std::size_t count, Head(name));
  std::vector<float> numbers;
  numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const float number, Parse<float>(Word(), name));
    if (!std::isfinite(number)) return Fail("a number of '{}' is not finite", name);
    numbers.push_back(number);
  }
  RETURN_IF_ERROR(EndOfLine(name));
  return numbers;
}

Result<std::vector<std::uint32_t>> NumberReader::Wholes(std::string_view name) {
  ASSIGN_OR_RETURN(const std::size_t count, Head(name));
  std::vector<std::uint32_t> wholes;
  wholes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const auto whole, Parse<std::uint32_t>(Word(), name));
    wholes.push_back(whole);
  }
  RETURN_IF_ERROR(EndOfLine(name));
  return wholes;
}

Status NumberReader::End() const {
  if (rest_.find_first_not_of(" \n") == std::string_view::npos) return {};
  return Fail("more than was expected at the end");
}

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
