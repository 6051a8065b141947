#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

// On a thread of its own, since entering binds the thread.
template <typename Body>
void OnPartition(const Body& body) {
  std::thread([&] {
    auto partition = MakeCpuPartition(
        {.name = "test", .cores = {Machine::This().UsableCores().front()}, .cache_folder = ""});
    ASSERT_TRUE(partition.has_value()) << partition.error().message;
    ASSERT_TRUE((*partition)->Enter().has_value());
    body(**partition);
  }).join();
}

// Its first output for inputs of a quarter.
std::vector<float> ResultOf(Processor& partition, const OperatorGraph& graph) {
  static const std::atomic<bool> never = false;
  const auto network = partition.Load(graph, 1);
  EXPECT_TRUE(network.has_value()) << network.error().message;
  const auto run = (*network)->NewRun();
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) std::ranges::fill(run->Input(i), 0.25F);
  run->RunLayers(0, (*network)->LayerCount(), never);
  return {run->Output(0).begin(), run->Output(0).end()};
}

TEST(GentleVersions, ComputeTheSame) {
  const OperatorGraph fast = FuseOperators(RandomGraph(3, 14));
  OperatorGraph gentle = fast;
  gentle.manner = ExecutionManner::kGentle;
  OnPartition([&](Processor& partition) {
    const std::vector<float> expected = ResultOf(partition, fast);
    const std::vector<float> got = ResultOf(partition, gentle);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 1e-3F * std::max(1.0F, std::abs(expected[i])));
  });
}

TEST(TouchedBytes, HavePackedWeightsAmongThem) {
  GraphBuilder builder;
  const TensorIndex in = builder.Input("in", {64});
  builder.Output(builder.Apply(
      "fc", Linear{.weights = MakeWeights({32, 64}, std::vector<float>(32 * 64, 0.5F)), .bias = {}},
      {in}));
  const OperatorGraph graph = FuseOperators(builder.Take());
  OnPartition([&](Processor& partition) {
    const auto network = partition.Load(graph, 1);
    ASSERT_TRUE(network.has_value()) << network.error().message;
    EXPECT_GE((*network)->TouchedBytes(0), 4 * (64 + 32 + 32 * 64));
  });
}

}  // namespace
}  // namespace fairlead
