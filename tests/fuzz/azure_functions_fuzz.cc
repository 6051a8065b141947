// The Azure Functions trace of 2019: what is read is a requests file, what is not has its place.

#include "fairlead/workload/trace_requests.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/trace_checks.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = TextOf(data, size);
  CheckImported(ParseAzureFunctions2019("fuzz.csv", text, FuzzedTraceOptions()));
  return 0;
}

}  // namespace fairlead
