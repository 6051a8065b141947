#include "fairlead/networks/onnx/tensor_inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {
namespace {

// The arithmetic on shapes that exporters leave in a graph, carried out.

// The type of an operator's outputs, as far as arithmetic on shapes needs it.
int TypeOf(const Operator& op);

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

// What a Constant holds, or a Shape or Size answers. None for other operators, and where it is not
// known.
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

// Of an operator on constants: the contents of its only output, where they follow from the inputs'
// and are few. `dims` are the output's.
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

class TensorInferrer {
 public:
  explicit TensorInferrer(const OnnxGraph& graph) : graph_(graph) {}

  Result<InferredTensors> Run() {
    for (const auto& initializer : graph_.graph().initializer())
      tensors()[initializer.name()] = InfoOf(initializer);
    for (const auto& sparse : graph_.graph().sparse_initializer()) {
      OnnxTensorInfo info{.dims = Dims(sparse.dims().begin(), sparse.dims().end()),
                          .constant = true};
      if (!CountElements(*info.dims).has_value()) info.dims.reset();
      tensors()[sparse.values().name()] = std::move(info);
    }
    for (const auto& input : graph_.graph().input()) RETURN_IF_ERROR(AddInput(input));
    if (result_.inputs.empty()) return Fail("has no inputs but weights");
    for (const auto& value : graph_.graph().value_info()) declared_[value.name()] = &value;
    for (const auto& value : graph_.graph().output()) declared_[value.name()] = &value;
    for (const GraphNode& node : graph_.nodes) {
      if (auto status = AddOutputs(node); !status.has_value())
        return Fail("{}: {}", Describe(*node.proto), status.error().message);
    }
    return std::move(result_);
  }

 private:
  TensorTable& tensors() { return result_.tensors; }

  // Files without weights have them as inputs, which stand only where weights stand.
  bool IsWeight(const std::string& name) const {
    const auto readers = graph_.readers.find(name);
    if (readers == graph_.readers.end()) return false;
    return std::ranges::all_of(readers->second, [&](std::size_t reader) {
      const onnx::NodeProto& node = *graph_.nodes[reader].proto;
      const OperatorRole role = RoleOf(graph_.nodes[reader]);
      const bool has_weights = role == OperatorRole::kConvolution ||
                               role == OperatorRole::kTransposedConvolution ||
                               role == OperatorRole::kNormalisation || node.op_type() == "Gemm" ||
                               node.op_type() == "BatchNormalization" || node.op_type() == "PRelu";
      return has_weights && node.input_size() > 0 && node.input(0) != name;
    });
  }

