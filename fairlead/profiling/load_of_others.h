// How much of some cores' time went to other programs and other virtual machines while a machine
// was measured: what makes its figures doubtful.
#pragma once

#include <vector>

#include "fairlead/profiling/interruptions.h"
#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// Counts from when it was made.
class LoadOfOthers {
 public:
  explicit LoadOfOthers(std::vector<int> cores);

  // The two shares, of the profile's `seconds`.
  void Write(MachineProfile& profile) const;

 private:
  std::vector<int> cores_;
  CoreTime before_;
  double own_before_;
};

}  // namespace fairlead
