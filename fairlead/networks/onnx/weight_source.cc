#include "fairlead/networks/onnx/weight_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {
namespace {

constexpr std::int64_t kFewWeights = 65'536;

std::optional<std::vector<std::int64_t>> OrderOf(const onnx::NodeProto& node, std::size_t rank) {
  Dims order = IntegersAttribute(node, "perm");
  if (order.empty()) {
    order.resize(rank);
    std::iota(order.rbegin(), order.rend(), 0);
  }
  if (order.size() != rank) return std::nullopt;
  return order;
}

std::vector<float> Transposed(const Weights& from, const Dims& order) {
  Dims strides(order.size(), 1);
  for (std::size_t i = order.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * from.dims[i - 1];
  Dims steps;  // in the source, for each dimension of the result
  Dims sizes;
  for (std::int64_t axis : order) {
    steps.push_back(strides[static_cast<std::size_t>(axis)]);
    sizes.push_back(from.dims[static_cast<std::size_t>(axis)]);
  }
  std::vector<float> values;
  values.reserve(from.values.size());
  Dims index(order.size(), 0);
  std::int64_t place = 0;
  while (values.size() < from.values.size()) {
    values.push_back(from.values[static_cast<std::size_t>(place)]);
    for (std::size_t d = index.size(); d > 0; --d) {
      place += steps[d - 1];
      if (++index[d - 1] < sizes[d - 1]) break;
      place -= steps[d - 1] * sizes[d - 1];
      index[d - 1] = 0;
    }
  }
  return values;
}

bool IsStandard(const onnx::NodeProto& node) {
  return GraphNode{.proto = &node, .reads = {}}.IsStandard();
}

// Whether the result holds the numbers of the first input, but for a Transpose in the same order.
bool MovesNumbers(const onnx::NodeProto& node) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "Identity", "Dropout", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose"};
  return IsStandard(node) && std::ranges::find(kTypes, node.op_type()) != kTypes.end();
}

}  // namespace

WeightSource::WeightSource(const OnnxGraph& graph, const InferredTensors& inferred,
                           std::string_view bytes, const Options& options)
    : graph_(graph),
      inferred_(inferred),
      options_(options),
      most_made_(2 * static_cast<std::int64_t>(bytes.size()) + kFewWeights),
      stored_(options.values == WeightValues::kNone
                  ? StoredTensors()
                  : FindStoredTensors(bytes).value_or(StoredTensors())) {
  const auto& initializers = graph.graph().initializer();
  for (int i = 0; i < initializers.size(); ++i) {
    if (initializers[i].data_location() != onnx::TensorProto::EXTERNAL)
      initializers_[initializers[i].name()] = static_cast<std::size_t>(i);
  }
  for (const auto& sparse : graph.graph().sparse_initializer())
    sparse_.insert(sparse.values().name());
  for (int i = 0; i < graph.graph().node_size(); ++i) {
    for (const std::string& output : graph.graph().node(i).output())
      producers_[output] = static_cast<std::size_t>(i);
  }
}

// Follows the operators that move weights around back to where these come from, then carries them
// out. A loop, as a chain may be long.
Result<WeightsPointer> WeightSource::Get(const std::string& name) {
  if (options_.values == WeightValues::kNone) return Described(name);
  std::vector<const onnx::NodeProto*> moves;
  const std::string* source = &name;
  while (!known_.contains(*source)) {
    const auto producer = producers_.find(*source);
    if (producer == producers_.end()) break;
    const onnx::NodeProto& node = graph_.graph().node(static_cast<int>(producer->second));
    if (!MovesNumbers(node) || node.input_size() == 0 || node.output(0) != *source) break;
    if (inferred_.tensors.at(*source).numbers.has_value()) break;
    moves.push_back(&node);
    source = &node.input(0);
  }
  auto weights = known_.contains(*source) ? known_.at(*source) : FromFile(*source);
  if (!weights.has_value()) return Fail("weights '{}': {}", *source, weights.error().message);
  known_[*source] = *weights;
  for (auto node = moves.rbegin(); node != moves.rend(); ++node) {
    weights = Moved(**node, *weights);
    if (!weights.has_value())
      return Fail("weights '{}': {}", (*node)->output(0), weights.error().message);
    known_[(*node)->output(0)] = *weights;
  }
  return weights;
}

Result<WeightsPointer> WeightSource::Described(const std::string& name) {
  const OnnxTensorInfo& info = inferred_.tensors.at(name);
  if (!info.dims.has_value() || info.IsInteger())
    return Fail("weights '{}': are no numbers of known dimensions", name);
  WeightsPointer& known = known_[name];
  if (known == nullptr)
    known = std::make_shared<const Weights>(Weights{.dims = *info.dims, .values = {}});
  return known;
}

