#include "fairlead/networks/onnx/stored_tensors.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "fairlead/networks/onnx/onnx_graph.h"

namespace fairlead {
namespace {

// Numbers of fields in onnx.proto.
constexpr std::uint64_t kModelGraph = 7;
constexpr std::uint64_t kGraphNode = 1;
constexpr std::uint64_t kGraphInitializer = 5;
constexpr std::uint64_t kNodeAttribute = 5;
constexpr std::uint64_t kAttributeName = 1;
constexpr std::uint64_t kAttributeTensor = 5;
constexpr std::uint64_t kTensorFloats = 4;
constexpr std::uint64_t kTensorInt32s = 5;
constexpr std::uint64_t kTensorRaw = 9;
constexpr std::uint64_t kTensorDoubles = 10;

float FromHalf(std::uint16_t bits) {
  const bool negative = (bits & 0x8000) != 0;
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  float value = 0;
  if (exponent == 0x1f) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return negative ? -value : value;
}

float FromBrain(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

template <typename T>
T Load(const char* from) {
  T value{};
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// How one type lies in a file: in raw_data with `width` bytes each, or in a field of its own.
struct Layout {
  std::size_t width = 0;
  std::uint64_t field = 0;
  float (*convert)(const char*) = nullptr;
  float (*from_bits)(std::uint16_t) = nullptr;  // of 16-bit types, whose field has varints
};

std::optional<Layout> LayoutOf(int type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return Layout{4, kTensorFloats, [](const char* at) { return Load<float>(at); }};
    case onnx::TensorProto::DOUBLE:
      return Layout{8, kTensorDoubles,
                    [](const char* at) { return static_cast<float>(Load<double>(at)); }};
    case onnx::TensorProto::FLOAT16:
      return Layout{2, kTensorInt32s,
                    [](const char* at) { return FromHalf(Load<std::uint16_t>(at)); }, &FromHalf};
    case onnx::TensorProto::BFLOAT16:
      return Layout{2, kTensorInt32s,
                    [](const char* at) { return FromBrain(Load<std::uint16_t>(at)); }, &FromBrain};
    default: return std::nullopt;
  }
}

// The numbers of a tensor, still in the file.
struct Pieces {
  std::optional<std::string_view> raw;
  std::vector<std::string_view> typed;
};

Result<Pieces> PiecesOf(std::string_view tensor, const Layout& layout) {
  Pieces pieces;
  while (!tensor.empty()) {
    const auto field = TakeField(tensor);
    if (!field.has_value()) return Fail("are cut off");
    if (field->number == kTensorRaw && field->type == WireType::kBytes) {
      pieces.raw = field->contents;
    } else if (field->number == layout.field) {
      pieces.typed.push_back(field->contents);
    }
  }
  return pieces;
}

std::size_t CountOf(const Pieces& pieces, const Layout& layout) {
  if (pieces.raw.has_value())
    return pieces.raw->size() % layout.width == 0 ? pieces.raw->size() / layout.width : 0;
  std::size_t count = 0;
  for (std::string_view piece : pieces.typed) {
    count += layout.from_bits != nullptr
                 ? static_cast<std::size_t>(std::ranges::count_if(
                       piece, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }))
                 : piece.size() / layout.width;
  }
  return count;
}

void AppendFixed(std::string_view piece, const Layout& layout, std::vector<float>& values) {
  for (std::size_t at = 0; at + layout.width <= piece.size(); at += layout.width)
    values.push_back(layout.convert(piece.data() + at));
}

}  // namespace

bool IsFloatType(int type) { return LayoutOf(type).has_value(); }

std::optional<StoredTensors> FindStoredTensors(std::string_view model) {
  StoredTensors stored;
  while (!model.empty()) {
    const auto part = TakeField(model);
    if (!part.has_value()) return std::nullopt;
    if (part->number != kModelGraph || part->type != WireType::kBytes) continue;
    std::string_view graph = part->contents;
    while (!graph.empty()) {
      const auto field = TakeField(graph);
      if (!field.has_value()) return std::nullopt;
      if (field->type != WireType::kBytes) continue;
      if (field->number == kGraphNode) stored.nodes.push_back(field->contents);
      if (field->number == kGraphInitializer) stored.initializers.push_back(field->contents);
    }
  }
  return stored;
}

std::string_view ValueInside(std::string_view node) {
  while (!node.empty()) {
    const auto field = TakeField(node);
    if (!field.has_value()) return {};
    if (field->number != kNodeAttribute || field->type != WireType::kBytes) continue;
    std::string_view attribute = field->contents;
    std::string_view name;
    std::string_view tensor;
    while (!attribute.empty()) {
      const auto part = TakeField(attribute);
      if (!part.has_value()) return {};
      if (part->number == kAttributeName) name = part->contents;
      if (part->number == kAttributeTensor && part->type == WireType::kBytes)
        tensor = part->contents;
    }
    if (name == "value") return tensor;
  }
  return {};
}

Result<std::vector<float>> ReadFloats(std::string_view tensor, int type, std::int64_t elements) {
  const auto layout = LayoutOf(type);
  if (!layout.has_value())
    return Fail("have numbers of ONNX's type {}; expected floating point", type);
  ASSIGN_OR_RETURN(const Pieces pieces, PiecesOf(tensor, *layout));
  const std::size_t count = CountOf(pieces, *layout);
  if (count != static_cast<std::size_t>(elements))
    return Fail("have {} numbers in the file; their dimensions ask for {}", count, elements);
  std::vector<float> values;
  values.reserve(count);
  if (pieces.raw.has_value()) {
    AppendFixed(*pieces.raw, *layout, values);
    return values;
  }
  for (std::string_view piece : pieces.typed) {
    if (layout->from_bits == nullptr) AppendFixed(piece, *layout, values);
    while (layout->from_bits != nullptr && !piece.empty()) {
      const auto bits = TakeVarint(piece);
      if (!bits.has_value()) return Fail("have numbers that are cut off");
      values.push_back(layout->from_bits(static_cast<std::uint16_t>(*bits)));
    }
  }
  return values;
}

}  // namespace fairlead
