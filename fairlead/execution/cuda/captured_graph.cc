#include "fairlead/execution/cuda/captured_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAException.h>

namespace fairlead {
namespace {

// Ends the capture also when the work throws.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    // Other threads go on allocating and synchronizing, for other partitions.
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  }
  ~Capture() {
    if (ended_) return;
    cudaGraph_t unfinished = nullptr;
    cudaStreamEndCapture(stream_, &unfinished);
    if (unfinished != nullptr) cudaGraphDestroy(unfinished);
    static_cast<void>(cudaGetLastError());
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  cudaGraph_t End() {
    ended_ = true;
    cudaGraph_t graph = nullptr;
    C10_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

 private:
  cudaStream_t stream_;
  bool ended_ = false;
};

}  // namespace

CapturedGraph& CapturedGraph::operator=(CapturedGraph&& other) noexcept {
  std::swap(graph_, other.graph_);
  std::swap(launchable_, other.launchable_);
  return *this;
}

CapturedGraph::~CapturedGraph() {
  if (launchable_ != nullptr) cudaGraphExecDestroy(launchable_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
}

CapturedGraph CapturedGraph::Of(cudaStream_t stream, const std::function<void()>& work) {
  CapturedGraph captured;
  Capture capture(stream);
  work();
  captured.graph_ = capture.End();
  captured.Prepare(stream);
  return captured;
}

CapturedGraph CapturedGraph::Chain(std::span<const CapturedGraph> parts, cudaStream_t stream) {
  CapturedGraph chain;
  C10_CUDA_CHECK(cudaGraphCreate(&chain.graph_, 0));
  cudaGraphNode_t before = nullptr;
  for (const CapturedGraph& part : parts) {
    if (part.empty()) continue;
    cudaGraphNode_t node = nullptr;
    C10_CUDA_CHECK(cudaGraphAddChildGraphNode(&node, chain.graph_, &before,
                                              before == nullptr ? 0 : 1, part.graph_));
    before = node;
  }
  chain.Prepare(stream);
  return chain;
}

void CapturedGraph::Launch(cudaStream_t stream) const {
  C10_CUDA_CHECK(cudaGraphLaunch(launchable_, stream));
}

void CapturedGraph::Prepare(cudaStream_t stream) {
  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &nodes));
  if (nodes == 0) return;
  C10_CUDA_CHECK(cudaGraphInstantiate(&launchable_, graph_, 0));
  C10_CUDA_CHECK(cudaGraphUpload(launchable_, stream));  // or the first launch would be slower
}

CapturePool::CapturePool(int device, cudaStream_t stream)
    : device_(static_cast<c10::DeviceIndex>(device)), id_(at::cuda::graph_pool_handle()) {
  c10::cuda::CUDACachingAllocator::beginAllocateToPool(
      device_, id_, [stream](cudaStream_t used) { return used == stream; });
}

CapturePool::~CapturePool() {
  Close();
  c10::cuda::CUDACachingAllocator::releasePool(device_, id_);
}

void CapturePool::Close() {
  if (!open_) return;
  open_ = false;
  c10::cuda::CUDACachingAllocator::endAllocateToPool(device_, id_);
}

}  // namespace fairlead
