// Tensors as clients send and get them: types by the names of the Open Inference Protocol, bytes
// that are shared and not copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

enum class TensorType : std::uint8_t {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kBytes,
};

// By TensorType.
inline constexpr std::array<std::string_view, 14> kTensorTypeNames = {
    "BOOL",  "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16",
    "INT32", "INT64", "FP16",   "BF16",   "FP32",   "FP64", "BYTES"};

constexpr std::string_view ToString(TensorType type) {
  return kTensorTypeNames[static_cast<std::size_t>(type)];
}
std::optional<TensorType> FindTensorType(std::string_view name);

// The bytes of one element; 0: it differs (kBytes).
std::size_t ElementBytes(TensorType type);

// The number of elements of a shape; none where a dimension is below 0, or where nobody could have
// so many.
std::optional<std::int64_t> ElementCount(std::span<const std::int64_t> shape);

struct TensorInfo {
  std::string name;
  TensorType type = TensorType::kFp32;
  std::vector<std::int64_t> shape;  // the batch first; -1: any number of samples

  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

// Any number of samples may come first.
bool HasOpenBatch(const TensorInfo& tensor);
// As configurations have it: without the batch in front where that is open.
std::vector<std::int64_t> ConfigShape(const TensorInfo& tensor);
// Whether a sample looks like a picture, whose channels come first: one or three, rows, columns.
bool IsPicture(const TensorInfo& tensor);

// Bytes, and what keeps them: a request's body, a message, a result.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

// Row-major, little-endian. An element of kBytes has its length before it, in four bytes.
struct TensorData {
  TensorInfo info;
  SharedBytes data;
};

}  // namespace fairlead
