// The files of each run of `fairlead simulate`, open while it runs.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "apps/options.h"
#include "apps/output_file.h"
#include "fairlead/running/run.h"

namespace fairlead {

// What --trace-from and --trace-to say.
Result<TraceWindow> ParseTraceWindow(const SimulateOptions& options);

class RunFiles {
 public:
  // The specs outlive the files.
  RunFiles(const SimulateOptions& options, const TraceWindow& window,
           const std::vector<RunSpec>& specs);

  // Opens each file and lets it be: what cannot be written is known before anything runs.
  Status Try() const;

  // Runs may open and close theirs from different threads.
  Result<RunOutputs> Open(std::size_t run);
  Status Close(std::size_t run);
  // Of a run that failed: what led there can be replayed. The rest is removed.
  void KeepRecording(std::size_t run);

 private:
  // F.csv, or F.<policy>.<seed>.csv with several runs.
  std::string PathOf(const std::string& path, std::size_t run) const;

  const std::vector<RunSpec>& specs_;
  TraceWindow trace_window_;
  std::array<std::string, 4> outputs_;
  struct OpenFiles {
    std::vector<std::unique_ptr<OutputFile>> files;
    OutputFile* recording = nullptr;  // one of these
  };
  std::vector<OpenFiles> open_;  // per run
};

}  // namespace fairlead
