#include "fairlead/networks/onnx/weight_filter.h"

#include <cstdint>

#include "fairlead/networks/onnx/protobuf_wire.h"

namespace fairlead {
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
