// The weights of an ONNX file by name: as the file holds them, or as it computes them from others
// by moving them around; or only their dimensions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/onnx_graph.h"
#include "fairlead/networks/onnx/stored_tensors.h"
#include "fairlead/networks/onnx/tensor_inference.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Which weights come with values; the others have dimensions only.
enum class WeightValues : std::uint8_t {
  kAll,      // those that the file leaves out (external data) are an error
  kPresent,  // those that the file has
  kNone,     // for costs: the file's weights are not looked at
};

class WeightSource {
 public:
  struct Options {
    WeightValues values = WeightValues::kAll;
    std::int64_t most_weights = 0;
  };

  // All must outlive it; `bytes` is the file.
  WeightSource(const OnnxGraph& graph, const InferredTensors& inferred, std::string_view bytes,
               const Options& options);

  WeightValues values() const { return options_.values; }

  // Of a tensor that does not depend on the network's input.
  Result<WeightsPointer> Get(const std::string& name);

  // A matrix times a number, as outputs x inputs; `turned` where it is stored as inputs x outputs.
  Result<WeightsPointer> Matrix(const std::string& name, bool turned, float factor);

  // Weights made from others; counted, so that a small file cannot ask for many.
  Result<WeightsPointer> Make(TensorDims dims, std::vector<float> values);

 private:
  Result<WeightsPointer> Described(const std::string& name);
  Result<WeightsPointer> FromFile(const std::string& name);
  Result<WeightsPointer> Stored(const std::string& name, std::string_view tensor);
  Result<WeightsPointer> LeftOut(const std::string& name);
  Result<WeightsPointer> Moved(const onnx::NodeProto& node, const WeightsPointer& from);
  Status CountMade(std::size_t more);

  const OnnxGraph& graph_;
  const InferredTensors& inferred_;
  Options options_;
  std::int64_t most_made_;  // that a file of this size gives rise to
  StoredTensors stored_;
  std::unordered_map<std::string, std::size_t> initializers_;  // by name, those not left out
  std::unordered_set<std::string> sparse_;
  std::unordered_map<std::string, std::size_t> producers_;  // the node that writes a tensor
  std::unordered_map<std::string, WeightsPointer> known_;
  std::map<std::tuple<std::string, bool, float>, WeightsPointer> matrices_;
  std::int64_t made_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace fairlead
