#include "fairlead/execution/cuda/cuda_run.h"

#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <limits>
#include <utility>

#undef CHECK  // libtorch's
#include "fairlead/base/check.h"
#include "fairlead/execution/cuda/cuda_check.h"
#include "fairlead/execution/cuda/on_stream.h"
#include "fairlead/execution/live_tensors.h"

namespace fairlead {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What `work` returns. An exception becomes ProcessorLost where the GPU is.
template <typename Work>
auto OrLost(const CudaPlan& plan, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    if (!CudaDeviceLost(plan.partition->device())) throw;
    throw ProcessorLost(FirstLine(error.what()));
  }
}

std::size_t SampleSize(const OperatorGraph& graph, TensorIndex tensor) {
  return static_cast<std::size_t>(ElementsOf(graph.tensors[tensor].dims));
}

// The same place in memory, without keeping it.
at::Tensor ViewOf(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options());
}

}  // namespace

LaunchesAhead::LaunchesAhead(cudaStream_t stream) : stream_(stream) {
  for (Launch& launch : ring_)
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&launch.end, cudaEventDisableTiming));
}

LaunchesAhead::~LaunchesAhead() {
  for (Launch& launch : ring_) cudaEventDestroy(launch.end);
}

void LaunchesAhead::Add(Duration duration) {
  Launch& launch = ring_[(oldest_ + count_) % kMost];
  C10_CUDA_CHECK(cudaEventRecord(launch.end, stream_));
  launch.duration = duration;
  duration_ += duration;
  ++count_;
}

void LaunchesAhead::AwaitOldest() {
  C10_CUDA_CHECK(cudaEventSynchronize(ring_[oldest_].end));
  duration_ -= ring_[oldest_].duration;
  oldest_ = (oldest_ + 1) % kMost;
  --count_;
}

void LaunchesAhead::AwaitAll() {
  while (count_ > 0) AwaitOldest();
}

void LaunchesAhead::Forget() {
  count_ = 0;
  duration_ = {};
}

CudaRun::CudaRun(std::shared_ptr<const CudaPlan> plan)
    : plan_(std::move(plan)), ahead_(plan_->partition->stream()) {
  OrLost(*plan_, [&] {
    const OnStream on(plan_->partition->device(), plan_->partition->stream());
    MakeBuffers();
    CaptureLayers();
    ChainPieces();
    C10_CUDA_CHECK(cudaStreamSynchronize(plan_->partition->stream()));
  });
}

CudaRun::~CudaRun() {
  // Work that was launched before an error may still use the memory.
  static_cast<void>(cudaStreamSynchronize(plan_->partition->stream()));
}

void CudaRun::MakeBuffers() {
  const auto buffer_of = [&](TensorIndex tensor) {
    return std::make_unique<TransferBuffer>(
        plan_->partition->device(), plan_->partition->stream(),
        static_cast<std::size_t>(plan_->batch) * SampleSize(*plan_->graph, tensor));
  };
  for (TensorIndex input : plan_->graph->inputs) inputs_.push_back(buffer_of(input));
  for (TensorIndex output : plan_->graph->outputs) outputs_.push_back(buffer_of(output));
}

void CudaRun::CaptureLayers() {
  const OperatorGraph& graph = *plan_->graph;
  std::vector<at::Tensor> tensors = plan_->constants;
  views_.resize(tensors.size());
  for (TensorIndex input : graph.inputs) {
    owned_.push_back(plan_->NewTensor(input));
    tensors[input] = owned_.back();
    views_[input] = ViewOf(tensors[input]);
  }
  pool_ = std::make_unique<CapturePool>(plan_->partition->device(), plan_->partition->stream());
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const GraphOperator& op = graph.operators[i];
    const TorchRecipe& recipe = plan_->layers[i].recipe;
    std::vector<at::Tensor> reads;
    for (TensorIndex read : op.Reads()) reads.push_back(tensors[read]);
    recipe.compute(reads);  // what is loaded at its first use cannot be while a stream is captured
    layers_.push_back(CapturedGraph::Of(plan_->partition->stream(), [&] {
      if (i == 0) UploadInputs();
      tensors[op.output] = recipe.compute(reads);
    }));
    views_[op.output] = ViewOf(tensors[op.output]);
    reads.clear();
    for (TensorIndex read : op.Reads()) {
      if (plan_->lives[read].end == i + 1) tensors[read].reset();
    }
  }
  pool_->Close();
  for (TensorIndex output : graph.outputs) {
    owned_.push_back(tensors[output]);
    if (!views_[output].defined()) views_[output] = tensors[output];  // a constant
  }
}

void CudaRun::ChainPieces() {
  piece_at_.assign(layers_.size(), kNone);
  for (const LayerPiece& piece : plan_->pieces) {
    piece_at_[piece.first] = pieces_.size();
    pieces_.push_back(
        CapturedGraph::Chain(std::span(layers_).subspan(piece.first, piece.last - piece.first),
                             plan_->partition->stream()));
  }
}

// Part of the first layer: every pass begins with it.
void CudaRun::UploadInputs() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    at::Tensor& input = views_[plan_->graph->inputs[i]];
    if (input.scalar_type() == at::kFloat && input.is_contiguous()) {
      inputs_[i]->ToTensor(input);
    } else {
      inputs_[i]->ToDevice(inputs_[i]->host().size());
      input.copy_(inputs_[i]->Device(0, input.sizes()));
    }
  }
}

