#include "fairlead/serving/tensor_conversion.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace fairlead {
namespace {

static_assert(std::endian::native == std::endian::little);

// What FP32 holds every whole number up to.
constexpr std::int64_t kLargestWhole = std::int64_t{1} << 24;

// Clients' bytes lie where they like.
template <typename Number>
Number ReadAt(std::span<const std::byte> bytes, std::size_t i) {
  Number number{};
  std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
  return number;
}

template <typename Number>
void Convert(std::span<const std::byte> bytes, std::span<float> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(ReadAt<Number>(bytes, i));
}

float FromHalf(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0) {  // zero, or below the normal ones
    const float size = static_cast<float>(mantissa) * 0x1p-24F;
    return sign == 0 ? size : -size;
  }
  const std::uint32_t bits =
      exponent == 0x1F ? 0x7F800000U | mantissa << 13 : (exponent + 112) << 23 | mantissa << 13;
  return std::bit_cast<float>(sign | bits);
}

float FromBrainFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <typename Number>
bool AllExact(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
    const auto number = ReadAt<Number>(bytes, i);
    if (number > static_cast<Number>(kLargestWhole)) return false;
    if constexpr (static_cast<Number>(-1) < 0) {
      if (number < static_cast<Number>(-kLargestWhole)) return false;
    }
  }
  return true;
}

bool AreExact(TensorType type, std::span<const std::byte> bytes) {
  switch (type) {
    case TensorType::kInt32: return AllExact<std::int32_t>(bytes);
    case TensorType::kUint32: return AllExact<std::uint32_t>(bytes);
    case TensorType::kInt64: return AllExact<std::int64_t>(bytes);
    case TensorType::kUint64: return AllExact<std::uint64_t>(bytes);
    default: return true;
  }
}

std::string Text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

bool Fits(std::span<const std::int64_t> wanted, std::span<const std::int64_t> shape) {
  return std::ranges::equal(wanted, shape) ||
         (!wanted.empty() && wanted.front() == 1 && std::ranges::equal(wanted.subspan(1), shape));
}

}  // namespace

Status CheckInput(const TensorInfo& wanted, const TensorData& tensor) {
  const TensorInfo& info = tensor.info;
  if (info.type == TensorType::kBytes)
    return Fail("input '{}' is of type BYTES, and the network takes numbers ({})", info.name,
                ToString(wanted.type));
  const auto elements = ElementCount(info.shape);
  if (!elements.has_value() || !Fits(wanted.shape, info.shape))
    return Fail("input '{}' has the shape {}, and the network takes {}", info.name,
                Text(info.shape), Text(wanted.shape));
  const std::size_t bytes = static_cast<std::size_t>(*elements) * ElementBytes(info.type);
  if (tensor.data.bytes.size() != bytes)
    return Fail("input '{}' has {} bytes, and {} of shape {} has {}", info.name,
                tensor.data.bytes.size(), ToString(info.type), Text(info.shape), bytes);
  if (!AreExact(info.type, tensor.data.bytes))
    return Fail(
        "input '{}' has numbers beyond {}, and the network takes FP32, which cannot hold "
        "them exactly",
        info.name, kLargestWhole);
  return {};
}

void WriteNumbers(TensorType type, std::span<const std::byte> bytes, std::span<float> numbers) {
  switch (type) {
    case TensorType::kFp32: std::memcpy(numbers.data(), bytes.data(), bytes.size()); break;
    case TensorType::kFp64: Convert<double>(bytes, numbers); break;
    case TensorType::kInt8: Convert<std::int8_t>(bytes, numbers); break;
    case TensorType::kInt16: Convert<std::int16_t>(bytes, numbers); break;
    case TensorType::kInt32: Convert<std::int32_t>(bytes, numbers); break;
    case TensorType::kInt64: Convert<std::int64_t>(bytes, numbers); break;
    case TensorType::kUint8: Convert<std::uint8_t>(bytes, numbers); break;
    case TensorType::kUint16: Convert<std::uint16_t>(bytes, numbers); break;
    case TensorType::kUint32: Convert<std::uint32_t>(bytes, numbers); break;
    case TensorType::kUint64: Convert<std::uint64_t>(bytes, numbers); break;
    case TensorType::kBool:
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = bytes[i] == std::byte{0} ? 0.0F : 1.0F;
      break;
    case TensorType::kFp16:
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = FromHalf(ReadAt<std::uint16_t>(bytes, i));
      break;
    case TensorType::kBf16:
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = FromBrainFloat(ReadAt<std::uint16_t>(bytes, i));
      break;
    case TensorType::kBytes: break;  // refused by the check
  }
}

}  // namespace fairlead
