#include "fairlead/serving/tensor_conversion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

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
Number ToWhole(float number) {
  using Limits = std::numeric_limits<Number>;
  if (std::isnan(number)) return 0;
  // The largest is not always a float, and the next one above it is.
  const double past = std::ldexp(1.0, Limits::digits);
  const double low = static_cast<double>(Limits::min());
  if (static_cast<double>(number) >= past) return Limits::max();
  if (static_cast<double>(number) <= low) return Limits::min();
  return static_cast<Number>(number);
}

std::uint8_t ToFlag(float number) { return number != 0 ? 1 : 0; }
double ToDouble(float number) { return static_cast<double>(number); }

// To the nearest, of two that are as near to the even one.
std::uint32_t RoundBits(std::uint32_t bits, int dropped) {
  const std::uint32_t half = 1U << (dropped - 1);
  const std::uint32_t rest = bits & ((1U << dropped) - 1);
  const std::uint32_t kept = bits >> dropped;
  return kept + (rest > half || (rest == half && (kept & 1U) != 0) ? 1 : 0);
}

std::uint16_t ToBrainFloat(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (std::isnan(number)) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>(RoundBits(bits, 16));
}

std::uint16_t ToHalf(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t size = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (size > 0x7F800000U) {
    half = 0x7E00U;                  // what is no number
  } else if (size >= 0x477FF000U) {  // rounds beyond 65504
    half = 0x7C00U;
  } else if (size >= 0x38800000U) {  // from 2^-14 on
    half = RoundBits(size - 0x38000000U, 13);
  } else {
    // In steps of 2^-24; adding makes the processor round to them.
    const float shifted = std::bit_cast<float>(size) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F);
  }
  return static_cast<std::uint16_t>(sign | half);
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
  if (std::ranges::equal(wanted, shape)) return true;
  if (wanted.empty() || std::abs(wanted.front()) != 1) return false;
  if (std::ranges::equal(wanted.subspan(1), shape)) return true;
  return wanted.front() == -1 && !shape.empty() && shape.front() == 1 &&
         std::ranges::equal(wanted.subspan(1), shape.subspan(1));
}

// Several samples of what is wanted: the other inputs do not have as many.
bool IsStack(std::span<const std::int64_t> wanted, std::span<const std::int64_t> shape) {
  return !wanted.empty() && wanted.front() == -1 && !shape.empty() && shape.front() > 1 &&
         std::ranges::equal(wanted.subspan(1), shape.subspan(1));
}

}  // namespace

Status CheckInput(const TensorInfo& wanted, const TensorData& tensor) {
  const TensorInfo& info = tensor.info;
  if (info.type == TensorType::kBytes)
    return Fail("input '{}' is of type BYTES, and the network takes numbers ({})", info.name,
                ToString(wanted.type));
  const auto elements = ElementCount(info.shape);
  if (!elements.has_value() || !Fits(wanted.shape, info.shape))
    return Fail("input '{}' has the shape {}, and the network takes {}{}", info.name,
                Text(info.shape), Text(wanted.shape),
                IsStack(wanted.shape, info.shape) ? ", as many samples of each input" : "");
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

SharedBytes BytesOf(TensorType type, std::span<const float> numbers) {
  const auto hand_out = [&]<typename Number>(Number (*convert)(float)) {
    auto made = std::make_shared_for_overwrite<Number[]>(numbers.size());
    std::ranges::transform(numbers, made.get(), convert);
    return SharedBytes{.owner = made,
                       .bytes = std::as_bytes(std::span(made.get(), numbers.size()))};
  };
  switch (type) {
    case TensorType::kInt8: return hand_out(&ToWhole<std::int8_t>);
    case TensorType::kInt16: return hand_out(&ToWhole<std::int16_t>);
    case TensorType::kInt32: return hand_out(&ToWhole<std::int32_t>);
    case TensorType::kInt64: return hand_out(&ToWhole<std::int64_t>);
    case TensorType::kUint8: return hand_out(&ToWhole<std::uint8_t>);
    case TensorType::kUint16: return hand_out(&ToWhole<std::uint16_t>);
    case TensorType::kUint32: return hand_out(&ToWhole<std::uint32_t>);
    case TensorType::kUint64: return hand_out(&ToWhole<std::uint64_t>);
    case TensorType::kBool: return hand_out(&ToFlag);
    case TensorType::kFp16: return hand_out(&ToHalf);
    case TensorType::kBf16: return hand_out(&ToBrainFloat);
    case TensorType::kFp64: return hand_out(&ToDouble);
    case TensorType::kFp32:
    case TensorType::kBytes: break;
  }
  auto copy = std::make_shared_for_overwrite<float[]>(numbers.size());
  std::ranges::copy(numbers, copy.get());
  return {.owner = copy, .bytes = std::as_bytes(std::span(copy.get(), numbers.size()))};
}

}  // namespace fairlead
