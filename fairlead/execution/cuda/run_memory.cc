#include "fairlead/execution/cuda/run_memory.h"

#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fairlead/execution/cuda/on_stream.h"
#include "fairlead/execution/live_tensors.h"

namespace fairlead {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::size_t SampleSize(const OperatorGraph& graph, TensorIndex tensor) {
  return static_cast<std::size_t>(ElementsOf(graph.tensors[tensor].dims));
}

// The same place in memory, without keeping it.
at::Tensor Uncounted(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options());
}

}  // namespace

RunMemory::RunMemory(std::shared_ptr<const CudaPlan> plan)
    : plan_(std::move(plan)), ahead_(*plan_->partition) {
  const OnStream on(plan_->partition->device(), plan_->partition->stream());
  MakeBuffers();
  CaptureLayers();
  ChainPieces();
  C10_CUDA_CHECK(cudaStreamSynchronize(plan_->partition->stream()));
}

RunMemory::~RunMemory() {
  // Work that was launched before an error may still use the memory.
  static_cast<void>(cudaStreamSynchronize(plan_->partition->stream()));
}

void RunMemory::MakeBuffers() {
  const auto buffer_of = [&](TensorIndex tensor) {
    return std::make_unique<TransferBuffer>(
        plan_->partition->device(), plan_->partition->stream(),
        static_cast<std::size_t>(plan_->batch) * SampleSize(*plan_->graph, tensor));
  };
  for (TensorIndex input : plan_->graph->inputs) inputs_.push_back(buffer_of(input));
  for (TensorIndex output : plan_->graph->outputs) outputs_.push_back(buffer_of(output));
}

void RunMemory::CaptureLayers() {
  const OperatorGraph& graph = *plan_->graph;
  std::vector<at::Tensor> tensors = plan_->constants;
  views_.resize(tensors.size());
  for (TensorIndex input : graph.inputs) {
    owned_.push_back(plan_->NewTensor(input));
    tensors[input] = owned_.back();
    views_[input] = Uncounted(tensors[input]);
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
    views_[op.output] = Uncounted(tensors[op.output]);
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

void RunMemory::ChainPieces() {
  piece_at_.assign(layers_.size(), kNone);
  for (const LayerPiece& piece : plan_->pieces) {
    piece_at_[piece.first] = pieces_.size();
    pieces_.push_back(
        CapturedGraph::Chain(std::span(layers_).subspan(piece.first, piece.last - piece.first),
                             plan_->partition->stream()));
  }
}

// Part of the first layer: every pass begins with it.
void RunMemory::UploadInputs() {
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

LaunchStep RunMemory::StepAt(std::size_t layer, std::size_t last) const {
  if (const std::size_t piece = piece_at_[layer];
      piece != kNone && plan_->pieces[piece].last <= last)
    return {&pieces_[piece], plan_->pieces[piece].last, plan_->pieces[piece].duration};
  return {&layers_[layer], layer + 1, plan_->layers[layer].duration};
}

at::Tensor RunMemory::SampleOf(TensorIndex tensor, std::size_t sample) const {
  return views_[tensor].select(0, static_cast<std::int64_t>(sample));
}

std::span<float> RunMemory::HostSampleOf(TensorIndex tensor, std::size_t sample) const {
  const std::vector<TensorIndex>& inputs = plan_->graph->inputs;
  const auto input = std::find(inputs.begin(), inputs.end(), tensor);
  if (input == inputs.end()) return {};
  const std::size_t size = SampleSize(*plan_->graph, tensor);
  return inputs_[static_cast<std::size_t>(input - inputs.begin())]->host().subspan(sample * size,
                                                                                   size);
}

// Large enough for any boundary.
const TransferBuffer& RunMemory::BufferForMoves() {
  if (moved_ == nullptr) {
    const std::vector<std::int64_t> alive = LiveElementsByLayer(*plan_->graph);
    moved_ = std::make_unique<TransferBuffer>(
        plan_->partition->device(), plan_->partition->copies(),
        static_cast<std::size_t>(*std::max_element(alive.begin(), alive.end())));
  }
  return *moved_;
}

}  // namespace fairlead
