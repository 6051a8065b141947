// Networks made ready to run on a part of this machine, layer by layer.
//
// A processor (so many pinned cores, a share of a GPU's multiprocessors) loads a network for a
// batch size; the result is immutable and serves any number of runs. A run owns the memory of one
// batch on its way through the network. Its layers run in pieces: a boundary can fall after any
// layer, and between two pieces the processor is free for another run.
//
// The layers of a network are the same on all processors (those of the fused graph, in order), so a
// job may change processors at a boundary: Save on the one, Restore on the other.
//
// A processor, its networks and their runs are used by one thread at a time; but Save may be called
// by any thread while no layer of its run is running, whatever else the processor does. So may
// CopyFrom, as far as the run is concerned that is copied from.
//
// An exception means that the call failed. After ProcessorLost every call for the same processor
// fails; after any other the processor can be used again, and only the run's tensors are lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class ProcessorLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NetworkRun {
 public:
  virtual ~NetworkRun() = default;

  // Row-major, the batch first. Inputs may be written before the first layer runs, and need not be
  // written again for another pass; outputs may be read after the last one.
  virtual std::span<float> Input(std::size_t index) = 0;
  virtual std::span<const float> Output(std::size_t index) = 0;

  // Runs the layers from `first` to before `last`, unless `stop` becomes true: then no further
  // layer begins. Returns the layer to go on with. Allocates nothing.
  virtual std::size_t RunLayers(std::size_t first, std::size_t last,
                                const std::atomic<bool>& stop) = 0;

  // What later layers still need at the boundary before layer `layer`, of one sample: row-major, in
  // ascending order of tensors. `numbers` has LiveElements (live_tensors.h) entries.
  virtual void Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const = 0;
  virtual void Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) = 0;

  // Like Save there and Restore here, of a run of the same graph, in one go. False: it cannot be
  // done so, and nothing has changed.
  virtual bool CopyFrom(const NetworkRun& /*from*/, std::size_t /*layer*/,
                        std::size_t /*from_sample*/, std::size_t /*sample*/) {
    return false;
  }
};

class LoadedNetwork {
 public:
  virtual ~LoadedNetwork() = default;

  virtual const OperatorGraph& graph() const = 0;  // fused: one operator a layer
  virtual std::size_t batch() const = 0;
  // How a layer is carried out, in a few words: "jit:avx512_core nChw16c".
  virtual std::string Implementation(std::size_t layer) const = 0;
  // That a layer reads and writes as it is carried out, packed weights and scratch memory among
  // them; 0: nobody knows.
  virtual std::int64_t TouchedBytes(std::size_t /*layer*/) const { return 0; }

  virtual std::unique_ptr<NetworkRun> NewRun() const = 0;

  std::size_t LayerCount() const { return graph().operators.size(); }
};

class Processor {
 public:
  virtual ~Processor() = default;

  virtual const std::string& name() const = 0;
  // Binds the calling thread to the processor: what is loaded and run from it uses the processor's
  // cores only. Once, before anything else, from each thread that uses it.
  virtual Status Enter() = 0;
  // `graph` is as fused by FuseOperators and outlives the result. Fails where an operator cannot be
  // carried out, and names it.
  virtual Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                                      std::size_t batch) = 0;
  // Runs of what the other one loaded can run here, and are as good as ours: from any thread that
  // has entered one of the two, a run by one thread at a time. Holds both ways.
  virtual bool SharesRunsWith(const Processor& /*other*/) const { return false; }
};

}  // namespace fairlead
