#include "fairlead/execution/cuda/cuda_plan.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "fairlead/execution/cuda/captured_graph.h"
#include "fairlead/execution/cuda/cuda_check.h"
#include "fairlead/execution/cuda/on_stream.h"

namespace fairlead {
namespace {

// Two marks in a stream, and the time between them.
class EventPair {
 public:
  EventPair() {
    C10_CUDA_CHECK(cudaEventCreate(&begin_));
    C10_CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~EventPair() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  template <typename Work>
  Duration Time(cudaStream_t stream, const Work& work) {
    C10_CUDA_CHECK(cudaEventRecord(begin_, stream));
    work();
    C10_CUDA_CHECK(cudaEventRecord(end_, stream));
    C10_CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return Duration(static_cast<Duration::rep>(milliseconds * 1e6F));
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// cuDNN tries its algorithms for what it meets the first time, instead of trusting its estimate.
class Searching {
 public:
  explicit Searching(bool on) { at::globalContext().setBenchmarkCuDNN(on); }
  ~Searching() { at::globalContext().setBenchmarkCuDNN(false); }
  Searching(const Searching&) = delete;
  Searching& operator=(const Searching&) = delete;
};

std::string MessageOf(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return FirstLine(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
}

// The passage through a network on which its recipes are tried.
class Trial {
 public:
  Trial(const CudaPlanRequest& request, CudaPlan& plan)
      : request_(request),
        plan_(plan),
        stream_(plan.partition->stream()),
        tensors_(plan.constants) {
    setting_ = {.batch = plan.batch,
                .numbers = plan.numbers,
                .images = plan.images,
                .upload = [this](const WeightsPointer& weights) { return Upload(weights); }};
    for (TensorIndex input : plan.graph->inputs)
      tensors_[input] = plan.NewTensor(input).copy_(
          at::randn(plan.NewTensor(input).sizes(), plan.numbers.dtype(at::kFloat)));
  }

  Status Run() {
    for (std::size_t i = 0; i < plan_.graph->operators.size(); ++i) {
      Status done = RunLayer(i);
      if (!done.has_value()) {
        const GraphOperator& op = plan_.graph->operators[i];
        return Fail("{}: layer {} '{}' ({}): {}", plan_.graph->name, i, op.name, NameOf(op.body),
                    done.error().message);
      }
    }
    return {};
  }

 private:
  at::Tensor Upload(const WeightsPointer& weights) {
    if (weights == nullptr) return {};
    auto held = request_.store.Get(weights, plan_.numbers, plan_.images);
    plan_.weights.push_back(held);
    return held->tensor;
  }

  Status RunLayer(std::size_t layer) {
    const GraphOperator& op = plan_.graph->operators[layer];
    ASSIGN_OR_RETURN(std::vector<TorchRecipe> recipes, TorchRecipesOf(*plan_.graph, op, setting_));
    if (request_.searching != nullptr) AddSearched(recipes);
    std::vector<at::Tensor> reads;
    for (TensorIndex read : op.Reads()) reads.push_back(tensors_[read]);
    ASSIGN_OR_RETURN(CudaLayer chosen, Fastest(recipes, reads));
    at::Tensor result = chosen.recipe.compute(reads);
    const std::vector<std::int64_t> expected =
        WithBatch(plan_.batch, plan_.graph->tensors[op.output].dims);
    if (result.sizes() != at::IntArrayRef(expected))
      return Fail("'{}' gives other dimensions than the graph says", chosen.recipe.name);
    tensors_[op.output] = std::move(result);
    for (at::Tensor& read : reads) read.reset();
    for (TensorIndex read : op.Reads()) {
      if (plan_.lives[read].end == layer + 1) tensors_[read].reset();
    }
    plan_.layers.push_back(std::move(chosen));
    return {};
  }

  // The same on the thread that searches: cuDNN's choices differ there. It measures each algorithm
  // only once, so what it finds is not always better.
  void AddSearched(std::vector<TorchRecipe>& recipes) const {
    for (std::size_t i = 0, known = recipes.size(); i < known; ++i) {
      if (recipes[i].by_cudnn) recipes.push_back(Searched(recipes[i]));
    }
  }

  TorchRecipe Searched(const TorchRecipe& recipe) const {
    return {.name = recipe.name + " (searched)",
            .compute =
                [thread = request_.searching, compute = recipe.compute,
                 device = plan_.partition->device(), stream = stream_](Reads reads) {
                  at::Tensor result;
                  thread->Do([&] {
                    const OnStream on(device, stream);
                    result = compute(reads);
                  });
                  return result;
                },
            .by_cudnn = true,
            .searched = true};
  }

  // A recipe that cannot be carried out is left out; if none can, the last one's reason counts.
  Result<CudaLayer> Fastest(std::vector<TorchRecipe>& recipes, Reads reads) {
    std::optional<CudaLayer> best;
    std::string why_not;
    for (TorchRecipe& recipe : recipes) {
      try {
        const Duration duration = TimeOf(recipe, reads);
        if (!best || duration < best->duration) best = {std::move(recipe), duration};
      } catch (const std::exception& error) {
        why_not = MessageOf(error);
        static_cast<void>(cudaGetLastError());
      }
    }
    if (!best) return Fail("{}", why_not);
    return std::move(*best);
  }

  Duration TimeOf(const TorchRecipe& recipe, Reads reads) {
    {
      // The first time, libtorch and cuDNN load what they need, and choose.
      const Searching searching(recipe.searched);
      recipe.compute(reads);
      C10_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }
    CapturePool pool(plan_.partition->device(), stream_);
    const CapturedGraph graph = CapturedGraph::Of(stream_, [&] { recipe.compute(reads); });
    pool.Close();
    if (graph.empty()) return {};
    constexpr int kRepetitions = 5;
    Duration best = Duration::max();
    for (int i = 0; i < 4; ++i) {
      const Duration all = events_.Time(stream_, [&] {
        for (int k = 0; k < kRepetitions; ++k) graph.Launch(stream_);
      });
      best = std::min(best, all / kRepetitions);
    }
    return best;
  }

  const CudaPlanRequest& request_;
  CudaPlan& plan_;
  const cudaStream_t stream_;
  std::vector<at::Tensor> tensors_;
  TorchSetting setting_;
  EventPair events_;
};

void UploadConstants(const CudaPlanRequest& request, CudaPlan& plan) {
  plan.constants.resize(request.graph.tensors.size());
  for (std::size_t i = 0; i < plan.constants.size(); ++i) {
    const GraphTensor& tensor = request.graph.tensors[i];
    if (tensor.constant == nullptr) continue;
    plan.weights.push_back(
        request.store.Get(tensor.constant, plan.numbers, at::MemoryFormat::Contiguous));
    plan.constants[i] = plan.weights.back()
                            ->tensor.reshape(tensor.dims)
                            .unsqueeze(0)
                            .expand(WithBatch(plan.batch, tensor.dims));
  }
}

}  // namespace

at::Tensor CudaPlan::NewTensor(TensorIndex tensor) const {
  const std::vector<std::int64_t> sizes = WithBatch(batch, graph->tensors[tensor].dims);
  return at::empty(sizes, numbers, sizes.size() == 4 ? images : at::MemoryFormat::Contiguous);
}

std::vector<TensorLife> LivesOf(const OperatorGraph& graph) {
  const std::size_t layers = graph.operators.size();
  std::vector<TensorLife> lives(graph.tensors.size(), TensorLife{.begin = layers + 1, .end = 0});
  for (TensorIndex input : graph.inputs) lives[input].begin = 0;
  for (std::size_t i = 0; i < layers; ++i) {
    lives[graph.operators[i].output].begin = i + 1;
    for (TensorIndex read : graph.operators[i].Reads()) lives[read].end = i + 1;
  }
  for (TensorIndex output : graph.outputs) lives[output].end = layers + 1;
  return lives;
}

Result<std::shared_ptr<const CudaPlan>> MakeCudaPlan(const CudaPlanRequest& request) {
  // One at a time: libtorch has one switch for all searches, and what is loaded beside would
  // disturb the choice by times.
  static std::mutex loading;
  const std::lock_guard alone(loading);
  try {
    const OnStream on(request.partition->device(), request.partition->stream());
    const bool half = request.options.precision == CudaPrecision::kHalf;
    auto plan = std::make_shared<CudaPlan>();
    plan->graph = &request.graph;
    plan->partition = request.partition;
    plan->batch = static_cast<std::int64_t>(request.batch);
    plan->numbers = at::TensorOptions(half ? at::kHalf : at::kFloat)
                        .device(at::kCUDA, static_cast<c10::DeviceIndex>(request.options.device));
    plan->images = half ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    plan->launch_ahead = request.options.launch_ahead;
    plan->patience = request.options.patience;
    plan->lives = LivesOf(request.graph);
    UploadConstants(request, *plan);
    RETURN_IF_ERROR(Trial(request, *plan).Run());
    // Half of what may be ahead: the next piece is launched while this one runs.
    plan->pieces = PiecesOf(plan->layers, plan->launch_ahead / 2);
    C10_CUDA_CHECK(cudaStreamSynchronize(plan->partition->stream()));
    c10::cuda::CUDACachingAllocator::emptyCache();  // runs have pools of their own
    return std::shared_ptr<const CudaPlan>(std::move(plan));
  } catch (const std::exception& error) {
    return Fail("{}: {}", request.graph.name, MessageOf(error));
  }
}

std::vector<LayerPiece> PiecesOf(const std::vector<CudaLayer>& layers, Duration duration) {
  std::vector<LayerPiece> pieces;
  LayerPiece piece;
  const auto finish = [&](std::size_t next) {
    if (piece.last - piece.first > 1) pieces.push_back(piece);
    piece = {.first = next, .last = next};
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (piece.duration + layers[i].duration > duration) finish(i);
    piece.last = i + 1;
    piece.duration += layers[i].duration;
  }
  finish(layers.size());
  return pieces;
}

}  // namespace fairlead
