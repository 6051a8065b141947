// What is said when a GPU fails for good, when its memory is full, and when a kernel never ends.
// Needs a GPU; skipped where there is none, or where an earlier test of this process took it.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "fairlead/execution/cuda/cuda_plan.h"
#include "fairlead/execution/cuda/cuda_processors.h"
#include "fairlead/execution/cuda/cuda_run.h"
#include "fairlead/execution/cuda/gpu_partition.h"
#include "fairlead/execution/live_tensors.h"
#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_fusion.h"

namespace fairlead {
namespace {

using testing::Each;
using testing::HasSubstr;

const std::atomic<bool> kGoOn = false;

// Kernels that no network has.
constexpr const char* kKernels = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry write_to_nowhere() {
  .reg .b32 %number;
  .reg .b64 %address;
  mov.u32 %number, 1;
  mov.u64 %address, 16;
  st.global.u32 [%address], %number;
  ret;
}
.visible .entry wait_for(.param .u64 flag) {
  .reg .pred %set;
  .reg .b32 %number;
  .reg .b64 %address;
  ld.param.u64 %address, [flag];
again:
  ld.volatile.global.u32 %number, [%address];
  setp.ne.u32 %set, %number, 0;
  @!%set bra again;
  ret;
}
)";

void Launch(const char* kernel, cudaStream_t stream, void** arguments) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, kKernels), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, kernel), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
            CUDA_SUCCESS);
}

// Layers that each double an image of 16 MiB.
OperatorGraph Doublings(std::size_t layers) {
  GraphBuilder builder("doublings");
  TensorIndex x = builder.Input("image", {16, 512, 512});
  for (std::size_t i = 0; i < layers; ++i)
    x = builder.Apply("double" + std::to_string(i), Binary{.kind = BinaryKind::kAdd}, {x, x});
  builder.Output(x);
  return FuseOperators(builder.Take());
}

std::vector<float> NumbersAt(const OperatorGraph& graph, std::size_t layer) {
  return std::vector<float>(static_cast<std::size_t>(LiveElements(graph, layer)));
}

// "lost", what else was thrown, or nothing.
template <typename Work>
std::string ThrownBy(const Work& work) {
  try {
    work();
    return "";
  } catch (const ProcessorLost&) {
    return "lost";
  } catch (const std::exception& error) {
    return error.what();
  }
}

class CudaLoss : public testing::Test {
 protected:
  void SetUp() override {
    if (CudaDeviceLost(0)) GTEST_SKIP() << "there is no GPU, or no more";
  }
};

TEST_F(CudaLoss, AnIllegalAddressLosesAllProcessors) {
  const auto processors =
      MakeCudaProcessors(std::vector<int>{16, 16}, {.search_algorithms = false}).value();
  const OperatorGraph graph = Doublings(4);
  std::vector<std::unique_ptr<LoadedNetwork>> networks;
  std::vector<std::unique_ptr<NetworkRun>> runs;
  for (const auto& processor : processors) {
    ASSERT_TRUE(processor->Enter().has_value());
    networks.push_back(processor->Load(graph, 1).value());
    runs.push_back(networks.back()->NewRun());
    ASSERT_EQ(runs.back()->RunLayers(0, 2, kGoOn), 2U);
  }
  std::vector<float> numbers = NumbersAt(graph, 2);
  runs[0]->Save(2, 0, numbers);

  Launch("write_to_nowhere", nullptr, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_TRUE(CudaDeviceLost(0));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(ThrownBy([&] { runs[i]->RunLayers(2, 4, kGoOn); }), "lost");
    EXPECT_EQ(ThrownBy([&] { runs[i]->Save(2, 0, numbers); }), "lost");
    EXPECT_EQ(ThrownBy([&] { runs[i]->Restore(2, 0, numbers); }), "lost");
    EXPECT_EQ(ThrownBy([&] { runs[i]->Output(0); }), "lost");
    EXPECT_EQ(ThrownBy([&] { networks[i]->NewRun(); }), "lost");
    const auto loaded = processors[i]->Load(graph, 2);
    ASSERT_FALSE(loaded.has_value());
    EXPECT_THAT(loaded.error().message, HasSubstr("doublings: "));
  }
}

TEST_F(CudaLoss, IsNoticedWhileLayersRun) {
  const auto processors =
      MakeCudaProcessors(std::vector<int>{16}, {.search_algorithms = false}).value();
  ASSERT_TRUE(processors[0]->Enter().has_value());
  const OperatorGraph graph = Doublings(400);
  const auto network = processors[0]->Load(graph, 1).value();
  const auto run = network->NewRun();
  Launch("write_to_nowhere", nullptr, nullptr);
  EXPECT_EQ(ThrownBy([&] {
              while (true) run->RunLayers(0, network->LayerCount(), kGoOn);
            }),
            "lost");
}

