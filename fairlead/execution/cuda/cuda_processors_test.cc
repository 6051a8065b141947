// Needs a GPU; skipped where there is none.
#include "fairlead/execution/cuda/cuda_processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "fairlead/base/random.h"
#include "fairlead/execution/live_tensors.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

using Values = std::vector<std::vector<float>>;
using Processors = std::vector<std::unique_ptr<Processor>>;
using testing::HasSubstr;

const std::atomic<bool> kGoOn = false;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Fill(NetworkRun& run, const Values& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    std::copy(inputs[i].begin(), inputs[i].end(), run.Input(i).begin());
}

Values OutputsOf(NetworkRun& run, const OperatorGraph& graph) {
  Values outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::span<const float> values = run.Output(i);
    outputs.emplace_back(values.begin(), values.end());
  }
  return outputs;
}

// The largest difference, in units of the largest number.
double Difference(const Values& results, const Values& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (results[i].size() != expected[i].size()) return kInfinity;
    double largest = 1e-3;
    double difference = 0;
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      largest = std::max<double>(largest, std::abs(expected[i][j]));
      const double here = std::abs(results[i][j] - expected[i][j]);
      difference = std::isnan(here) ? kInfinity : std::max(difference, here);
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

WeightsPointer RandomWeights(TensorDims dims, double deviation, RandomStream& random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < ElementsOf(dims); ++i)
    values.push_back(static_cast<float>(random.Normal() * deviation));
  return MakeWeights(std::move(dims), std::move(values));
}

// Convolutions one after the other, each followed by a ReLU; every fourth result is added again
// three layers later.
OperatorGraph Tower(std::size_t layers, std::int64_t channels, std::int64_t side) {
  RandomStream random(7, "tower");
  GraphBuilder builder("tower");
  TensorIndex x = builder.Input("image", {channels, side, side});
  TensorIndex shortcut = x;
  for (std::size_t i = 0; i < layers; ++i) {
    const double deviation = std::sqrt(1.4 / static_cast<double>(9 * channels));
    const Convolution body{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
                           .weights = RandomWeights({channels, channels, 3, 3}, deviation, random),
                           .bias = RandomWeights({channels}, 0.1, random)};
    x = builder.Apply("conv" + std::to_string(i), body, {x});
    if (i % 4 == 3) x = builder.Apply("add" + std::to_string(i), Binary{}, {x, shortcut});
    x = builder.Apply("relu" + std::to_string(i), Activation{}, {x});
    if (i % 4 == 3) shortcut = x;
  }
  builder.Output(x);
  return FuseOperators(builder.Take());
}

class CudaProcessors : public testing::Test {
 protected:
  void SetUp() override {
    if (CudaDeviceLost(0)) GTEST_SKIP() << "there is no GPU";
  }

  static Processors Make(std::vector<int> multiprocessors,
                         const CudaOptions& options = {.search_algorithms = false}) {
    auto processors = MakeCudaProcessors(multiprocessors, options);
    if (!processors.has_value()) {
      ADD_FAILURE() << processors.error().message;
      return {};
    }
    for (auto& processor : *processors) EXPECT_TRUE(processor->Enter().has_value());
    return std::move(*processors);
  }

  static std::unique_ptr<LoadedNetwork> Load(Processor& processor, const OperatorGraph& graph,
                                             std::size_t batch) {
    auto network = processor.Load(graph, batch);
    if (network.has_value()) return std::move(*network);
    ADD_FAILURE() << network.error().message;
    return nullptr;
  }

  // How far random networks are from the reference at worst.
  static double WorstOfRandomNetworks(const CudaOptions& options, std::uint64_t graphs) {
    const Processors processors = Make({16}, options);
    double worst = 0;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
      const OperatorGraph graph = FuseOperators(RandomGraph(seed, 24));
      const Values inputs = RandomInputs(graph, 2, seed);
      const auto network = Load(*processors[0], graph, 2);
      if (network == nullptr) return kInfinity;
      const auto run = network->NewRun();
      Fill(*run, inputs);
      EXPECT_EQ(run->RunLayers(0, network->LayerCount(), kGoOn), network->LayerCount());
      const double here = Difference(OutputsOf(*run, graph), ReferenceOutputs(graph, 2, inputs));
      worst = std::max(worst, here);
    }
    return worst;
  }
};

TEST_F(CudaProcessors, AreNamedAfterTheirMultiprocessors) {
  const Processors processors = Make({64, 32, 16, 16});
  ASSERT_EQ(processors.size(), 4U);
  EXPECT_EQ(processors[0]->name(), "sm64-0");
  EXPECT_EQ(processors[3]->name(), "sm16-3");
}

