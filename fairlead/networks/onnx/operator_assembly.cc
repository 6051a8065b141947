#include "fairlead/networks/onnx/operator_assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "fairlead/networks/onnx/shape_rules.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

std::string NetworkNameOf(std::string_view file) {
  file.remove_prefix(std::min(file.size(), file.find_last_of('/') + 1));
  if (file.ends_with(".onnx")) file.remove_suffix(5);
  return file.empty() ? "network" : Printable(file);
}

std::string NodeNames::NameOf(const GraphNode& node) {
  const onnx::NodeProto& proto = *node.proto;
  const std::string& given = proto.name().empty() ? proto.output(0) : proto.name();
  return NameLike(given.empty() ? "layer" : Printable(given));
}

std::string NodeNames::NameLike(const std::string& name) {
  const int count = ++names_[name];
  if (count == 1) return name;
  std::string copy = fmt::format("{}#{}", name, count);
  while (!names_.try_emplace(copy, 1).second) copy = fmt::format("{}#{}", name, ++names_[name]);
  return copy;
}

namespace {

constexpr std::size_t kMostTensors = 50'000;  // computed, or operands

}  // namespace

Status OperatorAssembly::AddInput(const std::string& name) {
  const OnnxTensorInfo& info = inferred_.tensors.at(name);
  const std::optional<ElementType> element = ElementOf(info.type);
  if (!element.has_value() && !Describes())
    return Fail("input '{}' has {}; expected numbers", name, TypeName(info.type));
  const auto tensor = Describes() ? AddDescribed(name, *info.dims) : AddComputed(name, *info.dims);
  if (!tensor.has_value()) return Fail("input '{}': {}", name, tensor.error().message);
  graph_.tensors[*tensor].element = element.value_or(ElementType::kFp32);
  graph_.inputs.push_back(*tensor);
  Bind(name, *tensor);
  return {};
}

Result<TensorIndex> OperatorAssembly::AddComputed(const std::string& name, const Dims& dims) {
  if (dims.empty() || dims.front() != batch())
    return Fail("has dimensions {}; expected the batch, {}, to come first", fmt::join(dims, "x"),
                batch());
  return AddTensor({.name = Printable(name),
                    .dims = TensorDims(dims.begin() + 1, dims.end()),
                    .constant = nullptr});
}

Result<TensorIndex> OperatorAssembly::AddDescribed(const std::string& name, const Dims& dims) {
  if (!dims.empty() && dims.front() == batch()) return AddComputed(name, dims);
  return AddTensor(
      {.name = Printable(name), .dims = dims, .constant = nullptr, .mixes_samples = true});
}

void OperatorAssembly::CutBack(const Extent& extent) {
  graph_.tensors.resize(extent.tensors);
  graph_.operators.resize(extent.operators);
}

Result<TensorIndex> OperatorAssembly::AddConstant(const std::string& name, WeightsPointer weights) {
  TensorDims dims = weights->dims;
  return AddTensor(
      {.name = Printable(name), .dims = std::move(dims), .constant = std::move(weights)});
}

Result<TensorIndex> OperatorAssembly::AddTensor(GraphTensor tensor) {
  if (graph_.tensors.size() >= kMostTensors)
    return Fail("the network has more than {} tensors", kMostTensors);
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<TensorIndex>(graph_.tensors.size() - 1);
}

std::optional<TensorIndex> OperatorAssembly::Find(const std::string& name) const {
  const auto found = computed_.find(name);
  return found == computed_.end() ? std::nullopt : std::optional(found->second);
}

Status OperatorAssembly::AddOutput(const std::string& name) {
  const auto tensor = Find(name);
  if (Describes() && (!tensor.has_value() || *tensor < graph_.inputs.size())) return {};  // is free
  if (!tensor.has_value()) return Fail("output '{}' does not depend on the input", name);
  if (*tensor < graph_.inputs.size())  // these were the first
    return Fail("output '{}' is an input, unchanged", name);
  GraphTensor& output = graph_.tensors[*tensor];
  const int type = inferred_.tensors.at(name).type;
  const std::optional<ElementType> element = ElementOf(type);
  if (!element.has_value() && !Describes())
    return Fail("output '{}' has {}; expected numbers", name, TypeName(type));
  if (std::ranges::find(graph_.outputs, *tensor) != graph_.outputs.end() &&
      output.element != element.value_or(ElementType::kFp32))
    return Fail("output '{}' has the numbers of output '{}' in another type", name, output.name);
  output.name = Printable(name);
  output.element = element.value_or(ElementType::kFp32);
  graph_.outputs.push_back(*tensor);
  return {};
}

Status NodeImport::InferOutputs() {
  ASSIGN_OR_RETURN(auto dims, InferByRule(op_));
  if (!dims.has_value()) return Fail("the dimensions of its result are not known before it runs");
  outputs_ = std::move(*dims);
  return {};
}

Result<Dims> NodeImport::InputDims(std::size_t index) const {
  const Dims* dims = op_.InputDims(index);
  if (dims == nullptr) return Fail("has an input {} that is not known; expected one", index);
  return *dims;
}

