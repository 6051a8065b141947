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

class RunFiles {
 public:
  // The specs outlive the files.
  RunFiles(const SimulateOptions& options, const std::vector<RunSpec>& specs);

  // Runs may open and close theirs from different threads.
  Result<RunOutputs> Open(std::size_t run);
  Status Close(std::size_t run);

 private:
  // F.csv, or F.<policy>.<seed>.csv with several runs.
  std::string PathOf(const std::string& path, std::size_t run) const;

  const std::vector<RunSpec>& specs_;
  std::array<std::string, 4> outputs_;
  std::vector<std::vector<std::unique_ptr<OutputFile>>> open_;  // per run
};

}  // namespace fairlead
