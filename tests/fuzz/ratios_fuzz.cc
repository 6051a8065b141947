// Files of allocation ratios: what is accepted is written as text that reads the same.

#include "fairlead/base/check.h"
#include "fairlead/policies/home_queues.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto ratios = ParseAllocationRatios("fuzz.csv", TextOf(data, size));
  if (!ratios.has_value()) {
    CHECK(ratios.error().message.starts_with("fuzz.csv"));
    return 0;
  }
  const std::string text = FormatAllocationRatios(*ratios);
  const auto again = ParseAllocationRatios("again.csv", text);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(FormatAllocationRatios(*again) == text);
  return 0;
}

}  // namespace fairlead