Result<WeightsPointer> WeightSource::FromFile(const std::string& name) {
  const OnnxTensorInfo& info = inferred_.tensors.at(name);
  if (!info.dims.has_value()) return Fail("have dimensions that are not known");
  if (const auto found = initializers_.find(name); found != initializers_.end())
    return Stored(name, stored_.initializers.at(found->second));
  if (const auto producer = producers_.find(name); producer != producers_.end()) {
    const onnx::NodeProto& node = graph_.graph().node(static_cast<int>(producer->second));
    const auto* value = FindAttribute(node, "value");
    if (node.op_type() == "Constant" && IsStandard(node) && value != nullptr) {
      if (value->t().data_location() == onnx::TensorProto::EXTERNAL) return LeftOut(name);
      return Stored(name, ValueInside(stored_.nodes.at(producer->second)));
    }
    if (info.numbers.has_value() && !info.IsInteger())
      return Make(*info.dims, {info.numbers->begin(), info.numbers->end()});
    return Fail(
        "are computed by {}; expected weights that are ready: export with constant folding on",
        Describe(node));
  }
  if (sparse_.contains(name)) return Fail("are sparse; expected dense ones");
  return LeftOut(name);
}

Result<WeightsPointer> WeightSource::Stored(const std::string& name, std::string_view tensor) {
  const OnnxTensorInfo& info = inferred_.tensors.at(name);
  ASSIGN_OR_RETURN(auto values, ReadFloats(tensor, info.type, info.Elements()));
  return Make(*info.dims, std::move(values));
}

Result<WeightsPointer> WeightSource::LeftOut(const std::string& name) {
  const OnnxTensorInfo& info = inferred_.tensors.at(name);
  if (options_.values == WeightValues::kAll)
    return Fail(
        "are not in the file; expected a file that contains its weights (external files are not "
        "opened), or a seed to draw them from");
  if (!IsFloatType(info.type)) return Fail("are no floating-point numbers");
  left_out_ += info.Elements();  // each at most 10^12
  if (left_out_ > options_.most_weights)
    return Fail("make more than {} to be drawn", options_.most_weights);
  return std::make_shared<const Weights>(Weights{.dims = *info.dims, .values = {}});
}

Result<WeightsPointer> WeightSource::Moved(const onnx::NodeProto& node,
                                           const WeightsPointer& from) {
  const OnnxTensorInfo& info = inferred_.tensors.at(node.output(0));
  if (node.op_type() == "Cast" && info.type != onnx::TensorProto::FLOAT &&
      info.type != onnx::TensorProto::DOUBLE)
    return Fail("are rounded to {}; expected 32-bit floats", TypeName(info.type));
  if (!info.dims.has_value() || CountElements(*info.dims) != CountElements(from->dims))
    return Fail("have dimensions that are not known");
  if (node.op_type() == "Transpose") {
    const auto order = OrderOf(node, from->dims.size());
    if (!order.has_value()) return Fail("have another rank than their transposition");
    RETURN_IF_ERROR(CountMade(from->values.size()));
    return std::make_shared<const Weights>(Weights{*info.dims, Transposed(*from, *order)});
  }
  if (*info.dims == from->dims) return from;
  return Make(*info.dims, from->values);
}

Result<WeightsPointer> WeightSource::Matrix(const std::string& name, bool turned, float factor) {
  if (!std::isfinite(factor)) return Fail("multiplies its weights by {}", factor);
  const auto key = std::tuple(name, turned, factor);
  if (const auto found = matrices_.find(key); found != matrices_.end()) return found->second;
  Dims dims = *inferred_.tensors.at(name).dims;
  dims.erase(dims.begin(), dims.end() - 2);
  ASSIGN_OR_RETURN(WeightsPointer matrix, Get(name));
  if (turned || factor != 1 || matrix->dims.size() != 2) {
    RETURN_IF_ERROR(CountMade(matrix->values.size()));
    Weights made{dims, matrix->values};
    if (turned) made.values = Transposed(made, {1, 0});
    if (turned) std::swap(made.dims[0], made.dims[1]);
    for (float& value : made.values) value *= factor;
    if (made.values.empty()) made.original = matrix;
    matrix = std::make_shared<const Weights>(std::move(made));
  }
  matrices_[key] = matrix;
  return matrix;
}

Result<WeightsPointer> WeightSource::Make(TensorDims dims, std::vector<float> values) {
  RETURN_IF_ERROR(CountMade(values.size()));
  return std::make_shared<const Weights>(Weights{std::move(dims), std::move(values)});
}

Status WeightSource::CountMade(std::size_t more) {
  made_ += static_cast<std::int64_t>(more);
  if (made_ > options_.most_weights)
    return Fail("the network has more than {} weights", options_.most_weights);
  if (made_ > most_made_ + left_out_ * 2)
    return Fail("the network makes more weights out of its weights than can be believed");
  return {};
}

}  // namespace fairlead
