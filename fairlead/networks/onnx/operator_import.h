// Networks from ONNX files as operators with their weights, to be run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct OperatorImportOptions {
  // Set: weights that the file leaves out (external data) are drawn from this seed, for trying
  // things out. Not set: they are an error.
  std::optional<std::uint64_t> weights_seed;
  // Refuses files with more.
  std::int64_t most_weights = std::int64_t{1} << 31;
};

// `file` is the name for messages, `bytes` the content. Refuses, with a message that begins with
// the name, whatever ImportOnnx refuses, and names the first operator that no executor carries out.
Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view bytes,
                                      const OperatorImportOptions& options);

}  // namespace fairlead
