// Networks from ONNX files, as layers with shapes: any feed-forward network that consists of
// convolutions, linear layers and what stands between them, in any opset.
//
// Weights are not looked at, only their dimensions, so files without them (external data) will do.
// A batch dimension that is not fixed is taken as 1. docs/networks.md says which operators become
// layers, which are free, and what happens to the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layered_network.h"

namespace fairlead {

struct ImportedNetwork {
  LayeredNetwork network;             // named as in the file, or after it
  std::vector<std::string> warnings;  // what is priced roughly, and why; one line each
};

// `file` is the name for messages, `bytes` the content. Refuses, with a message that begins with
// the name, what is not ONNX, cut off, contradictory, or too large to be true: more than 20'000
// layers, or 10^14 elements or multiplications in one. Takes time and memory in proportion to the
// file, at most.
Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view bytes);

}  // namespace fairlead
