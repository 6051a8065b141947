#include "fairlead/serving/load_inputs.h"

#include <cstring>
#include <utility>

namespace fairlead {

Result<TensorInfo> LoadInput(std::string name, std::string_view type,
                             std::vector<std::int64_t> shape) {
  const auto known = FindTensorType(type);
  if (!known.has_value() || ElementBytes(*known) == 0)
    return Fail("input '{}' is of type '{}', which cannot be made up", name, type);
  for (std::int64_t& extent : shape) extent = extent < 0 ? 1 : extent;
  if (!ElementCount(shape).has_value()) return Fail("input '{}' is too large", name);
  return TensorInfo{std::move(name), *known, std::move(shape)};
}

std::string MadeUpBytes(const TensorInfo& input) {
  const auto count = static_cast<std::size_t>(*ElementCount(input.shape));
  std::string bytes(count * ElementBytes(input.type), '\0');
  constexpr float kHalf = 0.5F;
  if (input.type != TensorType::kFp32) return bytes;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof kHalf)
    std::memcpy(bytes.data() + at, &kHalf, sizeof kHalf);
  return bytes;
}

}  // namespace fairlead
