#include "fairlead/running/live_machine.h"

#include <algorithm>

#include "fairlead/execution/machine.h"

namespace fairlead {

OffThePartitions::OffThePartitions(const LiveCores& cores)
    : cores_(cores), before_(Machine::This().UsableCores()) {
  // Where it cannot be done the run is as good as the machine lets it be.
  if (!cores_.left.empty()) static_cast<void>(Machine::This().BindThread(cores_.left));
  used_before_ = ReadCoreTime(cores_.partitions);
  own_before_ = OwnTime();
}

OffThePartitions::~OffThePartitions() {
  if (!cores_.left.empty()) static_cast<void>(Machine::This().BindThread(before_));
}

double OffThePartitions::OwnTime() const {
  return OwnProcessorTime() - (cores_.left.empty() ? 0 : OwnThreadTime());
}

void OffThePartitions::Write(LiveFigures& figures) const {
  const CoreTime used = ReadCoreTime(cores_.partitions);
  const double all =
      std::max(stopwatch_.ElapsedSeconds() * static_cast<double>(cores_.partitions.size()), 1e-9);
  const double others = used.used - used_before_.used - (OwnTime() - own_before_);
  figures.others_share = std::clamp(others / all, 0.0, 1.0);
  figures.stolen_share = std::clamp((used.stolen - used_before_.stolen) / all, 0.0, 1.0);
}

}  // namespace fairlead
