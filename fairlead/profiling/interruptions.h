// Whether others used the cores while we measured.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// How often a thread of this program was made to leave its core for another, up to now.
std::int64_t InvoluntarySwitches();

// The processor time of some cores up to now, in seconds: all that was used, by us or by others,
// and what the hypervisor gave to other machines ("steal").
struct CoreTime {
  double used = 0;
  double stolen = 0;
};
// `text` is the content of /proc/stat.
CoreTime ParseCoreTime(std::string_view text, std::span<const int> cores);
CoreTime ReadCoreTime(std::span<const int> cores);  // zero where the kernel does not tell

// The processor time that this program used, in seconds, and the calling thread of it.
double OwnProcessorTime();
double OwnThreadTime();

// How much of some cores' time went to other programs and other virtual machines while a machine
// was measured: what makes its figures doubtful.

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
