#include "fairlead/execution/onednn/cpu_partition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "fairlead/execution/live_tensors.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/testing/sample_graphs.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/networks/reference_operators.h"
#include "fairlead/networks/testing/random_graph.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

const std::atomic<bool> kNeverStop = false;

using Numbers = std::vector<std::vector<float>>;

double Difference(const Numbers& got, const Numbers& expected) {
  double largest = 1e-3;
  double difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      const auto wanted = static_cast<double>(expected[i][j]);
      largest = std::max(largest, std::abs(wanted));
      const double error = std::abs(static_cast<double>(got[i][j]) - wanted);
      if (!(error <= difference)) difference = error;
    }
  }
  return difference / largest;
}

void Write(const Numbers& inputs, NetworkRun& run) {
  for (std::size_t i = 0; i < inputs.size(); ++i) std::ranges::copy(inputs[i], run.Input(i).data());
}

Numbers Read(const OperatorGraph& graph, NetworkRun& run) {
  Numbers outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    outputs.emplace_back(run.Output(i).begin(), run.Output(i).end());
  return outputs;
}

// One sample of each tensor.
Numbers SampleOf(const Numbers& batched, std::size_t batch, std::size_t sample) {
  Numbers one;
  for (const std::vector<float>& numbers : batched) {
    const std::size_t size = numbers.size() / batch;
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(sample * size);
    one.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return one;
}

std::unique_ptr<Processor> MakePartition(std::vector<int> cores,
                                         InstructionCap cap = InstructionCap::kNone) {
  auto partition =
      MakeCpuPartition({.name = "test", .cores = std::move(cores), .cap = cap, .cache_folder = ""});
  EXPECT_TRUE(partition.has_value()) << partition.error().message;
  return std::move(*partition);
}

// Each test on a thread of its own, since entering binds the thread.
template <typename Body>
void OnThread(const Body& body) {
  std::thread(body).join();
}

std::unique_ptr<LoadedNetwork> LoadOn(Processor& partition, const OperatorGraph& graph,
                                      std::size_t batch) {
  auto network = partition.Load(graph, batch);
  EXPECT_TRUE(network.has_value()) << network.error().message;
  return std::move(*network);
}

// ---- Whole networks ------------------------------------------------------------------------

class RandomNetworks : public testing::TestWithParam<std::uint64_t> {
 protected:
  const OperatorGraph graph_ = FuseOperators(RandomGraph(GetParam(), 14));
};

TEST_P(RandomNetworks, AgreeWithTheReference) {
  OnThread([&] {
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    for (std::size_t batch : {std::size_t{1}, std::size_t{3}}) {
      const auto network = LoadOn(*partition, graph_, batch);
      const auto run = network->NewRun();
      const Numbers inputs = RandomInputs(graph_, static_cast<std::int64_t>(batch), 5);
      const Numbers expected = ReferenceOutputs(graph_, static_cast<std::int64_t>(batch), inputs);
      Write(inputs, *run);
      for (int pass = 0; pass < 2; ++pass) {
        EXPECT_EQ(run->RunLayers(0, network->LayerCount(), kNeverStop), network->LayerCount());
        EXPECT_LT(Difference(Read(graph_, *run), expected), 1e-4) << "pass " << pass;
      }
    }
  });
}

// From the second sample of three, with all instructions, to the first of two below a cap.
TEST_P(RandomNetworks, MoveToAnotherPartitionAtAnyBoundary) {
  OnThread([&] {
    const auto wide = MakePartition({Machine::This().UsableCores().front()});
    const auto narrow =
        MakePartition({Machine::This().UsableCores().front()}, InstructionCap::kAvx2);
    ASSERT_TRUE(wide->Enter().has_value());
    const auto from = LoadOn(*wide, graph_, 3);
    const auto to = LoadOn(*narrow, graph_, 2);
    const auto first = from->NewRun();
    const auto second = to->NewRun();
    const Numbers inputs = RandomInputs(graph_, 3, 5);
    const Numbers expected = SampleOf(ReferenceOutputs(graph_, 3, inputs), 3, 1);
    Write(inputs, *first);
    for (std::size_t layer = 0; layer <= from->LayerCount(); ++layer) {
      first->RunLayers(0, layer, kNeverStop);
      std::vector<float> numbers(static_cast<std::size_t>(LiveElements(graph_, layer)));
      first->Save(layer, 1, numbers);
      second->Restore(layer, 0, numbers);
      second->RunLayers(layer, to->LayerCount(), kNeverStop);
      EXPECT_LT(Difference(SampleOf(Read(graph_, *second), 2, 0), expected), 1e-4)
          << "before layer " << layer;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetworks, testing::Range<std::uint64_t>(1, 17));
INSTANTIATE_TEST_SUITE_P(ManySeeds_slow, RandomNetworks, testing::Range<std::uint64_t>(100, 300));

// ---- Memory --------------------------------------------------------------------------------

Convolution PointConvolution(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed) {
  return {.weights = SampleWeights({outputs, inputs, 1, 1}, seed)};
}

// Like a dense block: each layer reads all results before it.
OperatorGraph DenseGraph(int layers) {
  OperatorGraph graph{.name = "dense", .tensors = {{.name = "in", .dims = {16, 6, 6}}}};
  graph.inputs = {0};
  std::vector<TensorIndex> all = {0};
  TensorIndex whole = 0;
  const auto add = [&](OperatorBody body, std::vector<TensorIndex> inputs, TensorDims dims) {
    const auto output = static_cast<TensorIndex>(graph.tensors.size());
    graph.tensors.push_back({.name = fmt::format("t{}", output), .dims = std::move(dims)});
    graph.operators.push_back({.name = fmt::format("op{}", output),
                               .body = std::move(body),
                               .inputs = std::move(inputs),
                               .output = output});
    return output;
  };
  for (std::int64_t i = 1; i <= layers; ++i) {
    all.push_back(
        add(PointConvolution(16 * i, 16, static_cast<std::uint64_t>(i)), {whole}, {16, 6, 6}));
    whole = add(Concatenation{}, all, {16 * (i + 1), 6, 6});
  }
  graph.outputs = {whole};
  return graph;
}

TEST(CpuPartition, ComputesPartsRightIntoTheirConcatenation) {
  OnThread([] {
    const OperatorGraph graph = DenseGraph(5);
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = LoadOn(*partition, graph, 1);
    const auto run = network->NewRun();
    const Numbers inputs = RandomInputs(graph, 1, 5);
    Write(inputs, *run);
    run->RunLayers(0, network->LayerCount(), kNeverStop);
    EXPECT_LT(Difference(Read(graph, *run), ReferenceOutputs(graph, 1, inputs)), 1e-4);
    // The input is given from outside, so it has to be copied; but only once.
    int copied = 0;
    for (std::size_t layer = 0; layer < network->LayerCount(); ++layer) {
      if (std::holds_alternative<Concatenation>(graph.operators[layer].body) &&
          !network->Implementation(layer).starts_with("nothing"))
        ++copied;
    }
    EXPECT_LE(copied, 5);
  });
}

// A constant image that two layers read, in another layout than its own.
TEST(CpuPartition, MovesConstantsToo) {
  OperatorGraph graph{
      .name = "constants",
      .tensors = {{.name = "in", .dims = {16, 8, 8}},
                  {.name = "k", .dims = {16, 8, 8}, .constant = SampleWeights({16, 8, 8}, 9)}},
      .inputs = {0}};
  TensorIndex last = 0;
  const auto add = [&](OperatorBody body, std::vector<TensorIndex> inputs) {
    last = static_cast<TensorIndex>(graph.tensors.size());
    graph.tensors.push_back({.name = fmt::format("t{}", last), .dims = {16, 8, 8}});
    graph.operators.push_back({.name = fmt::format("op{}", last),
                               .body = std::move(body),
                               .inputs = std::move(inputs),
                               .output = last});
  };
  for (std::uint64_t i = 0; i < 2; ++i) {
    Convolution convolution{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
                            .weights = SampleWeights({16, 16, 3, 3}, i)};
    add(std::move(convolution), {last});
    add(Binary{BinaryKind::kMultiply}, {last, 1});
  }
  graph.outputs = {last};
  OnThread([&] {
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = LoadOn(*partition, graph, 1);
    const auto first = network->NewRun();
    const auto second = network->NewRun();
    const Numbers inputs = RandomInputs(graph, 1, 5);
    Write(inputs, *first);
    first->RunLayers(0, 2, kNeverStop);
    std::vector<float> numbers(static_cast<std::size_t>(LiveElements(graph, 2)));
    first->Save(2, 0, numbers);
    second->Restore(2, 0, numbers);
    second->RunLayers(2, 4, kNeverStop);
    EXPECT_LT(Difference(Read(graph, *second), ReferenceOutputs(graph, 1, inputs)), 1e-4);
  });
}

// ---- Interruptions -------------------------------------------------------------------------

TEST(CpuPartition, StopsBeforeTheNextLayer) {
  OnThread([] {
    const OperatorGraph graph = DenseGraph(3);
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto run = LoadOn(*partition, graph, 1)->NewRun();
    const std::atomic<bool> stop = true;
    EXPECT_EQ(run->RunLayers(2, 5, stop), 2U);
  });
}

TEST(CpuPartition, GoesOnWhereItStopped) {
  OnThread([] {
    const OperatorGraph graph = DenseGraph(4);
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = LoadOn(*partition, graph, 1);
    const auto run = network->NewRun();
    const auto other = network->NewRun();  // in between, with other numbers
    const Numbers inputs = RandomInputs(graph, 1, 5);
    Write(inputs, *run);
    Write(RandomInputs(graph, 1, 6), *other);
    for (std::size_t layer = 0; layer < network->LayerCount(); ++layer) {
      run->RunLayers(layer, layer + 1, kNeverStop);
      other->RunLayers(layer, layer + 1, kNeverStop);
    }
    EXPECT_LT(Difference(Read(graph, *run), ReferenceOutputs(graph, 1, inputs)), 1e-4);
  });
}

TEST(CpuPartition, RunsBesideOthers) {
  const std::vector<int> cores = Machine::This().UsableCores();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  const OperatorGraph graph = DenseGraph(4);
  const Numbers inputs = RandomInputs(graph, 1, 5);
  const Numbers expected = ReferenceOutputs(graph, 1, inputs);
  const auto work = [&](int core) {
    const auto partition = MakePartition({core});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = LoadOn(*partition, graph, 1);
    const auto run = network->NewRun();
    Write(inputs, *run);
    for (int pass = 0; pass < 20; ++pass) run->RunLayers(0, network->LayerCount(), kNeverStop);
    EXPECT_LT(Difference(Read(graph, *run), expected), 1e-4);
  };
  std::thread first(work, cores[0]);
  std::thread second(work, cores[1]);
  first.join();
  second.join();
}

TEST(CpuPartition, UsesAllItsCores) {
  const std::vector<int> cores = Machine::This().UsableCores();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  OnThread([&] {
    const OperatorGraph graph = DenseGraph(4);
    const auto partition = MakePartition({cores[0], cores[1]});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = LoadOn(*partition, graph, 1);
    const auto run = network->NewRun();
    const Numbers inputs = RandomInputs(graph, 1, 5);
    Write(inputs, *run);
    run->RunLayers(0, network->LayerCount(), kNeverStop);
    EXPECT_LT(Difference(Read(graph, *run), ReferenceOutputs(graph, 1, inputs)), 1e-4);
  });
}

TEST(CpuPartition, BindsTheThreadThatEnters) {
  const int core = Machine::This().UsableCores().back();
  OnThread([&] {
    const auto partition = MakePartition({core});
    ASSERT_TRUE(partition->Enter().has_value());
    EXPECT_EQ(sched_getcpu(), core);
  });
}

// ---- Refusals ------------------------------------------------------------------------------

std::string RefusalOf(const OperatorGraph& graph, std::size_t batch) {
  std::string refusal;
  OnThread([&] {
    const auto partition = MakePartition({Machine::This().UsableCores().front()});
    ASSERT_TRUE(partition->Enter().has_value());
    const auto network = partition->Load(graph, batch);
    ASSERT_FALSE(network.has_value());
    refusal = network.error().message;
  });
  return refusal;
}

TEST(CpuPartition, NamesTheOperatorThatItCannotCarryOut) {
  const OperatorGraph graph = SingleOperator(Pool{.window = {.kernel = {2, 2}}}, {{4, 8}}, {4, 7});
  EXPECT_THAT(RefusalOf(graph, 1), HasSubstr("operator 'op' (Pool)"));
}

TEST(CpuPartition, RefusesMoreThanTheMachineHas) {
  const TensorDims huge = {1 << 14, 1 << 13, 1 << 13};  // four terabytes
  const OperatorGraph graph = SingleOperator(Reshape{}, {huge}, {ElementsOf(huge)});
  EXPECT_THAT(RefusalOf(graph, 1), HasSubstr("more than this machine has"));
}

TEST(CpuPartition, RefusesNetworksThatTakeHours) {
  auto weights = std::make_shared<Weights>();  // refused before anybody looks at their values
  weights->dims = {1, 100'000'000, 1, 1};
  const OperatorGraph graph =
      SingleOperator(Convolution{.weights = std::move(weights)}, {{1, 1, 1}}, {1, 1, 1});
  EXPECT_THAT(RefusalOf(graph, 1'000'000), HasSubstr("multiplications"));
}

TEST(MakeCpuPartition, RefusesCoresThatAreNotThere) {
  const auto partition = MakeCpuPartition({.name = "p", .cores = {100'000}, .cache_folder = ""});
  ASSERT_FALSE(partition.has_value());
  EXPECT_THAT(partition.error().message, HasSubstr("there is no core 100000"));
}

TEST(MakeCpuPartition, RefusesACoreThatStandsTwice) {
  const int core = Machine::This().UsableCores().front();
  const auto partition = MakeCpuPartition({.name = "p", .cores = {core, core}});
  ASSERT_FALSE(partition.has_value());
  EXPECT_THAT(partition.error().message, HasSubstr("twice"));
}

TEST(MakeCpuPartition, RefusesNoCores) {
  EXPECT_FALSE(MakeCpuPartition({.name = "p"}).has_value());
}

// ---- Tunings -------------------------------------------------------------------------------

TEST(CpuPartition, RemembersWhatItMeasured) {
  OnThread([] {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                         fmt::format("fairlead_tunings_test_{}", getpid());
    std::filesystem::remove_all(folder);
    const OperatorGraph graph = DenseGraph(3);
    const auto implementations = [&] {
      const auto partition = MakeCpuPartition({.name = "p",
                                               .cores = {Machine::This().UsableCores().front()},
                                               .cache_folder = folder.string()});
      EXPECT_TRUE((*partition)->Enter().has_value());
      const auto network = LoadOn(**partition, graph, 1);
      std::vector<std::string> all;
      for (std::size_t layer = 0; layer < network->LayerCount(); ++layer)
        all.push_back(network->Implementation(layer));
      return all;
    };
    const std::vector<std::string> first = implementations();
    ASSERT_FALSE(std::filesystem::is_empty(folder));
    EXPECT_EQ(implementations(), first);
    std::filesystem::remove_all(folder);
  });
}

}  // namespace
}  // namespace fairlead
