#include "apps/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fairlead {

RunFiles::RunFiles(const SimulateOptions& options, const std::vector<RunSpec>& specs)
    : specs_(specs),
      outputs_{options.outcomes, options.trace, options.recording, options.books},
      open_(specs.size()) {}

Result<RunOutputs> RunFiles::Open(std::size_t run) {
  std::array<std::ostream*, 4> streams{};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].empty()) continue;
    ASSIGN_OR_RETURN(auto file, OutputFile::Open(PathOf(outputs_[i], run)));
    streams[i] = &file->stream();
    open_[run].push_back(std::move(file));
  }
  return RunOutputs{
      .outcomes = streams[0], .trace = streams[1], .recording = streams[2], .books = streams[3]};
}

Status RunFiles::Close(std::size_t run) {
  for (const std::unique_ptr<OutputFile>& file : open_[run]) RETURN_IF_ERROR(file->Commit());
  open_[run].clear();
  return {};
}

std::string RunFiles::PathOf(const std::string& path, std::size_t run) const {
  if (specs_.size() == 1) return path;
  const std::size_t slash = path.find_last_of('/');
  std::size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
  std::string policy = specs_[run].policy;
  std::ranges::replace_if(
      policy, [](char c) { return c == ':' || c == ';' || c == '='; }, '-');
  return fmt::format("{}.{}.{}{}", path.substr(0, dot), policy, specs_[run].seed, path.substr(dot));
}

}  // namespace fairlead
