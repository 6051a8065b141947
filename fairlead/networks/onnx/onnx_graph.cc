#include "fairlead/networks/onnx/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fairlead {

std::optional<std::uint64_t> TakeVarint(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<WireField> TakeField(std::string_view& in) {
  const std::string_view begin = in;
  const auto tag = TakeVarint(in);
  if (!tag.has_value()) return std::nullopt;
  WireField field{.number = *tag >> 3, .type = static_cast<WireType>(*tag & 7)};
  const std::string_view after_tag = in;
  std::uint64_t length = 0;
  switch (field.type) {
    case WireType::kVarint:
      if (!TakeVarint(in).has_value()) return std::nullopt;
      field.contents = after_tag.substr(0, after_tag.size() - in.size());
      field.whole = begin.substr(0, begin.size() - in.size());
      return field;
    case WireType::kFixed64: length = 8; break;
    case WireType::kFixed32: length = 4; break;
    case WireType::kBytes: {
      const auto size = TakeVarint(in);
      if (!size.has_value()) return std::nullopt;
      length = *size;
      break;
    }
    default: return std::nullopt;  // groups: ONNX has none
  }
  if (length > in.size()) return std::nullopt;
  field.contents = in.substr(0, length);
  in.remove_prefix(length);
  field.whole = begin.substr(0, begin.size() - in.size());
  return field;
}

void PutBytes(std::string& out, std::uint64_t number, std::string_view contents) {
  const auto type = static_cast<std::uint64_t>(WireType::kBytes);
  for (std::uint64_t value : {number << 3 | type, std::uint64_t{contents.size()}}) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  out += contents;
}

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
