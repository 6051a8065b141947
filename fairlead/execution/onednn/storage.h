// Which tensors of a network lie where, once the recipe of every layer is chosen.
//
// A tensor has a version for each layout in which somebody wants it. Versions share memory where
// that saves copies: a reshape is its operand, parts of a concatenation are computed right into it,
// a sum replaces its addend when nobody needs that any more. Groups of versions that share memory
// are laid out over the graph by their lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fairlead/execution/onednn/layout.h"
#include "fairlead/execution/onednn/recipe.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

using VersionIndex = std::uint32_t;

struct TensorVersion {
  TensorIndex tensor = 0;
  Layout layout = Layout::kPlain;
  std::size_t bytes = 0;
  std::size_t first = 0;   // the layer that computes it
  std::size_t last = 0;    // the last layer that reads it
  bool pinned = false;     // inputs and constants: there from the beginning to the end
  std::size_t offset = 0;  // in the run's memory
};

struct Conversion {
  VersionIndex from = 0;
  VersionIndex to = 0;
};

struct PlacedLayer {
  std::vector<Conversion> before;
  std::vector<VersionIndex> reads;
  VersionIndex output = 0;
  std::vector<bool> in_place;  // reads that already lie where they are to be copied to
  bool copies_addend = false;  // of a recipe that accumulates
  bool nothing_to_do = false;
  std::vector<Conversion> after;  // of the network's outputs
};

struct Storage {
  std::vector<TensorVersion> versions;
  std::vector<PlacedLayer> layers;
  std::vector<VersionIndex> inputs;   // of the network, in its order
  std::vector<VersionIndex> outputs;  // likewise; row-major
  std::vector<VersionIndex> constants;
  std::size_t bytes = 0;
};

// `recipes`: one for each layer.
Storage PlanStorage(const OperatorGraph& graph, const std::vector<const Recipe*>& recipes,
                    std::size_t batch);

// A tensor that somebody still needs.
struct LiveTensor {
  TensorIndex tensor = 0;
  bool constant = false;
  std::vector<VersionIndex> versions;  // that hold it, or will be read; of a constant also pinned
};

// Those at the boundary before the layer, in ascending order: the ones of LiveTensors
// (live_tensors.h), and constants.
std::vector<LiveTensor> LiveTensorsOf(const OperatorGraph& graph, const Storage& storage,
                                      std::size_t layer);

}  // namespace fairlead
