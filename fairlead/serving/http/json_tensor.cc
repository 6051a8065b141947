#include "fairlead/serving/http/json_tensor.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <system_error>
#include <type_traits>
#include <vector>

#include "fairlead/serving/http/http_message.h"

namespace fairlead {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void Append(const T& value, Bytes& bytes) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <typename T>
bool TakeWhole(JsonReader& reader, Bytes& bytes) {
  std::string_view digits;
  if (!reader.TakeNumber(digits)) return false;
  T value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{} || end != digits.data() + digits.size())
    return reader.Wrong(fmt::format("'{}' is no whole number from {} to {}", digits,
                                    std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  Append(value, bytes);
  return true;
}

template <typename T>
bool TakeFloat(JsonReader& reader, Bytes& bytes) {
  std::string_view digits;
  if (!reader.TakeNumber(digits)) return false;
  T value = 0;
  const auto code = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
  if (code == std::errc::result_out_of_range) {
    // Too small is nearly nothing; too large is wrong.
    double wide = 0;
    const bool narrow =
        sizeof(T) < sizeof wide &&
        std::from_chars(digits.data(), digits.data() + digits.size(), wide).ec == std::errc{};
    const bool small = narrow
                           ? std::abs(wide) < 1
                           : digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
    if (!small) return reader.Wrong(fmt::format("'{}' is too large", digits));
    value = narrow ? static_cast<T>(wide) : T{0};
  }
  Append(value, bytes);
  return true;
}

bool TakeFlag(JsonReader& reader, Bytes& bytes) {
  bool value = false;
  if (reader.Next() == JsonReader::Kind::kNumber) {
    std::uint64_t number = 0;
    if (!reader.TakeUnsigned(number)) return false;
    if (number > 1) return reader.Wrong("expected true, false, 1 or 0");
    value = number == 1;
  } else if (!reader.TakeBool(value)) {
    return false;
  }
  bytes.push_back(std::byte{value});
  return true;
}

bool TakeBytes(JsonReader& reader, Bytes& bytes) {
  std::string text;
  if (!reader.TakeText(text)) return false;
  Append(static_cast<std::uint32_t>(text.size()), bytes);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  bytes.insert(bytes.end(), begin, begin + text.size());
  return true;
}

bool TakeElement(TensorType type, JsonReader& reader, Bytes& bytes) {
  switch (type) {
    case TensorType::kBool: return TakeFlag(reader, bytes);
    case TensorType::kUint8: return TakeWhole<std::uint8_t>(reader, bytes);
    case TensorType::kUint16: return TakeWhole<std::uint16_t>(reader, bytes);
    case TensorType::kUint32: return TakeWhole<std::uint32_t>(reader, bytes);
    case TensorType::kUint64: return TakeWhole<std::uint64_t>(reader, bytes);
    case TensorType::kInt8: return TakeWhole<std::int8_t>(reader, bytes);
    case TensorType::kInt16: return TakeWhole<std::int16_t>(reader, bytes);
    case TensorType::kInt32: return TakeWhole<std::int32_t>(reader, bytes);
    case TensorType::kInt64: return TakeWhole<std::int64_t>(reader, bytes);
    case TensorType::kFp32: return TakeFloat<float>(reader, bytes);
    case TensorType::kFp64: return TakeFloat<double>(reader, bytes);
    case TensorType::kBytes: return TakeBytes(reader, bytes);
    case TensorType::kFp16:
    case TensorType::kBf16: break;
  }
  return reader.Wrong(
      fmt::format("{} has no form in JSON; send it in binary form", ToString(type)));
}

// Elements in row-major order, however deep they stand; at most `count`.
bool TakeElements(TensorType type, std::int64_t count, JsonReader& reader, Bytes& bytes,
                  std::int64_t& taken) {
  for (reader.EnterList(); reader.NextItem();) {
    if (reader.Next() == JsonReader::Kind::kList) {
      TakeElements(type, count, reader, bytes, taken);
    } else if (taken++ == count) {
      reader.Wrong(fmt::format("more elements than the {} of its shape", count));
    } else {
      TakeElement(type, reader, bytes);
    }
  }
  return reader.good();
}

template <typename T>
Status AppendNumbers(const TensorData& tensor, std::string& json) {
  auto out = std::back_inserter(json);
  const std::span<const std::byte> bytes = tensor.data.bytes;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value))
        return Fail(
            "output '{}' has values that are not finite, which JSON cannot say; ask for "
            "binary_data",
            tensor.info.name);
    }
    if (at > 0) json += ',';
    fmt::format_to(out, "{}", value);
  }
  return {};
}

