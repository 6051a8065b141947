#include "apps/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "apps/verbs.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::size_t kRecording = 2;  // of a run's outputs

void TellOfLargeTrace(const std::string& path) {
  Tell(
      "{} has passed {} MB, which browsers hardly show; --trace-from and --trace-to cut out a "
      "part\n",
      path, TraceWriter::kLarge >> 20);
}

}  // namespace

Result<TraceWindow> ParseTraceWindow(const SimulateOptions& options) {
  TraceWindow window;
  if (!options.trace_from.empty()) {
    const auto from = ParseDuration(options.trace_from);
    if (!from.has_value()) return Fail("--trace-from: {}", from.error().message);
    window.from = Instant{} + *from;
  }
  if (!options.trace_to.empty()) {
    const auto to = ParseDuration(options.trace_to);
    if (!to.has_value()) return Fail("--trace-to: {}", to.error().message);
    window.to = Instant{} + *to;
  }
  if (window.to < window.from) return Fail("--trace-to lies before --trace-from");
  return window;
}

RunFiles::RunFiles(const SimulateOptions& options, const TraceWindow& window,
                   const std::vector<RunSpec>& specs)
    : specs_(specs),
      trace_window_(window),
      outputs_{options.outcomes, options.trace, options.recording, options.books},
      open_(specs.size()) {}

Status RunFiles::Try() const {
  std::map<std::string, std::string> paths;  // where they lead
  for (std::size_t run = 0; run < specs_.size(); ++run) {
    for (const std::string& output : outputs_) {
      if (output.empty()) continue;
      const std::string path = PathOf(output, run);
      std::error_code ignored;
      const auto [found, fresh] = paths.emplace(WherePathLeads(path), path);
      const auto there = std::filesystem::status(path, ignored);
      if (!fresh && (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there)))
        return Fail("{} and {} are the same file", found->second, path);
      ASSIGN_OR_RETURN(const auto trial, OutputFile::Open(path));
    }
  }
  return {};
}

Result<RunOutputs> RunFiles::Open(std::size_t run) {
  std::array<std::ostream*, 4> streams{};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].empty()) continue;
    ASSIGN_OR_RETURN(auto file, OutputFile::Open(PathOf(outputs_[i], run)));
    streams[i] = &file->stream();
    if (i == kRecording) open_[run].recording = file.get();
    open_[run].files.push_back(std::move(file));
  }
  return RunOutputs{.outcomes = streams[0],
                    .trace = streams[1],
                    .trace_window = trace_window_,
                    .trace_is_large = [path = outputs_[1]] { TellOfLargeTrace(path); },
                    .recording = streams[kRecording],
                    .books = streams[3]};
}

Status RunFiles::Close(std::size_t run) {
  for (const std::unique_ptr<OutputFile>& file : open_[run].files) RETURN_IF_ERROR(file->Commit());
  open_[run] = {};
  return {};
}

void RunFiles::KeepRecording(std::size_t run) {
  // That it can't be written is the smaller misfortune.
  if (open_[run].recording != nullptr) std::ignore = open_[run].recording->Commit();
  open_[run] = {};
}

std::string RunFiles::PathOf(const std::string& path, std::size_t run) const {
  if (specs_.size() == 1) return path;
  const std::size_t slash = path.find_last_of('/');
  std::size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
  std::string policy = specs_[run].policy;
  policy.erase(0, policy.find_last_of('/') + 1);  // of one from a file
  std::ranges::replace_if(
      policy, [](char c) { return c == ':' || c == ';' || c == '='; }, '-');
  return fmt::format("{}.{}.{}{}", path.substr(0, dot), policy, specs_[run].seed, path.substr(dot));
}

}  // namespace fairlead
