#include "fairlead/serving/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "fairlead/serving/tensor_conversion.h"

namespace fairlead {
namespace {

void AppendText(std::string_view text, std::vector<std::byte>& bytes) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const auto length = std::as_bytes(std::span(&size, 1));
  bytes.insert(bytes.end(), length.begin(), length.end());
  const auto letters = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), letters.begin(), letters.end());
}

void AppendHighest(std::span<const float> numbers, std::size_t count,
                   std::vector<std::byte>& bytes) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto above = [&](std::size_t a, std::size_t b) {
    const bool is_number = !std::isnan(numbers[a]);
    if (is_number != !std::isnan(numbers[b])) return is_number;
    if (is_number && numbers[a] != numbers[b]) return numbers[a] > numbers[b];
    return a < b;
  };
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(order.begin(), end, order.end(), above);
  for (auto index = order.begin(); index != end; ++index)
    AppendText(fmt::format("{}:{}", numbers[*index], *index), bytes);
}

}  // namespace

TensorData HighestOf(const TensorData& output, std::size_t count, bool stacked) {
  const TensorInfo& info = output.info;
  if (info.type == TensorType::kBytes) return output;
  const std::size_t elements = output.data.bytes.size() / ElementBytes(info.type);
  std::vector<float> numbers(elements);
  if (elements > 0) WriteNumbers(info.type, output.data.bytes, numbers);
  const bool several = stacked && !info.shape.empty() && info.shape.front() > 0;
  const std::size_t samples = several ? static_cast<std::size_t>(info.shape.front()) : 1;
  const std::size_t each = elements / samples;
  const std::size_t classes = std::min(count, each);
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  for (std::size_t sample = 0; classes > 0 && sample < samples; ++sample)
    AppendHighest(std::span(numbers).subspan(sample * each, each), classes, *bytes);
  TensorInfo made{.name = info.name, .type = TensorType::kBytes, .shape = {}};
  if (several) made.shape.push_back(static_cast<std::int64_t>(samples));
  made.shape.push_back(static_cast<std::int64_t>(classes));
  return {.info = std::move(made), .data = {.owner = bytes, .bytes = *bytes}};
}

}  // namespace fairlead
