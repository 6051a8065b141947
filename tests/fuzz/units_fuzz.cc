// Quantities: whatever is accepted lies in its range, and what we write of it reads back exactly.

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = TextOf(data, size);
  if (const auto duration = ParseDuration(text); duration.has_value()) {
    CHECK(*duration >= Duration::zero() && *duration <= kLongestDuration);
    CHECK(ParseDuration(FormatDuration(*duration)) == *duration);
  }
  if (const auto bandwidth = ParseBandwidth(text); bandwidth.has_value()) {
    CHECK(*bandwidth > 0);
    CHECK(ParseBandwidth(FormatBandwidth(*bandwidth)) == *bandwidth);
  }
  if (const auto rate = ParseRate(text); rate.has_value()) CHECK(*rate >= 0 && *rate <= 1);
  if (const auto number = ParseNumber(text); number.has_value()) CHECK(*number - *number == 0);
  if (const auto integer = ParseInteger(text); integer.has_value())
    CHECK(ParseInteger(std::to_string(*integer)) == *integer);
  constexpr std::string_view kWords[] = {"alexnet", "resnet50", ""};
  CHECK(Suggest(text, kWords).starts_with("; "));
  return 0;
}

}  // namespace fairlead
