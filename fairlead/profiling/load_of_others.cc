#include "fairlead/profiling/load_of_others.h"

#include <algorithm>
#include <utility>

namespace fairlead {

LoadOfOthers::LoadOfOthers(std::vector<int> cores)
    : cores_(std::move(cores)), before_(ReadCoreTime(cores_)), own_before_(OwnProcessorTime()) {}

void LoadOfOthers::Write(MachineProfile& profile) const {
  const CoreTime now = ReadCoreTime(cores_);
  const double all = std::max(profile.seconds * static_cast<double>(cores_.size()), 1e-9);
  const double others = now.used - before_.used - (OwnProcessorTime() - own_before_);
  profile.others_share = std::clamp(others / all, 0.0, 1.0);
  profile.stolen_share = std::clamp((now.stolen - before_.stolen) / all, 0.0, 1.0);
}

}  // namespace fairlead
