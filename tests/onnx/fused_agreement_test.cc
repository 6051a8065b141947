// The built-in networks' operators against torchvision's own, exported and imported: fused, both
// have the same operators that read the same.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {
namespace {

OperatorGraph Import(const std::string& folder, const std::string& name) {
  const std::string path = fmt::format("tests/onnx/{}/{}.onnx", folder, name);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  auto imported = ImportOperators(path, bytes, {.weights_seed = 1});
  if (!imported.has_value()) throw std::runtime_error(imported.error().message);
  return std::move(*imported);
}

std::string Describe(const ImageWindow& window) {
  return fmt::format(" {} by {} dilated {} padded {} {}", window.kernel, window.stride,
                     window.dilation, window.pad_before, window.pad_after);
}

std::string Describe(const Activation& activation) {
  return fmt::format(" activation {} {:.4f} {:.4f}", static_cast<int>(activation.kind),
                     activation.alpha, activation.beta);
}

// All but the weights.
std::string Describe(const OperatorGraph& graph, const GraphOperator& op) {
  std::string text(NameOf(op.body));
  if (const auto* convolution = std::get_if<Convolution>(&op.body))
    text += fmt::format(" in {} groups{}", convolution->groups, Describe(convolution->window));
  if (const auto* pool = std::get_if<Pool>(&op.body))
    text += fmt::format(" kind {}{}", static_cast<int>(pool->kind), Describe(pool->window));
  if (const auto* activation = std::get_if<Activation>(&op.body)) text += Describe(*activation);
  if (const auto* binary = std::get_if<Binary>(&op.body))
    text += fmt::format(" kind {}", static_cast<int>(binary->kind));
  if (const auto* slice = std::get_if<Slice>(&op.body))
    text += fmt::format(" {} {}", slice->start, slice->step);
  if (const auto* transposition = std::get_if<Transposition>(&op.body))
    text += fmt::format(" {}", transposition->order);
  for (const PostOperation& post : op.then) {
    const auto* activation = std::get_if<Activation>(&post);
    text += activation == nullptr ? " add" : Describe(*activation);
  }
  return fmt::format("{} to {}", text, graph.tensors[op.output].dims);
}

// Operators in some order, and then each with all that it reads, however far back.
struct Fingerprint {
  std::vector<std::string> operators;
  std::vector<std::size_t> histories;
};

Fingerprint FingerprintOf(OperatorGraph graph) {
  graph = FuseOperators(std::move(graph));
  Fingerprint fingerprint;
  // Of each tensor: what it comes from, which is several where concatenations are parts of others.
  std::vector<std::vector<std::size_t>> parts(graph.tensors.size());
  for (TensorIndex input : graph.inputs) parts[input] = {0};
  for (const GraphOperator& op : graph.operators) {
    std::string text = Describe(graph, op);
    fingerprint.operators.push_back(text);
    std::vector<std::vector<std::size_t>> reads;
    for (TensorIndex read : op.Reads()) reads.push_back(parts[read]);
    if (std::holds_alternative<Concatenation>(op.body)) {
      for (const auto& read : reads)
        parts[op.output].insert(parts[op.output].end(), read.begin(), read.end());
      text = "Concatenation";
    } else {
      if (std::holds_alternative<Binary>(op.body)) std::ranges::sort(reads);  // of + and *
      text += fmt::format(" from {}", reads);
      parts[op.output] = {std::hash<std::string>()(text)};
    }
    fingerprint.histories.push_back(
        std::hash<std::string>()(fmt::format("{} {}", text, parts[op.output])));
  }
  std::ranges::sort(fingerprint.operators);
  std::ranges::sort(fingerprint.histories);
  return fingerprint;
}

void ExpectTheSame(OperatorGraph built, OperatorGraph imported) {
  const Fingerprint ours = FingerprintOf(std::move(built));
  const Fingerprint theirs = FingerprintOf(std::move(imported));
  ASSERT_EQ(ours.operators, theirs.operators);  // says more about a difference than the next
  EXPECT_EQ(ours.histories, theirs.histories);
}

std::vector<std::string> Exported() {
  std::vector<std::string> names;
  for (const LayeredNetwork& network : Zoo()) {
    if (network.name != "yolo-v3") names.push_back(network.name);  // torchvision has none
  }
  return names;
}

class FusedAgreement : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, FusedAgreement, ::testing::ValuesIn(Exported()));

TEST_P(FusedAgreement, HasTheSameOperatorsReadingTheSame) {
  ExpectTheSame(*ZooGraph(GetParam(), 1), Import("torchvision", GetParam()));
}

class FoldedAgreement : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, FoldedAgreement,
                         ::testing::Values("densenet121", "mobilenet-v3-large", "resnet18"));

// What the exporter has folded is what we would have.
TEST_P(FoldedAgreement, HasTheSameOperatorsReadingTheSame) {
  ExpectTheSame(*ZooGraph(GetParam(), 1), Import("folded", GetParam()));
}

}  // namespace
}  // namespace fairlead
