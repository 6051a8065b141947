#include "fairlead/networks/onnx/tensor_inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "fairlead/networks/onnx/constant_values.h"
#include "fairlead/networks/onnx/operators.h"
#include "fairlead/networks/onnx/shape_rules.h"

namespace fairlead {
namespace {

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