std::span<float> CudaRun::Input(std::size_t index) { return inputs_[index]->host(); }

std::span<const float> CudaRun::Output(std::size_t index) {
  return OrLost(*plan_, [&]() -> std::span<const float> {
    const OnStream on(plan_->partition->device(), plan_->partition->stream());
    const TransferBuffer& buffer = *outputs_[index];
    const at::Tensor& output = views_[plan_->graph->outputs[index]];
    buffer.Device(0, output.sizes()).copy_(output);
    buffer.ToHost(buffer.host().size());
    buffer.Wait();
    return buffer.host();
  });
}

std::size_t CudaRun::RunLayers(std::size_t first, std::size_t last, const std::atomic<bool>& stop) {
  CHECK(first <= last && last <= layers_.size());
  return OrLost(*plan_, [&] {
    ahead_.Forget();
    std::size_t next = first;
    while (next < last && !stop.load(std::memory_order_relaxed)) {
      const Step step = StepAt(next, last);
      if (!step.graph->empty()) {
        if (!HasRoomFor(step)) {
          ahead_.AwaitOldest();
          continue;
        }
        step.graph->Launch(plan_->partition->stream());
        ahead_.Add(step.duration);
      }
      next = step.last;
    }
    ahead_.AwaitAll();
    return next;
  });
}

CudaRun::Step CudaRun::StepAt(std::size_t layer, std::size_t last) const {
  if (const std::size_t piece = piece_at_[layer];
      piece != kNone && plan_->pieces[piece].last <= last)
    return {&pieces_[piece], plan_->pieces[piece].last, plan_->pieces[piece].duration};
  return {&layers_[layer], layer + 1, plan_->layers[layer].duration};
}

bool CudaRun::HasRoomFor(const Step& step) const {
  // While a piece runs, the next one must be waiting for it.
  const std::size_t always = plan_->launch_ahead > Duration{} ? 2 : 1;
  if (ahead_.count() < always) return true;
  return !ahead_.full() && ahead_.duration() <= plan_->launch_ahead - step.duration;
}

at::Tensor CudaRun::SampleOf(TensorIndex tensor, std::size_t sample) const {
  return views_[tensor].select(0, static_cast<std::int64_t>(sample));
}

std::span<float> CudaRun::HostSampleOf(TensorIndex tensor, std::size_t sample) const {
  const std::vector<TensorIndex>& inputs = plan_->graph->inputs;
  const auto input = std::find(inputs.begin(), inputs.end(), tensor);
  if (input == inputs.end()) return {};
  const std::size_t size = SampleSize(*plan_->graph, tensor);
  return inputs_[static_cast<std::size_t>(input - inputs.begin())]->host().subspan(sample * size,
                                                                                   size);
}

// Large enough for any boundary.
const TransferBuffer& CudaRun::BufferForMoves() const {
  if (moved_ == nullptr) {
    const std::vector<std::int64_t> alive = LiveElementsByLayer(*plan_->graph);
    moved_ = std::make_unique<TransferBuffer>(
        plan_->partition->device(), plan_->partition->copies(),
        static_cast<std::size_t>(*std::max_element(alive.begin(), alive.end())));
  }
  return *moved_;
}

void CudaRun::Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const {
  OrLost(*plan_, [&] {
    const std::lock_guard lock(moving_);
    const OnStream on(plan_->partition->device(), plan_->partition->copies());
    const TransferBuffer& buffer = BufferForMoves();
    std::size_t offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      const at::Tensor part = SampleOf(tensor, sample);
      buffer.Device(offset, part.sizes()).copy_(part);
      offset += SampleSize(*plan_->graph, tensor);
    });
    CHECK(offset == numbers.size());
    buffer.ToHost(offset);
    buffer.Wait();
    std::copy_n(buffer.host().begin(), offset, numbers.begin());
    // An input reaches the device with the first layer, and is exact only on the host.
    offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      const std::span<const float> host = HostSampleOf(tensor, sample);
      std::copy(host.begin(), host.end(), numbers.begin() + static_cast<std::ptrdiff_t>(offset));
      offset += SampleSize(*plan_->graph, tensor);
    });
  });
}

void CudaRun::Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) {
  OrLost(*plan_, [&] {
    const std::lock_guard lock(moving_);
    const OnStream on(plan_->partition->device(), plan_->partition->copies());
    const TransferBuffer& buffer = BufferForMoves();
    std::copy(numbers.begin(), numbers.end(), buffer.host().begin());
    buffer.ToDevice(numbers.size());
    std::size_t offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      at::Tensor part = SampleOf(tensor, sample);
      part.copy_(buffer.Device(offset, part.sizes()));
      const std::size_t size = SampleSize(*plan_->graph, tensor);
      const std::span<float> host = HostSampleOf(tensor, sample);
      std::copy_n(numbers.subspan(offset, size).begin(), host.size(), host.begin());
      offset += size;
    });
    CHECK(offset == numbers.size());
    buffer.Wait();
  });
}

}  // namespace fairlead
