// Requests files: reading, writing and reading again gives the same requests.

#include "fairlead/base/check.h"
#include "fairlead/workload/requests_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto rows = ParseRequests("fuzz.csv", TextOf(data, size));
  if (!rows.has_value()) {
    CHECK(rows.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  std::vector<std::string_view> networks;
  for (const NameAtPlace& network : rows->networks) networks.push_back(network.name);
  const auto file = BuildRequests(*rows, networks);
  CHECK_MSG(file.has_value(), file.error().message);

  const std::string text = FormatRequests(*file, networks);
  const auto rows_again = ParseRequests("again.csv", text);
  CHECK_MSG(rows_again.has_value(), rows_again.error().message);
  const auto again = BuildRequests(*rows_again, networks);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(FormatRequests(*again, networks) == text);
  CHECK(again->tenants.size() == file->tenants.size());
  CHECK(again->agreements.size() == file->agreements.size());

  constexpr std::string_view kOthers[] = {"alexnet"};
  const auto strange = BuildRequests(*rows, kOthers);
  CHECK(strange.has_value() || strange.error().message.starts_with("fuzz.csv:"));
  return 0;
}

}  // namespace fairlead
