// Real segments: each accelerator is a processor on which the networks that run there are loaded,
// and a segment is a range of their layers.
//
// A segment that was aborted goes on where it stopped; one that failed lost its jobs' tensors, and
// they are computed again from their inputs. The engine need not know.
//
// Once all that is needed at a time has been needed before, nothing is allocated, until somebody
// asks for it back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/execution/job_tensors.h"
#include "fairlead/execution/loaded_networks.h"
#include "fairlead/execution/segment_run.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

// One job's part of an input or output of its network.
struct JobSample {
  JobHandle job;
  NetworkId network;
  std::size_t index = 0;  // of the network's inputs or outputs
};

// Both are called by the thread that computes.
struct NetworkHooks {
  // Writes what a job computes with, before its first layer; again if it begins anew. Not set: all
  // jobs of a network compute with the same numbers, drawn from the seed of their loading.
  std::function<void(const JobSample&, std::span<float>)> input{};
  // Hears what came out, before the end of the last segment is reported. Optional.
  std::function<void(const JobSample&, std::span<const float>)> output{};
};

// The three hooks of a ThreadBackend for accelerators of one unit; for one run of an engine.
class NetworkWork {
 public:
  // The networks are not owned and outlive this.
  explicit NetworkWork(const LoadedNetworks& networks, NetworkHooks hooks = {})
      : networks_(networks), hooks_(std::move(hooks)), tensors_(networks) {}

  Status Enter(AcceleratorId accelerator) { return networks_.processor(accelerator).Enter(); }
  WorkResult CarryOut(SegmentRun& run);  // throws what the processor throws
  void Forget(const JobHandle& job) { tensors_.Forget(job); }

  // While jobs run, one at a time; these wait for what still runs. The networks are the same.
  // Takes a network away from all processors; its jobs have ended.
  void Unload(LoadedNetworks& networks, NetworkId network);
  using Measure = LoadedNetworks::Measure;
  Status Load(LoadedNetworks& networks, NetworkId network, Measure measure = Measure::kNothing);
  // Adds a network to those that are there, loads and measures it; where that fails, it is gone
  // again.
  Result<NetworkId> Add(LoadedNetworks& networks, RunnableNetwork network);
  // Takes back the last one that was added, of which nobody else knows.
  void RemoveLast(LoadedNetworks& networks);
  // Loads all networks on a processor that is there in the place of a lost one.
  Status LoadAgain(LoadedNetworks& networks, AcceleratorId accelerator,
                   std::unique_ptr<Processor> processor);

  // What is kept for later jobs is let go of; see JobTensors.
  void GiveBackSpares() { tensors_.GiveBackSpares(); }
  std::size_t SpareBytes() const { return tensors_.SpareBytes(); }

  // No job has left anything behind.
  bool Empty() const { return tensors_.Empty(); }
  // See JobTensors.
  bool BeginAnew() { return tensors_.BeginAnew(); }

 private:
  void RunSegment(SegmentRun& run);
  void WriteInputs(const Assignment& assignment, const GatheredRun& gathered) const;
  void HandOutOutputs(const Assignment& assignment, const GatheredRun& gathered) const;
  template <typename Choose>
  Status LoadPools(LoadedNetworks& networks, AcceleratorId accelerator, Measure measure,
                   const Choose& choose);

  const LoadedNetworks& networks_;
  const NetworkHooks hooks_;
  JobTensors tensors_;
};

}  // namespace fairlead
