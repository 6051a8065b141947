// Descriptions of accelerators: whatever is accepted prices layers within the laws of hardware.

#include "fairlead/base/check.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(TextOf(data, size));
  const auto model = FindAcceleratorModel(
      "fuzz.yaml", [&](const std::string&) { return Result<std::string>(text); });
  if (!model.has_value()) {
    CHECK(model.error().message.starts_with("fuzz.yaml:"));
    return 0;
  }
  for (const LayerShape& shape :
       {LayerShape{.k = 64, .c = 3, .p = 14, .q = 14, .r = 7, .s = 7, .stride = 2},
        LayerShape{.kind = LayerKind::kDepthwise,
        .k = 24,
        .c = 24,
        .p = 9,
        .q = 9,
        .r = 3,
        .s = 3,
        .groups = 24},
        LayerShape{.kind = LayerKind::kLinear, .n = 3, .k = 10, .c = 100},
        LayerShape{.kind = LayerKind::kPool, .k = 8, .p = 4, .q = 4, .r = 2, .operands = 256}}) {
    if (!model->CanRun(shape)) continue;
    const LayerCost cost = model->Cost(shape, model->UnitChoices().back());
    CHECK(cost.latency > Duration::zero());
    CHECK(cost.energy.Total() >= 0);
    CHECK(8 * cost.DramBytes() >=
          model->WordBits() * (shape.Inputs() + shape.Weights() + shape.Outputs()));
  }
  return 0;
}

}  // namespace fairlead
