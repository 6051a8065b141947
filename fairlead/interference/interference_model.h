// How segments that run at the same time slow each other.
//
// An interference model gives progress rates for a *set* of running segments, not for pairs: 1
// means as fast as alone. The built-in models divide one memory bandwidth; learned models see
// networks, segments and accelerators too.
//
// Rates and demands are scaled integers, and sums of integers do not depend on their order, so a
// lazy recomputation and a full one agree to the nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

// Progress per nanosecond in units of 2^-32: kFullRate is the pace of a segment alone.
using Rate = std::uint64_t;
inline constexpr int kRateBits = 32;
inline constexpr Rate kFullRate = Rate{1} << kRateBits;

// Memory traffic per second in units of 2^-10 bytes.
using Demand = std::uint64_t;
inline constexpr int kDemandBits = 10;

// The demand of a segment that moves `bytes` in `latency`, rounded to the nearest unit.
Demand DemandOf(std::int64_t bytes, Duration latency);

struct RunningSegment {
  AcceleratorId accelerator{};
  NetworkId network{};
  SegmentId segment{};
  int units = 1;
  Demand demand = 0;
  Demand cap = UINT64_MAX;  // its bandwidth is throttled to this
  double pressed = 1;       // its time while all others read memory, over that alone; 1: or unknown
};

class InterferenceModel {
 public:
  virtual ~InterferenceModel() = default;
  // Writes the rate of each running segment, at most kFullRate and at least 1. The result for a
  // segment depends on the set alone, never on the order in which it is listed. Single-threaded;
  // called whenever the running set changes, so the cost should be about linear in the set.
  virtual void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) = 0;
};

enum class Sharing : std::uint8_t {
  kNone,          // no contention
  kProportional,  // everybody slows by the same factor (MAGMA, HPCA'22)
  kMaxMin,        // water-filling: small demands are served in full
};

std::string_view ToString(Sharing sharing);
Result<Sharing> ParseSharing(std::string_view text);

// The model of a shared bandwidth in bytes per second; 0 means no limit.
std::unique_ptr<InterferenceModel> MakeBandwidthSharing(Sharing sharing, std::int64_t bandwidth);

}  // namespace fairlead