Result<Dims> NodeImport::ImageDims() const {
  ASSIGN_OR_RETURN(Dims dims, InputDims(0));
  if (dims.size() != 4)
    return Fail("has an input of {}; expected batch x channels x height x width",
                fmt::join(dims, "x"));
  return dims;
}

bool NodeImport::IsNeeded(int output) const {
  const std::string& name = proto().output(output);
  return !name.empty() && (graph_.readers.contains(name) || graph_.outputs.contains(name));
}

Result<TensorIndex> NodeImport::Data(std::size_t index) const {
  if (!IsGiven(index)) return Fail("has no input {}", index);
  const auto tensor = assembly_.Find(InputName(index));
  if (!tensor.has_value())
    return Fail("reads '{}', which does not depend on the network's input; expected what does",
                InputName(index));
  if (assembly_.MixesSamples(*tensor))
    return Fail("reads '{}', which mixes inputs of a batch", InputName(index));
  return *tensor;
}

std::vector<TensorIndex> NodeImport::AllData() const {
  std::vector<TensorIndex> data;
  for (const std::string& name : node_.reads) {
    if (const auto tensor = assembly_.Find(name); tensor.has_value()) data.push_back(*tensor);
  }
  return data;
}

Result<WeightsPointer> NodeImport::Constant(std::size_t index) {
  if (!IsGiven(index)) return Fail("has no input {}; expected weights", index);
  if (!IsConstant(index))
    return Fail("takes its weights from '{}', which is computed; no executor carries that out",
                InputName(index));
  return weights().Get(InputName(index));
}

Result<TensorIndex> NodeImport::Operand(std::size_t index, std::size_t rank) {
  ASSIGN_OR_RETURN(const Dims dims, InputDims(index));
  if (!IsConstant(index)) {
    if (dims.size() != rank)
      return Fail("combines '{}' of {} with {} dimensions, and so its batch with something else",
                  InputName(index), fmt::join(dims, "x"), rank);
    return Data(index);
  }
  if (dims.size() > rank || rank == 0)
    return Fail("combines '{}' of {} with {} dimensions", InputName(index), fmt::join(dims, "x"),
                rank);
  ASSIGN_OR_RETURN(WeightsPointer weights, Constant(index));
  if (dims.size() == rank) {
    if (dims.front() != 1)
      return Fail("reads '{}' of {}, which is different for each input of the batch",
                  InputName(index), fmt::join(dims, "x"));
    ASSIGN_OR_RETURN(weights,
                     this->weights().Make(Dims(dims.begin() + 1, dims.end()), weights->values));
  }
  return assembly_.AddConstant(InputName(index), std::move(weights));
}

Result<float> NodeImport::Number(const char* attribute, std::size_t input, float otherwise) {
  if (FindAttribute(proto(), attribute) != nullptr) return FloatAttribute(attribute, otherwise);
  const OnnxTensorInfo* info = op_.Input(input);
  if (info == nullptr) return otherwise;
  if (!info->numbers.has_value() || info->numbers->size() != 1)
    return Fail("has a '{}' that is not one number in the file", attribute);
  return static_cast<float>(info->numbers->front());
}

float NodeImport::FloatAttribute(const char* name, float otherwise) const {
  const auto* attribute = FindAttribute(proto(), name);
  return attribute != nullptr && attribute->has_f() ? attribute->f() : otherwise;
}

Result<std::size_t> NodeImport::SampleAxis(std::size_t axis) const {
  if (axis == 0)
    return Fail("works along the batch, and so mixes inputs; no executor carries that out");
  return axis - 1;
}

std::string NodeImport::NextName() {
  return emitted_++ == 0 ? name_ : assembly_.names().NameLike(name_);
}

Status NodeImport::Emit(OperatorBody body, std::vector<TensorIndex> inputs, std::size_t output) {
  const std::string& written = proto().output(static_cast<int>(output));
  ASSIGN_OR_RETURN(const TensorIndex tensor, assembly_.AddComputed(written, OutputDims(output)));
  assembly_.AddOperator({.name = NextName(),
                         .body = std::move(body),
                         .inputs = std::move(inputs),
                         .output = tensor,
                         .then = {}});
  assembly_.Bind(written, tensor);
  return {};
}

Result<TensorIndex> NodeImport::EmitOpaque(Opaque body, std::vector<TensorIndex> inputs,
                                           int output) {
  const std::string& written = proto().output(output);
  ASSIGN_OR_RETURN(const TensorIndex tensor,
                   assembly_.AddDescribed(written, Info(written).dims.value_or(Dims{1})));
  assembly_.AddOperator({.name = NextName(),
                         .body = std::move(body),
                         .inputs = std::move(inputs),
                         .output = tensor,
                         .then = {}});
  assembly_.Bind(written, tensor);
  return tensor;
}

Result<TensorIndex> NodeImport::EmitInner(OperatorBody body, std::vector<TensorIndex> inputs,
                                          const Dims& dims) {
  std::string name = NextName();
  ASSIGN_OR_RETURN(const TensorIndex tensor, assembly_.AddComputed(name, dims));
  assembly_.AddOperator({.name = std::move(name),
                         .body = std::move(body),
                         .inputs = std::move(inputs),
                         .output = tensor,
                         .then = {}});
  return tensor;
}

}  // namespace fairlead
