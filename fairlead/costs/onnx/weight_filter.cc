#include "fairlead/costs/onnx/weight_filter.h"

#include <cstdint>

namespace fairlead {
namespace {

constexpr std::size_t kLargestKept = 1024;  // bytes; shapes and scales are needed

enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  std::uint64_t number = 0;
  std::uint8_t type = 0;
  std::string_view whole;     // tag included
  std::string_view contents;  // of kBytes
};

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

std::optional<Field> TakeField(std::string_view& in) {
  const std::string_view begin = in;
  const auto tag = TakeVarint(in);
  if (!tag.has_value()) return std::nullopt;
  Field field{.number = *tag >> 3, .type = static_cast<std::uint8_t>(*tag & 7)};
  std::uint64_t length = 0;
  switch (field.type) {
    case kVarint:
      if (!TakeVarint(in).has_value()) return std::nullopt;
      break;
    case kFixed64: length = 8; break;
    case kFixed32: length = 4; break;
    case kBytes: {
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
  for (std::uint64_t value : {number << 3 | kBytes, std::uint64_t{contents.size()}}) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  out += contents;
}

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
    } else if (inside == Message::kOther || field->type != kBytes) {
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