  // A first dimension that is not fixed is the batch, and taken as 1.
  static Result<Dims> ReadDims(const onnx::ValueInfoProto& value) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape())
      return Fail("has no shape");
    Dims dims;
    for (const auto& dim : value.type().tensor_type().shape().dim()) {
      const bool fixed = dim.has_dim_value() && dim.dim_value() > 0;
      if (!fixed && !dims.empty())
        return Fail("has a dimension {} that is not fixed{}", dims.size(),
                    dim.has_dim_param() ? " ('" + dim.dim_param() + "')" : "");
      dims.push_back(fixed ? dim.dim_value() : 1);
    }
    if (!CountElements(dims).has_value())
      return Fail("has more than {} elements or {} dimensions", kMostElements, kMostDims);
    return dims;
  }

  Status AddInput(const onnx::ValueInfoProto& input) {
    if (tensors().contains(input.name())) return {};  // the default of an initializer
    auto dims = ReadDims(input);
    const bool weight = IsWeight(input.name());
    if (!dims.has_value() && (weight || graph_.readers.contains(input.name())))
      return Fail("input '{}' {}; expected fixed dimensions, but for the batch", input.name(),
                  dims.error().message);
    if (!dims.has_value()) return {};
    if (!weight) {
      if (result_.inputs.empty() && dims->size() > 1) {
        const auto& batch = input.type().tensor_type().shape().dim(0);
        result_.batch = dims->front();
        result_.open_batch = !batch.has_dim_value() || batch.dim_value() <= 0;
      }
      result_.inputs.push_back(*dims);
    }
    OnnxTensorInfo& info = tensors()[input.name()];
    info = {.dims = *dims, .type = input.type().tensor_type().elem_type(), .constant = weight};
    return {};
  }

  Status AddOutputs(const GraphNode& node) {
    Operator op{*node.proto, graph_.opset, {}};
    for (const std::string& name : node.proto->input())
      op.inputs.push_back(name.empty() ? nullptr : &tensors().at(name));
    if (node.IsStandard()) {
      if (auto answer = AnswerOf(op)) return AddAnswer(*node.proto, std::move(*answer));
    }
    const bool constant = RoleOf(node) == OperatorRole::kShape ||
                          std::ranges::all_of(node.reads, [&](const std::string& name) {
                            return tensors().at(name).constant;
                          });
    ASSIGN_OR_RETURN(const auto dims, InferDims(node, op, constant));
    for (int i = 0; i < node.proto->output_size(); ++i) {
      if (node.proto->output(i).empty()) continue;
      OnnxTensorInfo info{.type = TypeOf(op), .constant = constant};
      if (const auto index = static_cast<std::size_t>(i); index < dims.size()) {
        RETURN_IF_ERROR(CheckDims(dims[index], constant));
        info.dims = dims[index];
        if (constant && i == 0 && node.IsStandard()) info.numbers = EvaluateNumbers(op, *info.dims);
      } else if (!constant && graph_.readers.contains(node.proto->output(i))) {
        return Fail("the dimensions of '{}' are not known", node.proto->output(i));
      }
      tensors()[node.proto->output(i)] = std::move(info);
    }
    return {};
  }

  Status AddAnswer(const onnx::NodeProto& node, OnnxTensorInfo answer) {
    if (node.output_size() != 1) return Fail("has {} outputs; expected 1", node.output_size());
    tensors()[node.output(0)] = std::move(answer);
    return {};
  }

  Result<Dims> DeclaredDims(const std::string& name) const {
    const auto declared = declared_.find(name);
    if (declared == declared_.end()) return Fail("is not declared");
    return ReadDims(*declared->second);
  }

  // By rule, else as the file says, else as the first input that is not constant.
  Result<std::vector<Dims>> InferDims(const GraphNode& node, const Operator& op, bool constant) {
    if (node.IsStandard()) {
      ASSIGN_OR_RETURN(auto by_rule, InferByRule(op));
      if (by_rule.has_value()) return std::move(*by_rule);
    }
    std::vector<Dims> all;
    for (const std::string& name : node.proto->output()) {
      auto dims = DeclaredDims(name);
      const bool needed = graph_.readers.contains(name) || graph_.outputs.contains(name);
      if (!dims.has_value() && constant) return all;
      if (!dims.has_value() && needed) {
        dims = FirstInputDims(node);
        result_.warnings.Add(
            fmt::format("dimensions of {}'s result are not known: taken as its input's",
                        Printable(node.proto->op_type())),
            name);
      }
      all.push_back(std::move(dims).value_or(Dims{1}));
    }
    return all;
  }

  Dims FirstInputDims(const GraphNode& node) {
    const auto first = std::ranges::find_if(
        node.reads, [&](const std::string& name) { return !tensors().at(name).constant; });
    return tensors().at(*first).dims.value_or(Dims{1});
  }

  static Status CheckDims(const Dims& dims, bool constant) {
    const std::int64_t least = constant ? 0 : 1;
    if (std::ranges::any_of(dims, [least](std::int64_t dim) { return dim < least; }))
      return Fail("its output has dimensions {}; expected {} or more", fmt::join(dims, "x"), least);
    if (!CountElements(dims).has_value())
      return Fail("its output has more than {} elements or {} dimensions", kMostElements,
                  kMostDims);
    return {};
  }

  const OnnxGraph& graph_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> declared_;
  InferredTensors result_;
};

}  // namespace

Result<InferredTensors> InferTensors(const OnnxGraph& graph) { return TensorInferrer(graph).Run(); }

}  // namespace fairlead
