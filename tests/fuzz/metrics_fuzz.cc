// Metrics of a server, as `fairlead top` reads them: whatever a server says, it is shown or
// refused.

#include <string>

#include "fairlead/base/check.h"
#include "fairlead/report/server_view.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto samples = ReadMetrics(TextOf(data, size));
  if (!samples.has_value()) {
    CHECK(samples.error().message.starts_with("line "));
    return 0;
  }
  const auto figures = FiguresOfServer({}, *samples);
  if (!figures.has_value()) return 0;
  CHECK(!FormatServer(*figures, 3).empty());
  CHECK(ServerJson(*figures).ends_with("}\n"));
  return 0;
}

}  // namespace fairlead
