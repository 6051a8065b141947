#include "fairlead/networks/onnx/constant_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "fairlead/networks/onnx/moving_rules.h"

namespace fairlead {
namespace {

using Numbers = std::vector<double>;

OnnxTensorInfo Vector(Numbers numbers, int type) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return {.dims = Dims{size}, .type = type, .constant = true, .numbers = std::move(numbers)};
}

OnnxTensorInfo Scalar(double number, int type) {
  OnnxTensorInfo info = Vector({number}, type);
  info.dims = Dims{};
  return info;
}

std::optional<OnnxTensorInfo> ConstantInfo(const onnx::NodeProto& node) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value") return InfoOf(attribute.t());
    if (attribute.name() == "value_int")
      return Scalar(static_cast<double>(attribute.i()), onnx::TensorProto::INT64);
    if (attribute.name() == "value_float")
      return Scalar(static_cast<double>(attribute.f()), onnx::TensorProto::FLOAT);
    if (attribute.name() == "value_ints")
      return Vector({attribute.ints().begin(), attribute.ints().end()}, onnx::TensorProto::INT64);
    if (attribute.name() == "value_floats")
      return Vector({attribute.floats().begin(), attribute.floats().end()},
                    onnx::TensorProto::FLOAT);
  }
  return std::nullopt;
}

// A place counted from the end where negative, and brought into 0 to size.
std::int64_t Clamped(std::int64_t place, std::int64_t size) {
  return std::clamp<std::int64_t>(place < 0 ? place + size : place, 0, size);
}

OnnxTensorInfo ShapeInfo(const Operator& op, const Dims& dims) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  const std::int64_t start = Clamped(IntegerAttribute(op.node, "start", 0), rank);
  const std::int64_t end = Clamped(IntegerAttribute(op.node, "end", rank), rank);
  Numbers numbers;
  for (std::int64_t i = start; i < end; ++i)
    numbers.push_back(static_cast<double>(dims[static_cast<std::size_t>(i)]));
  return Vector(std::move(numbers), onnx::TensorProto::INT64);
}

std::optional<Numbers> GatheredNumbers(const Operator& op) {
  const OnnxTensorInfo& data = *op.inputs[0];
  if (!data.dims.has_value() || data.dims->size() != 1) return std::nullopt;
  Numbers gathered;
  for (double number : *op.inputs[1]->numbers) {
    const auto size = static_cast<std::int64_t>(data.numbers->size());
    const std::int64_t index = ToInteger(number) < 0 ? ToInteger(number) + size : ToInteger(number);
    if (index < 0 || index >= size) return std::nullopt;
    gathered.push_back((*data.numbers)[static_cast<std::size_t>(index)]);
  }
  return gathered;
}

// Of elements in order of rows: how far apart neighbours in each dimension lie.
Dims StridesOf(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * dims[i - 1];
  return strides;
}

// Walks `dims` in order of rows, and takes what lies at `offset` plus so many strides. Everything
// in reach is there.
Numbers Collect(const Numbers& numbers, std::int64_t offset, const Dims& strides,
                const Dims& dims) {
  Numbers collected;
  const std::int64_t count = CountElements(dims).value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = offset;
    std::int64_t rest = i;
    for (std::size_t d = dims.size(); d > 0; --d) {
      place += rest % dims[d - 1] * strides[d - 1];
      rest /= dims[d - 1];
    }
    collected.push_back(numbers[static_cast<std::size_t>(place)]);
  }
  return collected;
}

std::optional<Numbers> SliceNumbers(const Operator& op, const Dims& dims) {
  const auto ranges = SliceRanges(op);
  if (!ranges.has_value() || !ranges->has_value()) return std::nullopt;
  Dims strides = StridesOf(*op.inputs[0]->dims);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const SliceRange& range = (**ranges)[i];
    offset += range.start * strides[i];
    strides[i] *= range.size > 1 ? range.step : 0;
  }
  return Collect(*op.inputs[0]->numbers, offset, strides, dims);
}

std::optional<Numbers> Transpose(const Operator& op, const Dims& dims) {
  const Dims strides = StridesOf(*op.inputs[0]->dims);
  const Dims order = IntegersAttribute(op.node, "perm");
  Dims turned(strides.rbegin(), strides.rend());
  for (std::size_t i = 0; i < order.size(); ++i)
    turned[i] = strides[static_cast<std::size_t>(order[i])];
  return Collect(*op.inputs[0]->numbers, 0, turned, dims);
}

std::optional<Numbers> Where(const Operator& op) {
  const Numbers& choice = *op.inputs[0]->numbers;
  const Numbers& a = *op.inputs[1]->numbers;
  const Numbers& b = *op.inputs[2]->numbers;
  if (a.size() != choice.size() || b.size() != choice.size()) return std::nullopt;
  Numbers chosen;
  for (std::size_t i = 0; i < choice.size(); ++i) chosen.push_back(choice[i] != 0 ? a[i] : b[i]);
  return chosen;
}