void AppendFlags(const TensorData& tensor, std::string& json) {
  for (std::size_t i = 0; i < tensor.data.bytes.size(); ++i) {
    if (i > 0) json += ',';
    json += tensor.data.bytes[i] != std::byte{0} ? "true" : "false";
  }
}

void AppendTexts(const TensorData& tensor, std::string& json) {
  std::span<const std::byte> rest = tensor.data.bytes;
  while (rest.size() >= sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    rest = rest.subspan(sizeof size);
    const std::size_t length = std::min<std::size_t>(size, rest.size());
    if (json.back() != '[') json += ',';
    json += JsonText({reinterpret_cast<const char*>(rest.data()), length});
    rest = rest.subspan(length);
  }
}

Status AppendElements(const TensorData& tensor, std::string& json) {
  switch (tensor.info.type) {
    case TensorType::kBool: AppendFlags(tensor, json); return {};
    case TensorType::kUint8: return AppendNumbers<std::uint8_t>(tensor, json);
    case TensorType::kUint16: return AppendNumbers<std::uint16_t>(tensor, json);
    case TensorType::kUint32: return AppendNumbers<std::uint32_t>(tensor, json);
    case TensorType::kUint64: return AppendNumbers<std::uint64_t>(tensor, json);
    case TensorType::kInt8: return AppendNumbers<std::int8_t>(tensor, json);
    case TensorType::kInt16: return AppendNumbers<std::int16_t>(tensor, json);
    case TensorType::kInt32: return AppendNumbers<std::int32_t>(tensor, json);
    case TensorType::kInt64: return AppendNumbers<std::int64_t>(tensor, json);
    case TensorType::kFp32: return AppendNumbers<float>(tensor, json);
    case TensorType::kFp64: return AppendNumbers<double>(tensor, json);
    case TensorType::kBytes: AppendTexts(tensor, json); return {};
    case TensorType::kFp16:
    case TensorType::kBf16: break;
  }
  return Fail("output '{}' is {}, which has no form in JSON; ask for binary_data", tensor.info.name,
              ToString(tensor.info.type));
}

}  // namespace

Result<SharedBytes> TensorFromJson(const TensorInfo& info, std::string_view text,
                                   std::size_t origin) {
  const auto count = ElementCount(info.shape);
  if (!count.has_value()) return Fail("its shape has no number of elements");
  JsonReader reader(text, origin);
  const auto bytes = std::make_shared<Bytes>();
  // No more than the text can have, whatever the shape says: each element has a comma.
  const auto most = static_cast<std::int64_t>(text.size() / 2 + 1);
  bytes->reserve(static_cast<std::size_t>(std::min(*count, most)) * ElementBytes(info.type));
  std::int64_t taken = 0;
  TakeElements(info.type, *count, reader, *bytes, taken);
  RETURN_IF_ERROR(reader.status());
  if (taken != *count) return Fail("it has {} elements, its shape {}", taken, *count);
  return SharedBytes{.owner = bytes, .bytes = *bytes};
}

Status AppendTensorJson(const TensorData& tensor, std::string& json) {
  json += '[';
  RETURN_IF_ERROR(AppendElements(tensor, json));
  json += ']';
  return {};
}

bool AreTexts(std::span<const std::byte> bytes, std::int64_t count) {
  for (; count > 0; --count) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof size) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes = bytes.subspan(sizeof size);
    if (bytes.size() < size) return false;
    bytes = bytes.subspan(size);
  }
  return bytes.empty();
}

}  // namespace fairlead
