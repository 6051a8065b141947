#include "fairlead/networks/onnx/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fairlead/networks/onnx/protobuf_wire.h"

namespace fairlead {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 28;  // without weights
// Work and memory grow with how many tensors wait at each operator: the sum over all operators.
constexpr std::size_t kMostWaiting = 4'000'000;
constexpr int kMostNodes = 200'000;

using Names = std::unordered_set<std::string>;

// What the graphs of If, Loop and Scan use without defining it. Reading the file bounded their
// depth.
void AddCaptures(const onnx::GraphProto& graph, std::vector<std::string>& captures) {
  Names defined;
  for (const auto& input : graph.input()) defined.insert(input.name());
  for (const auto& initializer : graph.initializer()) defined.insert(initializer.name());
  const auto use = [&](const std::string& name) {
    if (!defined.contains(name)) captures.push_back(name);
  };
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& input : node.input()) use(input);
    std::vector<std::string> inner;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) AddCaptures(attribute.g(), inner);
      for (const auto& nested : attribute.graphs()) AddCaptures(nested, inner);
    }
    for (const std::string& name : inner) use(name);
    defined.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : graph.output()) use(output.name());
}

Status Parse(std::string_view bytes, onnx::ModelProto& model) {
  if (bytes.empty()) return Fail("is empty; expected an ONNX model");
  const auto stripped = WithoutWeights(bytes);
  if (!stripped.has_value() || stripped->size() > kLargestFile ||
      !model.ParseFromArray(stripped->data(), static_cast<int>(stripped->size())))
    return Fail("is not an ONNX model, or is cut off");
  if (!model.has_graph()) return Fail("has no graph; expected an ONNX model with one");
  if (model.graph().node_size() == 0) return Fail("has a graph without operators");
  if (model.graph().node_size() > kMostNodes)
    return Fail("has {} operators; at most {}", model.graph().node_size(), kMostNodes);
  return {};
}

Result<std::int64_t> FindOpset(const onnx::ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() < 1 || opset.version() > 1000)
      return Fail("uses version {} of ONNX's operators; expected 1 or more", opset.version());
    return opset.version();
  }
  return Fail("does not say which version of ONNX's operators it uses (opset_import)");
}

Result<Names> DefinedOutside(const onnx::GraphProto& graph) {
  Names defined;
  for (const auto& input : graph.input()) {
    if (!defined.insert(input.name()).second) return Fail("input '{}' stands twice", input.name());
  }
  Names initializers;
  for (const auto& initializer : graph.initializer()) {
    if (!initializers.insert(initializer.name()).second)
      return Fail("initializer '{}' stands twice", initializer.name());
  }
  for (const auto& sparse : graph.sparse_initializer()) initializers.insert(sparse.values().name());
  defined.merge(initializers);
  return defined;
}

Result<std::vector<GraphNode>> ReadNodes(const onnx::GraphProto& graph) {
  ASSIGN_OR_RETURN(Names defined, DefinedOutside(graph));
  std::vector<GraphNode> nodes;
  for (const onnx::NodeProto& proto : graph.node()) {
    GraphNode node{.proto = &proto};
    for (const std::string& name : proto.input()) {
      if (name.empty()) continue;  // an optional input that is not given
      if (!defined.contains(name))
        return Fail("{}: reads '{}', which nothing before it defines (is there a cycle?)",
                    Describe(proto), name);
      node.reads.push_back(name);
    }
    std::vector<std::string> captures;
    for (const auto& attribute : proto.attribute()) {
      if (attribute.has_g()) AddCaptures(attribute.g(), captures);
      for (const auto& inner : attribute.graphs()) AddCaptures(inner, captures);
    }
    for (std::string& name : captures) {
      if (defined.contains(name)) node.reads.push_back(std::move(name));
    }
    for (const std::string& name : proto.output()) {
      if (!name.empty() && !defined.insert(name).second)
        return Fail("{}: '{}' is defined twice", Describe(proto), name);
    }
    nodes.push_back(std::move(node));
  }
  for (const auto& output : graph.output()) {
    if (!defined.contains(output.name()))
      return Fail("output '{}' is not defined by any operator", output.name());
  }
  return nodes;
}

// Drops what no output depends on.
void KeepLive(OnnxGraph& graph) {
  Names needed = graph.outputs;
  std::vector<GraphNode> live;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto& outputs = node->proto->output();
    if (std::ranges::none_of(outputs,
                             [&](const std::string& name) { return needed.contains(name); }))
      continue;
    needed.insert(node->reads.begin(), node->reads.end());
    live.push_back(std::move(*node));
  }
  std::ranges::reverse(live);
  graph.nodes = std::move(live);
}

// How long tensors wait for their last readers, before anything is made of them.
Status CheckWork(const OnnxGraph& graph) {
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].proto->output()) {
      const auto found = graph.readers.find(name);
      if (found != graph.readers.end()) waiting += found->second.back() - i;
    }
  }
  if (waiting > kMostWaiting)
    return Fail("its tensors wait for {} operators in all; at most {}", waiting, kMostWaiting);
  return {};
}

}  // namespace

std::string Describe(const onnx::NodeProto& node) {
  const std::string& name =
      node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  return fmt::format("node '{}' ({})", name, node.op_type());
}

Result<OnnxGraph> ReadOnnxGraph(std::string_view bytes) {
  OnnxGraph graph;
  RETURN_IF_ERROR(Parse(bytes, graph.model));
  ASSIGN_OR_RETURN(graph.opset, FindOpset(graph.model));
  ASSIGN_OR_RETURN(graph.nodes, ReadNodes(graph.graph()));
  if (graph.graph().output_size() == 0) return Fail("has a graph without outputs");
  for (const auto& output : graph.graph().output()) graph.outputs.insert(output.name());
  KeepLive(graph);
  if (graph.nodes.empty()) return Fail("has outputs that no operator computes");
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].reads) graph.readers[name].push_back(i);
  }
  RETURN_IF_ERROR(CheckWork(graph));
  return graph;
}

}  // namespace fairlead
