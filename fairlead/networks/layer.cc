#include "fairlead/networks/layer.h"

#include <array>

namespace fairlead {

std::string_view Name(LayerKind kind) {
  static constexpr std::array<std::string_view, kLayerKinds> kNames = {
      "conv",          "depthwise", "linear",  "pool", "elementwise",
      "normalisation", "resize",    "shuffle", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace fairlead
