#include "fairlead/execution/cuda/cuda_run.h"

#include <algorithm>
#include <utility>

#undef CHECK  // libtorch's
#include "fairlead/base/check.h"
#include "fairlead/execution/cuda/on_stream.h"
#include "fairlead/execution/cuda/or_lost.h"

namespace fairlead {

CudaRun::CudaRun(std::shared_ptr<const CudaPlan> plan) : plan_(std::move(plan)) {
  OrLost(*plan_->partition, [&] { memory_ = std::make_unique<RunMemory>(plan_); });
}

CudaRun::~CudaRun() {
  // To free memory of a GPU is to wait for all that runs on it: here for ever.
  if (GpuPartition::AnyStuck()) static_cast<void>(memory_.release());
}

std::size_t CudaRun::SampleSize(TensorIndex tensor) const {
  return static_cast<std::size_t>(ElementsOf(plan_->graph->tensors[tensor].dims));
}

std::span<float> CudaRun::Input(std::size_t index) { return memory_->input(index).host(); }

std::span<const float> CudaRun::Output(std::size_t index) {
  return OrLost(*plan_->partition, [&]() -> std::span<const float> {
    const OnStream on(plan_->partition->device(), plan_->partition->stream());
    const TransferBuffer& buffer = memory_->output(index);
    const at::Tensor& output = memory_->ViewOf(plan_->graph->outputs[index]);
    buffer.Device(0, output.sizes()).copy_(output);
    buffer.ToHost(buffer.host().size());
    plan_->partition->Await(plan_->partition->stream());
    return buffer.host();
  });
}

std::size_t CudaRun::RunLayers(std::size_t first, std::size_t last, const std::atomic<bool>& stop) {
  CHECK(first <= last && last <= memory_->layers());
  return OrLost(*plan_->partition, [&] {
    LaunchesAhead& ahead = memory_->ahead();
    ahead.Forget();
    std::size_t next = first;
    while (next < last && !stop.load(std::memory_order_relaxed)) {
      const LaunchStep step = memory_->StepAt(next, last);
      if (!step.graph->empty()) {
        if (!HasRoomFor(step)) {
          ahead.AwaitOldest(stop, plan_->patience);
          continue;
        }
        step.graph->Launch(plan_->partition->stream());
        ahead.Add(step.duration);
      }
      next = step.last;
    }
    ahead.AwaitAll(stop, plan_->patience);
    return next;
  });
}

bool CudaRun::HasRoomFor(const LaunchStep& step) const {
  // While a piece runs, the next one must be waiting for it.
  const std::size_t always = plan_->launch_ahead > Duration{} ? 2 : 1;
  if (memory_->ahead().count() < always) return true;
  return !memory_->ahead().full() &&
         memory_->ahead().duration() <= plan_->launch_ahead - step.duration;
}

void CudaRun::Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const {
  OrLost(*plan_->partition, [&] {
    const std::lock_guard lock(moving_);
    const OnStream on(plan_->partition->device(), plan_->partition->copies());
    const TransferBuffer& buffer = memory_->BufferForMoves();
    std::size_t offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      const at::Tensor part = memory_->SampleOf(tensor, sample);
      buffer.Device(offset, part.sizes()).copy_(part);
      offset += SampleSize(tensor);
    });
    CHECK(offset == numbers.size());
    buffer.ToHost(offset);
    plan_->partition->Await(plan_->partition->copies());
    std::copy_n(buffer.host().begin(), offset, numbers.begin());
    // An input reaches the device with the first layer, and is exact only on the host.
    offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      const std::span<const float> host = memory_->HostSampleOf(tensor, sample);
      std::copy(host.begin(), host.end(), numbers.begin() + static_cast<std::ptrdiff_t>(offset));
      offset += SampleSize(tensor);
    });
  });
}

void CudaRun::Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) {
  OrLost(*plan_->partition, [&] {
    const std::lock_guard lock(moving_);
    const OnStream on(plan_->partition->device(), plan_->partition->copies());
    const TransferBuffer& buffer = memory_->BufferForMoves();
    std::copy(numbers.begin(), numbers.end(), buffer.host().begin());
    buffer.ToDevice(numbers.size());
    std::size_t offset = 0;
    plan_->ForEachAlive(layer, [&](TensorIndex tensor) {
      at::Tensor part = memory_->SampleOf(tensor, sample);
      part.copy_(buffer.Device(offset, part.sizes()));
      const std::size_t size = SampleSize(tensor);
      const std::span<float> host = memory_->HostSampleOf(tensor, sample);
      std::copy_n(numbers.subspan(offset, size).begin(), host.size(), host.begin());
      offset += size;
    });
    CHECK(offset == numbers.size());
    plan_->partition->Await(plan_->partition->copies());
  });
}

}  // namespace fairlead
