// Networks from ONNX files, in any opset: as layers, for their costs, or as operators with weights,
// to be run. Both are read in the same way, so that what runs has the layers that were priced.
//
// A batch dimension that is not fixed is taken as 1. docs/guide/networks.md says which operators
// become layers, which are free, and what happens to the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct ImportedNetwork {
  LayeredNetwork network;             // named as in the file, or after it
  std::vector<std::string> warnings;  // what is priced roughly, and why; one line each
};

// Any feed-forward network that consists of convolutions, linear layers and what stands between
// them. Weights are not looked at, only their dimensions, so files without them (external data)
// will do.
//
// `file` is the name for messages, `bytes` the content. Refuses, with a message that begins with
// the name, what is not ONNX, cut off, contradictory, or too large to be true: more than 20'000
// layers or 50'000 tensors, or 10^14 elements or multiplications in a layer. Takes time and memory
// in proportion to the file, at most.
Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view bytes);

struct OperatorImportOptions {
  // Set: weights that the file leaves out (external data) are drawn from this seed, for trying
  // things out. Not set: they are an error.
  std::optional<std::uint64_t> weights_seed;
  // Refuses files with more.
  std::int64_t most_weights = std::int64_t{1} << 31;
};

// Refuses whatever ImportOnnx refuses, but for the number of layers, and names the first operator
// that no executor carries out.
Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view bytes,
                                      const OperatorImportOptions& options);

}  // namespace fairlead
