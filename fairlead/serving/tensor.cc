#include "fairlead/serving/tensor.h"

#include <algorithm>

namespace fairlead {

std::optional<TensorType> FindTensorType(std::string_view name) {
  const auto* const found = std::ranges::find(kTensorTypeNames, name);
  if (found == kTensorTypeNames.end()) return std::nullopt;
  return static_cast<TensorType>(found - kTensorTypeNames.begin());
}

std::size_t ElementBytes(TensorType type) {
  switch (type) {
    case TensorType::kBool:
    case TensorType::kUint8:
    case TensorType::kInt8: return 1;
    case TensorType::kUint16:
    case TensorType::kInt16:
    case TensorType::kFp16:
    case TensorType::kBf16: return 2;
    case TensorType::kUint32:
    case TensorType::kInt32:
    case TensorType::kFp32: return 4;
    case TensorType::kUint64:
    case TensorType::kInt64:
    case TensorType::kFp64: return 8;
    case TensorType::kBytes: return 0;
  }
  return 0;
}

std::optional<std::int64_t> ElementCount(std::span<const std::int64_t> shape) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (count > 0 && size > kMostElements / count)) return std::nullopt;
    count *= size;
  }
  return count;
}

bool HasOpenBatch(const TensorInfo& tensor) {
  return !tensor.shape.empty() && tensor.shape.front() == -1;
}

std::vector<std::int64_t> ConfigShape(const TensorInfo& tensor) {
  if (!HasOpenBatch(tensor)) return tensor.shape;
  return {tensor.shape.begin() + 1, tensor.shape.end()};
}

bool IsPicture(const TensorInfo& tensor) {
  const std::vector<std::int64_t> sample = ConfigShape(tensor);
  return sample.size() == 3 && (sample.front() == 1 || sample.front() == 3);
}

}  // namespace fairlead
