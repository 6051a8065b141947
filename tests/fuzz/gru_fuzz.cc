// Weights of a GRU: anything is refused, or comes back as it was and can be run.
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/neural/gru.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairlead;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto network = ParseGru(text, "decision", 1);
  if (!network.has_value()) return 0;
  const auto again = ParseGru(FormatGru(*network), "decision", 1);
  CHECK(again.has_value() && *again == *network);
  const std::vector<float> inputs(2 * static_cast<std::size_t>(network->inputs), 0.5F);
  std::vector<float> outputs(2 * static_cast<std::size_t>(network->outputs));
  GruRunner(*network).Run({}, inputs, 2, outputs);
  return 0;
}
