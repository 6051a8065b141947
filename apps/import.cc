// fairlead import
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/files.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/report/text_table.h"
#include "fairlead/workload/trace_requests.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

Result<std::vector<std::string>> ParseNetworks(std::string_view list) {
  std::vector<std::string> networks;
  while (true) {
    const std::string_view name = list.substr(0, list.find(','));
    if (name.empty()) return Fail("--networks: a name is empty");
    if (std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      return Fail("--networks: '{}' is not printable", name);
    networks.emplace_back(name);
    if (name.size() == list.size()) return networks;
    list.remove_prefix(name.size() + 1);
  }
}

Result<TraceOptions> ParseTraceOptions(const ImportOptions& options) {
  TraceOptions parsed{.scale = options.scale,
                      .speedup = options.speedup,
                      .top = static_cast<std::size_t>(options.top),
                      .seed = options.seed};
  ASSIGN_OR_RETURN(parsed.networks, ParseNetworks(options.networks));
  ASSIGN_OR_RETURN(parsed.deadline, OfOption("--deadline", ParseDuration(options.deadline)));
  return parsed;
}

Result<ImportedRequests> ReadTrace(const ImportOptions& options) {
  ASSIGN_OR_RETURN(const TraceOptions parsed, ParseTraceOptions(options));
  const bool azure = options.format == "azure-functions-2019";
  if (azure && !options.tasks.empty()) return Fail("--tasks goes with alibaba-pai-2020 alone");
  ASSIGN_OR_RETURN(const std::string text, ReadInput(options.file));
  if (azure) return ParseAzureFunctions2019(options.file, text, parsed);
  AlibabaPaiText tables{.jobs_file = options.file, .jobs = text};
  std::string tasks;
  if (!options.tasks.empty()) {
    ASSIGN_OR_RETURN(tasks, ReadInput(options.tasks));
    tables.tasks_file = options.tasks;
    tables.tasks = tasks;
  }
  return ParseAlibabaPai2020(tables, parsed);
}

std::string Describe(const RequestsFile& file, std::int64_t left_out) {
  const Duration last =
      file.requests.empty() ? Duration{} : file.requests.back().arrival - Instant{};
  std::string text =
      fmt::format("{} of {}, {}, the last one after {:.3f} s\n",
                  Counted(file.requests.size(), "request"), Counted(file.tenants.size(), "tenant"),
                  Counted(file.agreements.size(), "agreement"), Seconds(last));
  if (left_out > 0)
    text += fmt::format("{} left out: no start or no job\n",
                        Counted(static_cast<std::size_t>(left_out), "record"));
  return text;
}

Status WriteRequests(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, OutputFile::Open(path));
  file->stream() << text;
  return file->Commit();
}

}  // namespace

int Run(const ImportOptions& options) {
  const SignalWatch signals;
  // What cannot be written is known before anything is read.
  if (const auto trial = OutputFile::Open(options.out); !trial.has_value())
    return Complain(trial.error(), kCouldNotGoOn);
  ASSIGN_OR_COMPLAIN(const auto imported, ReadTrace(options), kBadInput);
  std::vector<std::string_view> networks;
  for (const NameAtPlace& network : imported.rows.networks) networks.push_back(network.name);
  ASSIGN_OR_COMPLAIN(const auto requests, BuildRequests(imported.rows, networks), kBadInput);
  COMPLAIN_IF_ERROR(WriteRequests(options.out, FormatRequests(requests, networks)), kCouldNotGoOn);
  fmt::print("{}", Describe(requests, imported.left_out));
  return kDone;
}

}  // namespace fairlead
