// The networks that are known by name, and those in ONNX files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/layer.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_graph.h"
#include "fairlead/scenario/files.h"

namespace fairlead {

inline constexpr std::string_view kOnnxEnding = ".onnx";
// Behind the name of a network that is to run: its gentle version (ExecutionManner).
inline constexpr std::string_view kGentleEnding = "@gentle";

struct FoundNetwork {
  LayeredNetwork network;
  std::vector<std::string> warnings;  // about operators of a file that are not known
};

// A built-in one by its name, or the one in a file, which ends in .onnx; it is called like the file
// without folder and ending.
Result<FoundNetwork> FindNetworkByName(std::string_view name, const FileReader& read);

// The same as operators with weights, to be fused and run. Weights of built-in networks are drawn
// from the options' seed, or from 1. Names may end in kGentleEnding, and the graph is called so.
Result<OperatorGraph> FindGraphByName(std::string_view name, const FileReader& read,
                                      const OperatorImportOptions& options);

}  // namespace fairlead