// Zeros, unless another value is given.
Numbers Filled(const onnx::NodeProto& node, const Dims& dims) {
  double value = 0;
  if (const auto* attribute = FindAttribute(node, "value")) {
    const OnnxTensorInfo info = InfoOf(attribute->t());
    if (info.numbers.has_value() && !info.numbers->empty()) value = info.numbers->front();
  }
  return Numbers(static_cast<std::size_t>(CountElements(dims).value_or(0)), value);
}

std::optional<Numbers> JoinedNumbers(const Operator& op) {
  Numbers joined;
  for (const OnnxTensorInfo* part : op.inputs) {
    if (!part->dims.has_value() || part->dims->size() != 1) return std::nullopt;
    joined.insert(joined.end(), part->numbers->begin(), part->numbers->end());
  }
  return joined;
}

std::optional<Numbers> Arithmetic(const Operator& op) {
  using Function = double (*)(double, double);
  static const std::unordered_map<std::string_view, Function> functions = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {"Max", [](double a, double b) { return std::fmax(a, b); }},
      {"Min", [](double a, double b) { return std::fmin(a, b); }},
  };
  const auto function = functions.find(op.node.op_type());
  if (function == functions.end() || op.inputs.size() != 2) return std::nullopt;
  const Numbers& a = *op.inputs[0]->numbers;
  const Numbers& b = *op.inputs[1]->numbers;
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1))
    return std::nullopt;
  Numbers result;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const double value = function->second(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    result.push_back(op.inputs[0]->IsInteger() ? std::trunc(value) : value);
  }
  return result;
}

Numbers Rounded(Numbers numbers, double (*round)(double)) {
  for (double& number : numbers) number = round(number);
  return numbers;
}

std::optional<Numbers> Evaluate(const Operator& op, const Dims& dims) {
  const std::string& type = op.node.op_type();
  const Numbers& first = *op.inputs[0]->numbers;
  if (type == "Identity" || type == "Unsqueeze" || type == "Squeeze" || type == "Reshape")
    return first;
  if (type == "Gather" && op.inputs.size() == 2) return GatheredNumbers(op);
  if (type == "Slice") return SliceNumbers(op, dims);
  if (type == "Transpose") return Transpose(op, dims);
  if (type == "Where" && op.inputs.size() == 3) return Where(op);
  if (type == "ConstantOfShape") return Filled(op.node, dims);
  if (type == "Concat") return JoinedNumbers(op);
  if (type == "Floor") return Rounded(first, [](double x) { return std::floor(x); });
  if (type == "Ceil") return Rounded(first, [](double x) { return std::ceil(x); });
  if (type == "Cast")
    return TypeOf(op) == onnx::TensorProto::INT64 || TypeOf(op) == onnx::TensorProto::INT32
               ? Rounded(first, [](double x) { return std::trunc(x); })
               : first;
  return Arithmetic(op);
}

}  // namespace

std::optional<OnnxTensorInfo> AnswerOf(const Operator& op) {
  const std::string& type = op.node.op_type();
  if (type == "Constant") return ConstantInfo(op.node);
  const Dims* dims = op.InputDims(0);
  if (dims == nullptr) return std::nullopt;
  if (type == "Shape") return ShapeInfo(op, *dims);
  if (type == "Size")
    return Scalar(static_cast<double>(CountElements(*dims).value_or(0)), onnx::TensorProto::INT64);
  return std::nullopt;
}

std::optional<std::vector<double>> EvaluateNumbers(const Operator& op, const Dims& dims) {
  const bool known = std::ranges::all_of(op.inputs, [](const OnnxTensorInfo* input) {
    return input == nullptr || input->numbers.has_value();
  });
  if (!known || op.inputs.empty() || op.inputs[0] == nullptr) return std::nullopt;
  if (std::ranges::count(op.inputs, nullptr) > 0 && op.node.op_type() != "Slice")
    return std::nullopt;
  if (CountElements(dims).value_or(kMostNumbers + 1) > kMostNumbers) return std::nullopt;
  auto numbers = Evaluate(op, dims);
  if (!numbers.has_value() || static_cast<std::int64_t>(numbers->size()) != CountElements(dims))
    return std::nullopt;
  return numbers;
}

int TypeOf(const Operator& op) {
  const std::string& type = op.node.op_type();
  if (type == "Cast")
    return static_cast<int>(IntegerAttribute(op.node, "to", onnx::TensorProto::FLOAT));
  if (type == "Where" && op.Input(1) != nullptr) return op.Input(1)->type;
  if (type == "ConstantOfShape") {
    const auto* value = FindAttribute(op.node, "value");
    return value == nullptr ? onnx::TensorProto::FLOAT : value->t().data_type();
  }
  return op.Input(0) == nullptr ? onnx::TensorProto::FLOAT : op.Input(0)->type;
}

}  // namespace fairlead
