// A small graph, and what fusion makes of it, for the tests of the fusion.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "fairlead/base/random.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {

// A graph for one test: one image in, what is said out.
class OperatorFusion : public ::testing::Test {
 protected:
  static WeightsPointer Drawn(const TensorDims& dims) {
    RandomStream random(ElementsOf(dims) + static_cast<std::int64_t>(dims.size()), "weights");
    std::vector<float> values(static_cast<std::size_t>(ElementsOf(dims)));
    for (float& value : values) value = static_cast<float>(random.Normal());
    return MakeWeights(dims, std::move(values));
  }

  TensorIndex Conv(TensorIndex x, std::int64_t outputs = 4, std::int64_t pad = 1) {
    return graph_.Apply(
        "conv",
        Convolution{.window = {.kernel = {3, 3}, .pad_before = {pad, pad}, .pad_after = {pad, pad}},
                    .weights = Drawn({outputs, graph_.dims(x)[0], 3, 3}),
                    .bias = Drawn({outputs})},
        {x});
  }
  TensorIndex Norm(TensorIndex x) {
    const std::int64_t channels = graph_.dims(x)[0];
    return graph_.Apply("norm", ChannelScale{Drawn({channels}), Drawn({channels, 1})}, {x});
  }
  TensorIndex Act(ActivationKind kind, TensorIndex x, float alpha = 0, float beta = 0) {
    return graph_.Apply("act", Activation{kind, alpha, beta}, {x});
  }
  TensorIndex Two(BinaryKind kind, TensorIndex a, TensorIndex b) {
    return graph_.Apply("two", Binary{kind}, {a, b});
  }
  TensorIndex Number(float value) { return graph_.Constant("number", {}, {value}); }

  // Fuses, checks that outputs are the same, and names the operators left: "Convolution+relu+add".
  std::vector<std::string> Fuse() {
    const OperatorGraph graph = graph_.Take();
    fused_ = FuseOperators(graph);
    const auto inputs = RandomInputs(graph, 2, 1);
    const auto expected = ReferenceOutputs(graph, 2, inputs);
    const auto computed = ReferenceOutputs(fused_, 2, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t j = 0; j < expected[i].size(); ++j)
        EXPECT_NEAR(computed[i][j], expected[i][j], 1e-4) << "output " << i << " at " << j;
    }
    std::vector<std::string> names;
    for (const GraphOperator& op : fused_.operators) names.push_back(Describe(op));
    return names;
  }

  static std::string Describe(const GraphOperator& op) {
    std::string text(NameOf(op.body));
    if (const auto* activation = std::get_if<Activation>(&op.body))
      text = Describe(activation->kind);
    for (const PostOperation& post : op.then) {
      const auto* activation = std::get_if<Activation>(&post);
      text += "+" + (activation == nullptr ? "add" : Describe(activation->kind));
    }
    return text;
  }

  static std::string Describe(ActivationKind kind) {
    switch (kind) {
      case ActivationKind::kRelu: return "relu";
      case ActivationKind::kClip: return "clip";
      case ActivationKind::kSigmoid: return "sigmoid";
      case ActivationKind::kHardSigmoid: return "hard sigmoid";
      case ActivationKind::kHardSwish: return "hard swish";
      case ActivationKind::kSilu: return "silu";
      case ActivationKind::kLinear: return "line";
      default: return "other";
    }
  }

  template <typename Body>
  const Body& BodyAt(std::size_t index) const {
    return std::get<Body>(fused_.operators.at(index).body);
  }

  GraphBuilder graph_;
  TensorIndex image_ = graph_.Input("image", {4, 5, 6});
  OperatorGraph fused_;
};

inline Padding ZerosAround(std::int64_t before, std::int64_t after) {
  return {.before = {0, before, before}, .after = {0, after, after}};
}

}  // namespace fairlead