TEST_F(CudaProcessors, CannotHaveMoreMultiprocessorsThanTheGpu) {
  const auto processors = MakeCudaProcessors(std::vector<int>{64, 4096});
  ASSERT_FALSE(processors.has_value());
  EXPECT_THAT(processors.error().message, HasSubstr("together 4160; this GPU has "));
}

TEST_F(CudaProcessors, CannotHaveAnyNumberOfMultiprocessors) {
  const auto processors = MakeCudaProcessors(std::vector<int>{1});
  ASSERT_FALSE(processors.has_value());
  EXPECT_THAT(processors.error().message, HasSubstr("numbers are multiples of "));
}

TEST_F(CudaProcessors, ComputeWhatTheReferenceDoes) {
  EXPECT_LT(
      WorstOfRandomNetworks({.precision = CudaPrecision::kSingle, .search_algorithms = false}, 40),
      1e-4);
}

TEST_F(CudaProcessors, ComputeAboutTheSameInHalfPrecision) {
  EXPECT_LT(
      WorstOfRandomNetworks({.precision = CudaPrecision::kHalf, .search_algorithms = false}, 40),
      0.05);
}

TEST_F(CudaProcessors, ComputeTheSameWithSearchedAlgorithms) {
  EXPECT_LT(WorstOfRandomNetworks({.search_algorithms = true}, 10), 1e-4);
}

TEST_F(CudaProcessors, CarryLayersInAnyPieces) {
  const Processors processors = Make({16});
  const OperatorGraph graph = Tower(9, 16, 12);
  const Values inputs = RandomInputs(graph, 3, 1);
  const Values expected = ReferenceOutputs(graph, 3, inputs);
  const auto network = Load(*processors[0], graph, 3);
  for (std::size_t size : {1, 2, 4, 5}) {
    const auto run = network->NewRun();
    Fill(*run, inputs);
    for (std::size_t next = 0; next < network->LayerCount();)
      next = run->RunLayers(next, std::min(next + size, network->LayerCount()), kGoOn);
    EXPECT_LT(Difference(OutputsOf(*run, graph), expected), 1e-4) << "pieces of " << size;
  }
}

TEST_F(CudaProcessors, KeepInputsForAnotherPass) {
  const Processors processors = Make({16});
  const OperatorGraph graph = Tower(4, 8, 12);
  const Values inputs = RandomInputs(graph, 1, 1);
  const auto network = Load(*processors[0], graph, 1);
  const auto run = network->NewRun();
  Fill(*run, inputs);
  run->RunLayers(0, network->LayerCount(), kGoOn);
  const Values first = OutputsOf(*run, graph);
  run->RunLayers(0, network->LayerCount(), kGoOn);
  EXPECT_LT(Difference(OutputsOf(*run, graph), first), 1e-6);
}

TEST_F(CudaProcessors, BeginNothingOnceStopped) {
  const Processors processors = Make({16});
  const OperatorGraph graph = Tower(4, 8, 12);
  const auto network = Load(*processors[0], graph, 1);
  const auto run = network->NewRun();
  const std::atomic<bool> stop = true;
  EXPECT_EQ(run->RunLayers(2, 4, stop), 2U);
}

TEST_F(CudaProcessors, GoOnWhereTheyWereStopped) {
  const Processors processors =
      Make({16}, {.launch_ahead = std::chrono::microseconds(20), .search_algorithms = false});
  const OperatorGraph graph = Tower(400, 64, 56);  // takes many milliseconds
  const Values inputs = RandomInputs(graph, 1, 1);
  const auto network = Load(*processors[0], graph, 1);
  const auto run = network->NewRun();
  Fill(*run, inputs);
  run->RunLayers(0, network->LayerCount(), kGoOn);
  const Values expected = OutputsOf(*run, graph);
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stop = true;
  });
  const std::size_t next = run->RunLayers(0, network->LayerCount(), stop);
  stopper.join();
  EXPECT_LT(next, network->LayerCount());
  EXPECT_EQ(run->RunLayers(next, network->LayerCount(), kGoOn), network->LayerCount());
  EXPECT_LT(Difference(OutputsOf(*run, graph), expected), 1e-6);
}