// Takes all of the GPU's memory that is left, also what the driver has put by for streams.
class FullMemory {
 public:
  FullMemory() {
    for (std::size_t size = std::size_t{1} << 34; size >= 512; size /= 2) {
      for (void* memory = nullptr; cudaMalloc(&memory, size) == cudaSuccess;)
        blocks_.push_back(memory);
    }
    for (cudaStream_t stream = nullptr;
         streams_.size() < 20'000 &&
         cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;)
      streams_.push_back(stream);
    static_cast<void>(cudaGetLastError());
  }
  ~FullMemory() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (void* block : blocks_) cudaFree(block);
  }
  FullMemory(const FullMemory&) = delete;
  FullMemory& operator=(const FullMemory&) = delete;

 private:
  std::vector<void*> blocks_;
  std::vector<cudaStream_t> streams_;
};

TEST_F(CudaLoss, FullMemoryIsNone) {
  const auto processors =
      MakeCudaProcessors(std::vector<int>{16}, {.search_algorithms = false}).value();
  ASSERT_TRUE(processors[0]->Enter().has_value());
  const OperatorGraph graph = Doublings(4);
  const auto network = processors[0]->Load(graph, 1).value();
  const auto from = network->NewRun();
  const auto to = network->NewRun();
  std::fill(from->Input(0).begin(), from->Input(0).end(), 1.0F);
  ASSERT_EQ(from->RunLayers(0, 2, kGoOn), 2U);
  std::vector<float> numbers = NumbersAt(graph, 2);
  {
    const FullMemory full;
    EXPECT_THAT(ThrownBy([&] { from->Save(2, 0, numbers); }), HasSubstr("out of memory"));
    EXPECT_THAT(ThrownBy([&] { to->Restore(2, 0, numbers); }), HasSubstr("out of memory"));
    EXPECT_THAT(ThrownBy([&] { network->NewRun(); }), HasSubstr("out of memory"));
    EXPECT_FALSE(CudaDeviceLost(0));
    std::thread([&] {  // which CUDA has not seen before
      EXPECT_THAT(ThrownBy([&] { from->Save(2, 0, numbers); }), HasSubstr("out of memory"));
      EXPECT_FALSE(CudaDeviceLost(0));
    })
        .join();
  }
  from->Save(2, 0, numbers);
  EXPECT_THAT(numbers, Each(4.0F));
  to->Restore(2, 0, numbers);
  EXPECT_EQ(to->RunLayers(2, 4, kGoOn), 4U);
  EXPECT_EQ(to->Output(0)[0], 16.0F);
}

// A flag that kernels read, in the host's memory.
class Flag {
 public:
  Flag() {
    EXPECT_EQ(cudaHostAlloc(&host_, sizeof(int), cudaHostAllocMapped), cudaSuccess);
    Set(0);
    EXPECT_EQ(cudaHostGetDevicePointer(&device_, host_, 0), cudaSuccess);
  }
  void** arguments() { return arguments_; }
  void Set(int value) { *static_cast<volatile int*>(host_) = value; }

 private:
  void* host_ = nullptr;
  void* device_ = nullptr;
  void* arguments_[1] = {&device_};
};

TEST_F(CudaLoss, AKernelThatNeverEndsLosesItsProcessorOnceStopped) {
  const auto partitions = MakeGpuPartitions(0, std::vector<int>{16, 16}).value();
  const OperatorGraph graph = Doublings(4);
  const CudaOptions options{.patience = std::chrono::milliseconds(200), .search_algorithms = false};
  WeightStore store;
  std::vector<std::shared_ptr<const CudaPlan>> plans;
  std::vector<std::unique_ptr<CudaRun>> runs;
  for (const auto& partition : partitions) {
    partition->library().Do([&] {
      plans.push_back(MakeCudaPlan({.graph = graph,
                                    .batch = 1,
                                    .partition = partition,
                                    .store = store,
                                    .searching = nullptr,
                                    .options = options})
                          .value());
      runs.push_back(std::make_unique<CudaRun>(plans.back()));
    });
    ASSERT_EQ(runs.back()->RunLayers(0, 4, kGoOn), 4U);
  }
  std::vector<float> numbers = NumbersAt(graph, 2);
  Flag flag;
  Launch("wait_for", partitions[0]->stream(), flag.arguments());
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  EXPECT_EQ(ThrownBy([&] { runs[0]->RunLayers(0, 4, stop); }), "lost");
  stopper.join();
  EXPECT_EQ(ThrownBy([&] { runs[0]->RunLayers(0, 4, kGoOn); }), "lost");
  EXPECT_EQ(ThrownBy([&] { runs[0]->Save(2, 0, numbers); }), "lost");
  EXPECT_EQ(ThrownBy([&] { runs[0]->Output(0); }), "lost");
  EXPECT_EQ(ThrownBy([&] { CudaRun another(plans[0]); }), "lost");
  // The other part works on, and nothing waits for the kernel.
  EXPECT_FALSE(CudaDeviceLost(0));
  EXPECT_EQ(runs[1]->RunLayers(0, 4, kGoOn), 4U);
  runs.clear();
  flag.Set(1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace fairlead
