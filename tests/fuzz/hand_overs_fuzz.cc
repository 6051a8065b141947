// Costs of hand-overs: reading, writing and reading again gives the same, and no move of theirs
// takes longer than any may.

#include <string>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/costs/hand_over_costs.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> kinds = {"x", "y", "the \"big\" one"};
  const auto costs = ParseHandOvers("fuzz.csv", TextOf(data, size), kinds);
  if (!costs.has_value()) {
    CHECK(costs.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  const auto again = ParseHandOvers("again.csv", FormatHandOvers(*costs, kinds), kinds);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(*again == *costs);
  for (std::size_t from = 0; from < kinds.size(); ++from) {
    for (std::size_t to = 0; to < kinds.size(); ++to) {
      const MoveCost& move = costs->Move(KindId{from}, KindId{to});
      for (std::int64_t bytes : {INT64_C(0), INT64_C(1), INT64_MAX}) {
        CHECK(move.For(bytes) >= move.fixed && move.For(bytes) <= MoveCost::kLongest);
      }
    }
  }
  return 0;
}

}  // namespace fairlead
