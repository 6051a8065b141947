// Whatever can be imported can be loaded and run, or is refused: on one core, as a small network.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"

namespace fairlead {
namespace {

constexpr std::int64_t kMostElements = 20'000;  // of a tensor; more only takes longer
constexpr std::size_t kMostOperators = 12;

Processor& Partition() {
  static const std::unique_ptr<Processor> partition = [] {
    auto made = MakeCpuPartition(
        {.name = "fuzz", .cores = {Machine::This().UsableCores().front()}, .cache_folder = ""});
    static_cast<void>((*made)->Enter());
    return std::move(*made);
  }();
  return *partition;
}

bool IsSmall(const OperatorGraph& graph) {
  return graph.operators.size() <= kMostOperators &&
         std::ranges::all_of(graph.tensors, [](const GraphTensor& tensor) {
           double elements = 1;
           for (std::int64_t dim : tensor.dims) elements *= static_cast<double>(dim);
           return elements <= static_cast<double>(kMostElements);
         });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto imported = ImportOperators("fuzz.onnx", bytes, {.weights_seed = 1, .most_weights = 100'000});
  if (!imported.has_value()) return 0;
  const OperatorGraph graph = FuseOperators(std::move(*imported));
  if (!IsSmall(graph)) return 0;
  const auto network = Partition().Load(graph, 2);
  if (!network.has_value()) return 0;
  const std::atomic<bool> never = false;
  (*network)->NewRun()->RunLayers(0, (*network)->LayerCount(), never);
  return 0;
}

}  // namespace fairlead