TEST_F(CudaProcessors, HandOverAtEveryBoundary) {
  const Processors processors = Make({32, 16});
  const OperatorGraph graph = FuseOperators(RandomGraph(3, 24));
  const Values inputs = RandomInputs(graph, 2, 1);
  const Values expected = ReferenceOutputs(graph, 2, inputs);
  const auto from = Load(*processors[0], graph, 2);
  const auto to = Load(*processors[1], graph, 1);
  const auto first = from->NewRun();
  const auto second = to->NewRun();
  for (std::size_t layer = 0; layer <= from->LayerCount(); ++layer) {
    Fill(*first, inputs);
    first->RunLayers(0, layer, kGoOn);
    for (std::size_t sample : {0, 1}) {
      std::vector<float> numbers(static_cast<std::size_t>(LiveElements(graph, layer)));
      first->Save(layer, sample, numbers);
      second->Restore(layer, 0, numbers);
      second->RunLayers(layer, to->LayerCount(), kGoOn);
      Values part = expected;
      for (std::vector<float>& output : part) {
        const auto half = static_cast<std::ptrdiff_t>(output.size() / 2);
        output = sample == 0 ? std::vector<float>(output.begin(), output.begin() + half)
                             : std::vector<float>(output.begin() + half, output.end());
      }
      EXPECT_LT(Difference(OutputsOf(*second, graph), part), 1e-4)
          << "before layer " << layer << ", sample " << sample;
    }
  }
}

TEST_F(CudaProcessors, SaveOneRunWhileAnotherIsCarriedOut) {
  const Processors processors = Make({16});
  const OperatorGraph graph = Tower(8, 32, 28);
  const std::size_t layer = 5;
  const auto network = Load(*processors[0], graph, 1);
  const auto resting = network->NewRun();
  const auto busy = network->NewRun();
  Fill(*resting, RandomInputs(graph, 1, 1));
  Fill(*busy, RandomInputs(graph, 1, 2));
  resting->RunLayers(0, layer, kGoOn);
  std::vector<float> expected(static_cast<std::size_t>(LiveElements(graph, layer)));
  resting->Save(layer, 0, expected);
  std::atomic<int> readers = 2;
  std::atomic<int> differences = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      std::vector<float> numbers(expected.size());
      for (int k = 0; k < 200; ++k) {
        resting->Save(layer, 0, numbers);
        differences += numbers == expected ? 0 : 1;
      }
      --readers;
    });
  }
  while (readers > 0) {
    const auto made_meanwhile = network->NewRun();
    busy->RunLayers(0, network->LayerCount(), kGoOn);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differences, 0);
}

TEST_F(CudaProcessors, RunSideBySide) {
  const Processors processors = Make({64, 32, 16, 16});
  const OperatorGraph graph = Tower(12, 32, 28);
  const Values inputs = RandomInputs(graph, 1, 1);
  const Values expected = ReferenceOutputs(graph, 1, inputs);
  std::vector<double> worst(processors.size(), kInfinity);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    threads.emplace_back([&, i] {
      if (!processors[i]->Enter().has_value()) return;
      const auto network = Load(*processors[i], graph, 1);
      const auto run = network->NewRun();
      Fill(*run, inputs);
      worst[i] = 0;
      for (int pass = 0; pass < 200; ++pass) {
        run->RunLayers(0, network->LayerCount(), kGoOn);
        worst[i] = std::max(worst[i], Difference(OutputsOf(*run, graph), expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(*std::max_element(worst.begin(), worst.end()), 1e-4);
}

TEST_F(CudaProcessors, MakeRunsOnAnyThread) {
  const Processors processors = Make({16});
  const OperatorGraph graph = FuseOperators(RandomGraph(5, 24));
  const Values inputs = RandomInputs(graph, 1, 1);
  const auto network = Load(*processors[0], graph, 1);
  double difference = kInfinity;
  std::thread([&] {
    if (!processors[0]->Enter().has_value()) return;
    const auto run = network->NewRun();
    Fill(*run, inputs);
    run->RunLayers(0, network->LayerCount(), kGoOn);
    difference = Difference(OutputsOf(*run, graph), ReferenceOutputs(graph, 1, inputs));
  }).join();
  EXPECT_LT(difference, 1e-4);
}

TEST_F(CudaProcessors, SurviveNetworksThatAreTooLarge) {
  const Processors processors = Make({16});
  const OperatorGraph graph = Tower(2, 8, 64);
  const auto refused = processors[0]->Load(graph, 100'000'000);  // terabytes
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("tower: "));
  EXPECT_THAT(refused.error().message, HasSubstr("out of memory"));
  EXPECT_FALSE(CudaDeviceLost(0));
  const auto network = Load(*processors[0], graph, 1);
  ASSERT_NE(network, nullptr);
  const auto run = network->NewRun();
  EXPECT_EQ(run->RunLayers(0, 2, kGoOn), 2U);
}

}  // namespace
}  // namespace fairlead
