// The processor's own counters, where the kernel lets us read them: what studies of
// interference take as proxies (references to and misses of the last-level cache), and cycles and
// instructions beside them.
//
// The cores of a partition are counted, not threads: whatever the partition's threads do counts,
// whoever made them; other programs on these cores do too. Where only one's own thread may be
// counted, that is done for partitions of one core. Virtual machines often have no counters at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct PerfEvent {
  std::string_view name;  // a column of counters.csv
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

// cycles, instructions, cache_references, cache_misses.
std::span<const PerfEvent> CacheEvents();

class PerfCounters {
 public:
  // From the thread that uses the cores. Says in one line why there are none: what the kernel
  // answered, and what it permits.
  static Result<std::unique_ptr<PerfCounters>> Open(std::span<const PerfEvent> events,
                                                    std::span<const int> cores);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  // How often each event has happened so far, on all cores together. Where the kernel had to let
  // events take turns, the counts are scaled to the whole time.
  void Read(std::span<double> counts) const;
  std::size_t size() const { return events_; }

 private:
  PerfCounters() = default;
  Status Add(std::span<const PerfEvent> events, int thread, int core);

  std::size_t events_ = 0;
  std::vector<int> files_;  // core after core, event after event
};

}  // namespace fairlead
