// Fused graphs against the graphs themselves, many of them made by chance.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kGraphs = 400;
constexpr std::size_t kOperators = 24;
constexpr std::int64_t kBatch = 2;

double LargestIn(const std::vector<float>& values) {
  double largest = 0;
  for (float value : values) largest = std::max(largest, static_cast<double>(std::abs(value)));
  return largest;
}

TEST(RandomFusion, ComputesTheSame) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    const OperatorGraph graph = RandomGraph(seed, kOperators);
    const auto inputs = RandomInputs(graph, kBatch, seed);
    const auto expected = ReferenceOutputs(graph, kBatch, inputs);
    const auto fused = ReferenceOutputs(FuseOperators(graph), kBatch, inputs);
    ASSERT_EQ(fused.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(fused[i].size(), expected[i].size());
      const double allowed = 1e-4 * std::max(LargestIn(expected[i]), 1e-3);
      for (std::size_t j = 0; j < expected[i].size(); ++j)
        ASSERT_NEAR(fused[i][j], expected[i][j], allowed) << "seed " << seed << " output " << i;
    }
  }
}

TEST(RandomFusion, EachOperatorComesAfterThoseThatItReadsFrom) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    const OperatorGraph fused = FuseOperators(RandomGraph(seed, kOperators));
    std::vector<bool> there(fused.tensors.size(), false);
    for (TensorIndex input : fused.inputs) there[input] = true;
    for (std::size_t i = 0; i < fused.tensors.size(); ++i)
      there[i] = there[i] || fused.tensors[i].constant != nullptr;
    for (const GraphOperator& op : fused.operators) {
      for (TensorIndex read : op.Reads())
        ASSERT_TRUE(there[read]) << "seed " << seed << ": " << op.name;
      ASSERT_FALSE(there[op.output]) << "seed " << seed << ": " << op.name;
      there[op.output] = true;
    }
    for (TensorIndex output : fused.outputs) ASSERT_TRUE(there[output]) << "seed " << seed;
  }
}

TEST(RandomFusion, LeavesInputsAndOutputsWhereTheyWere) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    const OperatorGraph graph = RandomGraph(seed, kOperators);
    const OperatorGraph fused = FuseOperators(graph);
    ASSERT_EQ(fused.inputs, graph.inputs);
    ASSERT_EQ(fused.outputs, graph.outputs);
  }
}

// Once is enough: what can be fused is fused.
TEST(RandomFusion, FusingAgainChangesNothing) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    const OperatorGraph once = FuseOperators(RandomGraph(seed, kOperators));
    ASSERT_EQ(FuseOperators(once).operators.size(), once.operators.size()) << "seed " << seed;
  }
}

TEST(RandomGraph, MakesAllKindsOfOperators) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const GraphOperator& op : RandomGraph(seed, kOperators).operators)
      kinds.emplace(NameOf(op.body));
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<OperatorBody> - 1);  // all but Opaque
}

TEST(RandomGraph, IsTheSameForTheSameSeed) {
  const OperatorGraph graph = RandomGraph(7, kOperators);
  const auto inputs = RandomInputs(graph, 1, 7);
  EXPECT_EQ(ReferenceOutputs(graph, 1, inputs),
            ReferenceOutputs(RandomGraph(7, kOperators), 1, RandomInputs(graph, 1, 7)));
}

}  // namespace
}  // namespace fairlead
