// An OperatorGraph in the making, and the node of an ONNX graph that is to become part of it.
//
// This is where the batch goes: tensors have it as their first dimension in the file, and not in
// the graph, so that axis i of the file is axis i - 1 of the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/onnx/tensor_info.h"
#include "fairlead/networks/onnx/weight_source.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Names for what comes from ONNX files.

// "folder/resnet50.onnx" is resnet50.
std::string NetworkNameOf(std::string_view file);

// Names of nodes as they may stand in tables, never twice the same.
class NodeNames {
 public:
  std::string NameOf(const GraphNode& node);
  // This name, or one with a number behind it.
  std::string NameLike(const std::string& name);

 private:
  std::unordered_map<std::string, int> names_;
};

class OperatorAssembly {
 public:
  OperatorAssembly(const InferredTensors& inferred, WeightSource& weights)
      : inferred_(inferred), weights_(weights) {}

  const InferredTensors& inferred() const { return inferred_; }
  std::int64_t batch() const { return inferred_.batch; }
  WeightSource& weights() { return weights_; }
  NodeNames& names() { return names_; }
  WarningList& warnings() { return warnings_; }

  // Whether only costs matter, so that what no executor carries out becomes an Opaque operator.
  bool Describes() const { return weights_.values() == WeightValues::kNone; }

  // An input of the network.
  Status AddInput(const std::string& name);
  // A tensor that operators compute, with the file's dimensions, and the name of one in the file
  // or one that stands for none.
  Result<TensorIndex> AddComputed(const std::string& name, const Dims& dims);
  // The same of a tensor that need not have the batch in front.
  Result<TensorIndex> AddDescribed(const std::string& name, const Dims& dims);
  Result<TensorIndex> AddConstant(const std::string& name, WeightsPointer weights);
  void AddOperator(GraphOperator op) { graph_.operators.push_back(std::move(op)); }

  // From here on `name` is the tensor.
  void Bind(const std::string& name, TensorIndex tensor) { computed_[name] = tensor; }
  // None where it is not computed.
  std::optional<TensorIndex> Find(const std::string& name) const;

  bool MixesSamples(TensorIndex tensor) const { return graph_.tensors[tensor].mixes_samples; }

  Status AddOutput(const std::string& name);

  // How much there is, and back to that.
  struct Extent {
    std::size_t tensors = 0;
    std::size_t operators = 0;
  };
  Extent extent() const { return {graph_.tensors.size(), graph_.operators.size()}; }
  void CutBack(const Extent& extent);

  OperatorGraph Take() { return std::move(graph_); }

 private:
  Result<TensorIndex> AddTensor(GraphTensor tensor);

  const InferredTensors& inferred_;
  WeightSource& weights_;
  OperatorGraph graph_;
  NodeNames names_;
  WarningList warnings_;
  std::unordered_map<std::string, TensorIndex> computed_;
};

// One node. Its outputs' dimensions follow from a rule, and not just from what the file says.
class NodeImport {
 public:
  NodeImport(const OnnxGraph& graph, const GraphNode& node, Operator op, OperatorAssembly& assembly)
      : graph_(graph),
        node_(node),
        op_(std::move(op)),
        name_(assembly.names().NameOf(node)),
        assembly_(assembly) {}

  const GraphNode& node() const { return node_; }
  const onnx::NodeProto& proto() const { return *node_.proto; }
  const Operator& op() const { return op_; }
  WeightSource& weights() { return assembly_.weights(); }
  std::int64_t batch() const { return assembly_.batch(); }

  Status InferOutputs();
  // By the file: with the batch. Of those that InferOutputs found.
  const Dims& OutputDims(std::size_t index = 0) const { return outputs_[index]; }
  Result<Dims> InputDims(std::size_t index) const;
  // Of an input that must be images: batch x channels x height x width.
  Result<Dims> ImageDims() const;

  // What is known of a tensor that the node reads or writes.
  const OnnxTensorInfo& Info(const std::string& name) const {
    return assembly_.inferred().tensors.at(name);
  }

  // Whether another node reads the output, or it is the network's.
  bool IsNeeded(int output) const;

  bool IsGiven(std::size_t index) const { return op_.Input(index) != nullptr; }
  bool IsConstant(std::size_t index) const { return IsGiven(index) && op_.Input(index)->constant; }
  const std::string& InputName(std::size_t index) const {
    return proto().input(static_cast<int>(index));
  }

  // All that it reads and that is computed.
  std::vector<TensorIndex> AllData() const;
  // An input that is computed, with the batch in front.
  Result<TensorIndex> Data(std::size_t index = 0) const;
  // An input that is not.
  Result<WeightsPointer> Constant(std::size_t index);
  // Either, of an operator whose result has `rank` dimensions.
  Result<TensorIndex> Operand(std::size_t index, std::size_t rank);
  // One number, from an attribute in early opsets or an input in later ones.
  Result<float> Number(const char* attribute, std::size_t input, float otherwise);
  float FloatAttribute(const char* name, float otherwise) const;

  // An axis of the graph, for one of the file; refuses that of the batch.
  Result<std::size_t> SampleAxis(std::size_t axis) const;

  // The node becomes this operator, or several, each with a name of its own. Writes the output.
  Status Emit(OperatorBody body, std::vector<TensorIndex> inputs, std::size_t output = 0);
  // An operator whose result only this node's next operators read.
  Result<TensorIndex> EmitInner(OperatorBody body, std::vector<TensorIndex> inputs,
                                const Dims& dims);
  // What no executor carries out. Its output need not have the batch in front.
  Result<TensorIndex> EmitOpaque(Opaque body, std::vector<TensorIndex> inputs, int output);
  // What was emitted has been cut back.
  void BeginAgain() { emitted_ = 0; }
  void Warn(const std::string& warning) { assembly_.warnings().Add(warning, name_); }
  // By another node.
  bool IsRead(int output) const { return graph_.readers.contains(proto().output(output)); }
  // The node does nothing.
  void Vanish(TensorIndex input) { assembly_.Bind(proto().output(0), input); }

 private:
  std::string NextName();

  const OnnxGraph& graph_;
  const GraphNode& node_;
  Operator op_;
  std::string name_;
  OperatorAssembly& assembly_;
  std::vector<Dims> outputs_;
  int emitted_ = 0;  // operators that have names by now
};

using NodeRule = Status (*)(NodeImport&);

}  // namespace fairlead
