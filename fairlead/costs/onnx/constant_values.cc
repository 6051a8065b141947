#include "fairlead/costs/onnx/constant_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace fairlead {
namespace {

using Numbers = std::vector<double>;

TensorInfo Vector(Numbers numbers, int type) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return {.dims = Dims{size},
          .type = type,
          .constant = true,
          .numbers = std::move(numbers),
          .stored = size};
}

TensorInfo Scalar(double number, int type) {
  TensorInfo info = Vector({number}, type);
  info.dims = Dims{};
  return info;
}

std::optional<TensorInfo> ConstantInfo(const onnx::NodeProto& node) {
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

TensorInfo ShapeInfo(const Operator& op, const Dims& dims) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  const std::int64_t start = Clamped(IntegerAttribute(op.node, "start", 0), rank);
  const std::int64_t end = Clamped(IntegerAttribute(op.node, "end", rank), rank);
  Numbers numbers;
  for (std::int64_t i = start; i < end; ++i)
    numbers.push_back(static_cast<double>(dims[static_cast<std::size_t>(i)]));
  return Vector(std::move(numbers), onnx::TensorProto::INT64);
}

std::optional<Numbers> Gather(const Operator& op) {
  const TensorInfo& data = *op.inputs[0];
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

std::optional<Numbers> Slice(const Operator& op) {
  const TensorInfo& data = *op.inputs[0];
  const auto starts = IntegersOf(op, "starts", 1);
  const auto ends = IntegersOf(op, "ends", 2);
  const auto steps = op.Input(4) == nullptr ? Dims{1} : IntegersOf(op, "steps", 4);
  if (!data.dims.has_value() || data.dims->size() != 1 || starts->size() != 1 ||
      ends->size() != 1 || *steps != Dims{1})
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(data.numbers->size());
  const std::int64_t start = Clamped(starts->front(), size);
  const std::int64_t end = std::max(start, Clamped(ends->front(), size));
  return Numbers(data.numbers->begin() + start, data.numbers->begin() + end);
}

std::optional<Numbers> Concat(const Operator& op) {
  Numbers joined;
  for (const TensorInfo* part : op.inputs) {
    if (!part->dims.has_value() || part->dims->size() != 1) return std::nullopt;
    joined.insert(joined.end(), part->numbers->begin(), part->numbers->end());
  }
  return joined;
}

std::optional<Numbers> Arithmetic(const Operator& op) {
  using Function = double (*)(double, double);
  static const std::unordered_map<std::string_view, Function> kFunctions = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Max", [](double a, double b) { return std::fmax(a, b); }},
      {"Min", [](double a, double b) { return std::fmin(a, b); }},
  };
  const auto function = kFunctions.find(op.node.op_type());
  if (function == kFunctions.end() || op.inputs.size() != 2) return std::nullopt;
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

std::optional<Numbers> Evaluate(const Operator& op) {
  const std::string& type = op.node.op_type();
  const Numbers& first = *op.inputs[0]->numbers;
  if (type == "Identity" || type == "Unsqueeze" || type == "Squeeze" || type == "Reshape")
    return first;
  if (type == "Gather" && op.inputs.size() == 2) return Gather(op);
  if (type == "Slice") return Slice(op);
  if (type == "Concat") return Concat(op);
  if (type == "Floor") return Rounded(first, [](double x) { return std::floor(x); });
  if (type == "Ceil") return Rounded(first, [](double x) { return std::ceil(x); });
  if (type == "Cast")
    return TypeOf(op) == onnx::TensorProto::INT64 || TypeOf(op) == onnx::TensorProto::INT32
               ? Rounded(first, [](double x) { return std::trunc(x); })
               : first;
  return Arithmetic(op);
}

}  // namespace

std::optional<TensorInfo> AnswerOf(const Operator& op) {
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
  const bool known = std::ranges::all_of(op.inputs, [](const TensorInfo* input) {
    return input == nullptr || input->numbers.has_value();
  });
  if (!known || op.inputs.empty() || op.inputs[0] == nullptr) return std::nullopt;
  if (std::ranges::count(op.inputs, nullptr) > 0 && op.node.op_type() != "Slice")
    return std::nullopt;
  auto numbers = Evaluate(op);
  if (!numbers.has_value() || static_cast<std::int64_t>(numbers->size()) != CountElements(dims))
    return std::nullopt;
  return numbers;
}

int TypeOf(const Operator& op) {
  const std::string& type = op.node.op_type();
  if (type == "Cast")
    return static_cast<int>(IntegerAttribute(op.node, "to", onnx::TensorProto::FLOAT));
  return op.Input(0) == nullptr ? onnx::TensorProto::FLOAT : op.Input(0)->type;
}

}  // namespace fairlead
