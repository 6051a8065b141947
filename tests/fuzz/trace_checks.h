// What holds for every imported trace, whatever it was made of.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/workload/requests_file.h"
#include "fairlead/workload/trace_requests.h"

namespace fairlead {

// Little enough of huge counts to be quick.
inline TraceOptions FuzzedTraceOptions() {
  return {.networks = {"alexnet", "resnet50", "a, \"b\""}, .scale = 1e-6, .speedup = 7, .top = 5};
}

// Errors say where; what was read can be written and read again.
inline void CheckImported(const Result<ImportedRequests>& imported) {
  if (!imported.has_value()) {
    CHECK(imported.error().message.starts_with("fuzz.csv:"));
    return;
  }
  std::vector<std::string_view> networks;
  for (const NameAtPlace& network : imported->rows.networks) networks.push_back(network.name);
  const auto file = BuildRequests(imported->rows, networks);
  CHECK_MSG(file.has_value(), file.error().message);
  CHECK(file->tenants.size() <= 5);
  const std::string text = FormatRequests(*file, networks);
  const auto again = ParseRequests("again.csv", text);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(again->rows.size() == imported->rows.rows.size());
}

}  // namespace fairlead
