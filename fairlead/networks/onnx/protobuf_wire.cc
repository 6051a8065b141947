#include "fairlead/networks/onnx/protobuf_wire.h"

namespace fairlead {

std::optional<std::uint64_t> TakeVarint(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<WireField> TakeField(std::string_view& in) {
  const std::string_view begin = in;
  const auto tag = TakeVarint(in);
  if (!tag.has_value()) return std::nullopt;
  WireField field{.number = *tag >> 3, .type = static_cast<WireType>(*tag & 7)};
  const std::string_view after_tag = in;
  std::uint64_t length = 0;
  switch (field.type) {
    case WireType::kVarint:
      if (!TakeVarint(in).has_value()) return std::nullopt;
      field.contents = after_tag.substr(0, after_tag.size() - in.size());
      field.whole = begin.substr(0, begin.size() - in.size());
      return field;
    case WireType::kFixed64: length = 8; break;
    case WireType::kFixed32: length = 4; break;
    case WireType::kBytes: {
      const auto size = TakeVarint(in);
      if (!size.has_value()) return std::nullopt;
      length = *size;
      break;
    }
    default: return std::nullopt;  // groups: ONNX has none
  }
  if (length > in.size()) return std::nullopt;
  field.contents = in.substr(0, length);
  in.remove_prefix(length);
  field.whole = begin.substr(0, begin.size() - in.size());
  return field;
}

void PutBytes(std::string& out, std::uint64_t number, std::string_view contents) {
  const auto type = static_cast<std::uint64_t>(WireType::kBytes);
  for (std::uint64_t value : {number << 3 | type, std::uint64_t{contents.size()}}) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  out += contents;
}

}  // namespace fairlead
