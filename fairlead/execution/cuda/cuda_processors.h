// Parts of an NVIDIA GPU as processors: disjoint sets of its streaming multiprocessors, each with a
// stream of its own, on which libtorch and cuDNN carry out networks.
//
// A layer is recorded once as a CUDA graph, when a run is made; running it launches the graph. No
// layer can be stopped once it was launched; launching one costs the GPU more than a microsecond, a
// sixth of a small layer, and waiting for its end costs six. So layers that follow each other are
// chained into graphs of some tens of microseconds, and a run is never further ahead of the GPU
// than `launch_ahead`: when it is stopped, what was launched ends within about that time (or two
// layers, if these take longer), and the run goes on exactly there. Whoever needs a boundary after
// each layer asks for zero; whoever never stops a run asks for the longest duration and gets one
// graph per network.
//
// While it waits for the GPU a run keeps its thread's core busy.
//
// NewRun, and the methods of a run, throw std::exception where the GPU fails: where its memory is
// used up, for example. After an error that lasts, an illegal address or an uncorrectable memory
// fault, every later call in this process fails on every part of this GPU; then they throw
// ProcessorLost, and only a new process helps. A kernel that never ends holds up RunLayers until
// the run is stopped; `patience` later that part of the GPU counts as lost, and its memory is not
// given back before the process ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

enum class CudaPrecision : std::uint8_t {
  kSingle,  // FP32 without tensor cores' shortened formats, channels first
  kHalf,    // FP16 with sums in FP32, channels last
};

struct CudaOptions {
  int device = 0;
  CudaPrecision precision = CudaPrecision::kSingle;
  Duration launch_ahead = std::chrono::microseconds(100);
  // How long a run that was stopped waits for what was launched before: far longer than any layer.
  Duration patience = std::chrono::seconds(2);
  // cuDNN chooses algorithms for the whole GPU. This tries others on the part itself: networks load
  // for some seconds longer, and run up to twice as fast on a small part.
  bool search_algorithms = true;
};

// One for each number of multiprocessors, named after it and its place: "sm64-0", "sm32-1". The
// GPU decides which numbers are possible; on a Hopper they are multiples of 8.
Result<std::vector<std::unique_ptr<Processor>>> MakeCudaProcessors(
    std::span<const int> multiprocessors, const CudaOptions& options = {});

// Whether nothing runs on this GPU any more in this process. Without a GPU it is true; where its
// memory is merely full it is not.
bool CudaDeviceLost(int device);

}  // namespace fairlead
