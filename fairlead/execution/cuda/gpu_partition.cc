#include "fairlead/execution/cuda/gpu_partition.h"

#include <c10/cuda/CUDAException.h>
#include <fmt/ranges.h>

#include <numeric>

#include "fairlead/execution/cuda/cuda_check.h"
#include "fairlead/execution/processor.h"

namespace fairlead {
namespace {

std::atomic<bool> any_stuck = false;

Result<CUdevResource> AllMultiprocessors(int device) {
  RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device), fmt::format("device {}", device)));
  // The primary context has to be there before a part of it; this makes it.
  RETURN_IF_ERROR(CudaStatus(cudaFree(nullptr), fmt::format("device {}", device)));
  CUdevResource all{};
  RETURN_IF_ERROR(CudaStatus(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM),
                             "asking for its multiprocessors"));
  return all;
}

// Sets of `size` multiprocessors, as many as there are.
Result<std::vector<CUdevResource>> SetsOf(unsigned size, const CUdevResource& all) {
  unsigned count = all.sm.smCount / size;
  if (count == 0) return std::vector<CUdevResource>();
  std::vector<CUdevResource> sets(count);
  RETURN_IF_ERROR(
      CudaStatus(cuDevSmResourceSplitByCount(sets.data(), &count, &all, nullptr, 0, size),
                 fmt::format("dividing {} multiprocessors by {}", all.sm.smCount, size)));
  sets.resize(count);
  return sets;
}

// Only results of one division may go together into a partition. So the GPU is divided into equal
// sets, as large as all numbers allow: the larger they are, the fewer multiprocessors are left
// over.
Result<std::vector<CUdevResource>> EqualSets(std::span<const int> numbers,
                                             const CUdevResource& all) {
  int size = 0;
  int wanted = 0;
  for (int number : numbers) {
    if (number <= 0) return Fail("a partition of {} multiprocessors", number);
    size = std::gcd(size, number);
    wanted += number;
  }
  ASSIGN_OR_RETURN(std::vector<CUdevResource> sets, SetsOf(static_cast<unsigned>(size), all));
  if (!sets.empty() && sets[0].sm.smCount != static_cast<unsigned>(size)) {
    return Fail("partitions of {} multiprocessors: on this GPU, numbers are multiples of {}",
                fmt::join(numbers, ", "), sets[0].sm.smCount);
  }
  const std::size_t possible = sets.size() * static_cast<std::size_t>(size);
  if (possible < static_cast<std::size_t>(wanted)) {
    return Fail("partitions of {} multiprocessors: together {}; this GPU has {} in sets of {}",
                fmt::join(numbers, ", "), wanted, possible, size);
  }
  return sets;
}

}  // namespace

Result<std::shared_ptr<GpuPartition>> GpuPartition::Make(int device,
                                                         std::span<CUdevResource> parts) {
  const std::shared_ptr<GpuPartition> made(new GpuPartition(device));
  CUdevResourceDesc description{};
  RETURN_IF_ERROR(CudaStatus(
      cuDevResourceGenerateDesc(&description, parts.data(), static_cast<unsigned>(parts.size())),
      "describing a partition"));
  RETURN_IF_ERROR(CudaStatus(
      cuGreenCtxCreate(&made->context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
      "making a partition"));
  for (CUstream* stream : {&made->stream_, &made->copies_}) {
    RETURN_IF_ERROR(
        CudaStatus(cuGreenCtxStreamCreate(stream, made->context_, CU_STREAM_NON_BLOCKING, 0),
                   "making a stream of a partition"));
  }
  made->library_ = std::make_unique<LibraryThread>();
  return made;
}

GpuPartition::~GpuPartition() {
  library_.reset();
  if (stuck()) return;
  // Nothing can be done about errors: after a lasting one, all of these fail.
  if (stream_ != nullptr) cuStreamDestroy(stream_);
  if (copies_ != nullptr) cuStreamDestroy(copies_);
  if (context_ != nullptr) cuGreenCtxDestroy(context_);
}

void GpuPartition::SetStuck() {
  any_stuck = true;
  stuck_ = true;
}

bool GpuPartition::AnyStuck() { return any_stuck; }

void GpuPartition::Await(cudaStream_t stream) const {
  cudaError_t state = cudaStreamQuery(stream);
  for (; state == cudaErrorNotReady; state = cudaStreamQuery(stream)) {
    if (stuck()) throw ProcessorLost(kStuckMessage);
  }
  C10_CUDA_CHECK(state);
  static_cast<void>(cudaGetLastError());  // "not ready" counts as one
}

Result<std::vector<std::shared_ptr<GpuPartition>>> MakeGpuPartitions(
    int device, std::span<const int> multiprocessors) {
  std::vector<std::shared_ptr<GpuPartition>> partitions;
  if (multiprocessors.empty()) return partitions;
  ASSIGN_OR_RETURN(const CUdevResource all, AllMultiprocessors(device));
  ASSIGN_OR_RETURN(std::vector<CUdevResource> sets, EqualSets(multiprocessors, all));
  const std::size_t size = sets[0].sm.smCount;
  std::span<CUdevResource> left = sets;
  for (int number : multiprocessors) {
    const std::size_t count = static_cast<std::size_t>(number) / size;
    ASSIGN_OR_RETURN(std::shared_ptr<GpuPartition> partition,
                     GpuPartition::Make(device, left.first(count)));
    partitions.push_back(std::move(partition));
    left = left.subspan(count);
  }
  return partitions;
}

}  // namespace fairlead
