// ONNX files: whatever the bytes, an error that names the file, or a network whose counts can be
// added up and whose layers wait for earlier ones only.

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto imported = ImportOnnx("fuzz.onnx", TextOf(data, size));
  if (!imported.has_value()) {
    CHECK(imported.error().message.starts_with("fuzz.onnx: "));
    return 0;
  }
  const LayeredNetwork& network = imported->network;
  std::vector<SegmentSpec> segments;
  for (const NetworkLayer& layer : network.layers) {
    const LayerShape& s = layer.shape;
    CHECK(std::min({s.n, s.k, s.c, s.p, s.q, s.r, s.s, s.stride, s.groups}) > 0);
    CHECK(std::min({s.Macs(), s.Weights(), s.Operations(), s.operands, layer.parameters}) >= 0);
    CHECK(s.Inputs() >= 0 && s.Outputs() > 0);
    for (std::uint32_t before : layer.after) CHECK(before < segments.size());
    CHECK(std::ranges::is_sorted(layer.after));
    segments.push_back({layer.name, layer.after});
  }
  CHECK(network.Macs() >= 0 && network.Parameters() >= 0 && network.Activations() > 0);
  CHECK(NetworkGraph::Create(network.name, segments).has_value());
  return 0;
}

}  // namespace fairlead
