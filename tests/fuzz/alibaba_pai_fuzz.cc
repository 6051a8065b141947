// Alibaba's PAI trace of 2020. A line "--" divides the input into jobs and tasks.

#include "fairlead/workload/trace_requests.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/trace_checks.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = TextOf(data, size);
  TraceOptions options = FuzzedTraceOptions();
  options.scale = 1;  // a request for each line at most
  AlibabaPaiText tables{.jobs_file = "fuzz.csv", .jobs = text};
  if (const std::size_t cut = text.find("\n--\n"); cut != std::string::npos) {
    tables.jobs = std::string_view(text).substr(0, cut);
    tables.tasks_file = "fuzz.csv";
    tables.tasks = std::string_view(text).substr(cut + 4);
  }
  CheckImported(ParseAlibabaPai2020(tables, options));
  return 0;
}

}  // namespace fairlead
