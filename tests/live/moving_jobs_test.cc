// Jobs that change processors and batches in the middle of a network, on real processors whose
// layouts of the same tensor differ: what comes out is what comes out in one go.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/network_work.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kJobs = 24;

WeightsPointer RandomWeights(const TensorDims& dims, RandomStream& random) {
  auto weights = std::make_shared<Weights>();
  weights->dims = dims;
  for (std::int64_t i = 0; i < ElementsOf(dims); ++i)
    weights->values.push_back(static_cast<float>(0.2 * random.Normal()));
  return weights;
}

// A residual network in small: convolutions with odd numbers of channels around a sum, a pool, and
// a linear layer; the first convolution is read again near the end.
class SmallNetwork {
 public:
  OperatorGraph Build() {
    const TensorIndex input = Tensor({3, 12, 12});
    const TensorIndex first = Convolve(input, 3, 19);
    const TensorIndex second = Convolve(first, 19, 19);
    const TensorIndex third = Add(Convolve(second, 19, 19), first);
    const TensorIndex fourth = Relu(Convolve(third, 19, 19));
    const TensorIndex fifth = Add(fourth, first);
    const TensorIndex pooled = Tensor({19, 6, 6});
    constexpr std::int64_t kPooled = std::int64_t{19} * 6 * 6;
    Push(Pool{.window = {.kernel = {2, 2}, .stride = {2, 2}}}, {fifth}, pooled);
    const TensorIndex flat = Tensor({kPooled});
    Push(Reshape{}, {pooled}, flat);
    const TensorIndex output = Tensor({7});
    Push(Linear{.weights = RandomWeights({7, kPooled}, random_),
                .bias = RandomWeights({7}, random_)},
         {flat}, output);
    graph_.inputs = {input};
    graph_.outputs = {output};
    return std::move(graph_);
  }

 private:
  TensorIndex Tensor(TensorDims dims) {
    graph_.tensors.push_back(
        {.name = std::to_string(graph_.tensors.size()), .dims = std::move(dims)});
    return static_cast<TensorIndex>(graph_.tensors.size() - 1);
  }
  void Push(OperatorBody body, std::vector<TensorIndex> inputs, TensorIndex output) {
    graph_.operators.push_back({.name = std::to_string(graph_.operators.size()),
                                .body = std::move(body),
                                .inputs = std::move(inputs),
                                .output = output});
  }
  TensorIndex Convolve(TensorIndex from, std::int64_t inputs, std::int64_t outputs) {
    const TensorIndex to = Tensor({outputs, 12, 12});
    Push(Convolution{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
                     .weights = RandomWeights({outputs, inputs, 3, 3}, random_),
                     .bias = RandomWeights({outputs}, random_)},
         {from}, to);
    return to;
  }
  TensorIndex Add(TensorIndex a, TensorIndex b) {
    const TensorIndex to = Tensor({19, 12, 12});
    Push(Binary{.kind = BinaryKind::kAdd}, {a, b}, to);
    return to;
  }
  TensorIndex Relu(TensorIndex from) {
    const TensorIndex to = Tensor({19, 12, 12});
    Push(Activation{.kind = ActivationKind::kRelu}, {from}, to);
    return to;
  }

  OperatorGraph graph_{.name = "small"};
  RandomStream random_{1, "weights"};
};

// A processor for each cap on instructions, so that jobs move between different layouts.
Result<std::unique_ptr<LoadedNetworks>> LoadOnThreeProcessors() {
  const std::vector<int> cores = Machine::This().UsableCores();
  LoadSpec spec;
  for (const InstructionCap cap :
       {InstructionCap::kNone, InstructionCap::kSse41, InstructionCap::kAvx2}) {
    ASSIGN_OR_RETURN(auto processor,
                     MakeCpuPartition({.name = std::string(Name(cap)),
                                       .cores = {cores[spec.processors.size() % cores.size()]},
                                       .cap = cap,
                                       .cache_folder = ""}));
    spec.processors.push_back(std::move(processor));
    spec.batches.push_back({{1, 3}});
  }
  spec.networks.push_back({.graph = SmallNetwork().Build(), .bounds = {}});
  const std::size_t layers = spec.networks[0].graph.operators.size();
  for (std::size_t layer = 0; layer <= layers; ++layer) spec.networks[0].bounds.push_back(layer);
  return LoadedNetworks::Load(std::move(spec));
}

void FillInput(std::uint64_t serial, std::span<float> numbers) {
  RandomStream random(serial, "input");
  for (float& number : numbers) number = static_cast<float>(random.Normal());
}

// Each job's next layer, together with others that are as far, on any processor.
void MoveAtEveryLayer(const LoadedNetworks& networks, NetworkWork& work, std::size_t layers) {
  RandomStream random(1, "moves");
  const ManualClock clock;
  std::map<std::uint64_t, std::size_t> next;
  for (std::uint64_t serial = 1; serial <= kJobs; ++serial) next[serial] = 0;
  while (!next.empty()) {
    Assignment segment;
    segment.accelerator = AcceleratorId{random.Below(networks.accelerators())};
    segment.network = NetworkId{0};
    const std::size_t layer =
        std::next(next.begin(), static_cast<std::ptrdiff_t>(random.Below(next.size())))->second;
    segment.segment = SegmentId{layer};
    const std::size_t most = 1 + random.Below(3);
    for (const auto& [serial, at] : next) {
      if (at != layer || segment.jobs.size() == most) continue;
      segment.jobs.emplace_back(serial);
      segment.serials.push_back(serial);
    }
    SegmentRun run(segment, Duration{1}, clock);
    ASSERT_EQ(work.CarryOut(run), WorkResult::kDone);
    for (const std::uint64_t serial : segment.serials) {
      if (++next[serial] == layers) next.erase(serial);
    }
  }
}

TEST(MovingJobs, ComputeWhatTheyWouldInOneGo) {
  auto loaded = LoadOnThreeProcessors();
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const LoadedNetworks& networks = **loaded;
  const std::size_t layers = SmallNetwork().Build().operators.size();
  std::map<std::uint64_t, std::vector<float>> outputs;
  NetworkWork work(
      networks, {.input = [](const JobSample& tensor,
                             std::span<float> numbers) { FillInput(tensor.job.serial, numbers); },
                 .output =
                     [&](const JobSample& tensor, std::span<const float> numbers) {
                       outputs[tensor.job.serial] = {numbers.begin(), numbers.end()};
                     }});
  MoveAtEveryLayer(networks, work, layers);

  const RunPool& pool = networks.pools()[networks.PoolFor(AcceleratorId{0}, NetworkId{0}, 1)];
  NetworkRun& whole = *pool.runs[0];
  const std::atomic<bool> never = false;
  ASSERT_EQ(outputs.size(), kJobs);
  for (const auto& [serial, numbers] : outputs) {
    FillInput(serial, whole.Input(0));
    whole.RunLayers(0, layers, never);
    const std::span<const float> expected = whole.Output(0);
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_NEAR(numbers[i], expected[i], 1e-4F * (1 + std::abs(expected[i]))) << serial;
  }
  EXPECT_TRUE(work.Empty());
}

}  // namespace
}  // namespace fairlead
