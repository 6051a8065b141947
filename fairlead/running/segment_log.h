// How segments came to run where they did, and how long they took there as the engine sees it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

struct LoggedSegment {
  NetworkId network;
  SegmentId segment;
  AcceleratorId accelerator;
  AcceleratorId from;  // where its job ran before; invalid for the first
  Passage passage{};
  bool alone_there = false;  // its job was the last one there: of a move, nobody was in between
  Duration time{};
};

class SegmentLog final : public RunListener {
 public:
  enum class Keep : std::uint8_t { kCounts, kSegments };
  explicit SegmentLog(Keep keep) : keep_(keep) {}

  const std::array<std::uint64_t, kPassages>& passages() const { return passages_; }
  // Without batches; empty if only counts are kept.
  const std::vector<LoggedSegment>& segments() const { return segments_; }

  void SegmentEnded(const Assignment& assignment, Instant now) override;
  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {}

 private:
  struct LastOfJob {
    std::uint64_t serial = 0;
    AcceleratorId accelerator;
  };

  const Keep keep_;
  std::array<std::uint64_t, kPassages> passages_{};
  std::vector<LoggedSegment> segments_;
  std::vector<LastOfJob> jobs_;            // by slot
  std::vector<std::uint64_t> last_there_;  // the serial of the last job, by accelerator; 0: none
};

}  // namespace fairlead
