#include "fairlead/networks/onnx/protobuf_wire.h"

#include <cstdint>

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

namespace {

constexpr std::size_t kLargestKept = 1024;  // bytes; shapes and scales are needed

// The kinds of messages that lead to tensors, by the fields of onnx.proto.
enum class Message : std::uint8_t { kModel, kGraph, kNode, kAttribute, kTensor, kOther };

Message Inside(Message message, std::uint64_t field) {
  switch (message) {
    case Message::kModel: return field == 7 ? Message::kGraph : Message::kOther;
    case Message::kGraph:
      return field == 1 ? Message::kNode : field == 5 ? Message::kTensor : Message::kOther;
    case Message::kNode: return field == 5 ? Message::kAttribute : Message::kOther;
    case Message::kAttribute: return field == 5 ? Message::kTensor : Message::kOther;
    default: return Message::kOther;
  }
}

// float, int32, string, int64, raw, double and uint64 data.
bool IsData(std::uint64_t field) {
  return (field >= 4 && field <= 7) || (field >= 9 && field <= 11);
}

// Contents that are not packed come one element at a time: a kilobyte of them is kept, and the rest
// is left out, so that they no longer fit the dimensions and count as unknown.
bool Copy(Message message, std::string_view in, std::string& out) {
  std::size_t kept = 0;
  while (!in.empty()) {
    const auto field = TakeField(in);
    if (!field.has_value()) return false;
    const Message inside = Inside(message, field->number);
    if (message == Message::kTensor && IsData(field->number)) {
      kept += field->whole.size();
      if (kept <= kLargestKept) out += field->whole;
    } else if (inside == Message::kOther || field->type != WireType::kBytes) {
      out += field->whole;
    } else {
      std::string contents;
      if (!Copy(inside, field->contents, contents)) return false;
      PutBytes(out, field->number, contents);
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> WithoutWeights(std::string_view model) {
  std::string out;
  if (!Copy(Message::kModel, model, out)) return std::nullopt;
  return out;
}

}  // namespace fairlead
