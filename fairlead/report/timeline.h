// A run over time, small enough for a page: every segment of a stretch after the warm-up, and how
// much of the accelerators and of the memory was in use from beginning to end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// How much of something was used over time: sums in bins of equal width from time 0, whose number
// is bounded however long a run takes. When they are full, two become one and go on twice as wide.

class UsageBins {
 public:
  static constexpr std::size_t kMostBins = 128;

  // So much in each nanosecond of [start, end); nothing lies before 0. O(1), on average, for what
  // is shorter than a bin.
  void Add(Instant start, Instant end, double per_nanosecond);
  // Makes bins as wide as it takes to reach the instant. Bins that reach equally far are equally
  // wide.
  void Reach(Instant end);

  Duration width() const { return width_; }
  double operator[](std::size_t bin) const { return sums_[bin]; }

 private:
  std::array<double, kMostBins> sums_{};
  Duration width_ = std::chrono::microseconds{1};
};

struct TimelineSlice {
  AcceleratorId accelerator;
  NetworkId network;
  Instant start{};
  Instant end{};
  std::string what;  // "ada, request 7: resnet50/conv3"
};

struct UsageOverTime {
  std::string name;            // a kind of accelerators, or "memory"
  std::vector<double> shares;  // of what there is, bin by bin from time 0
};

// Of the requests that arrived in a bin.
struct HitsOverTime {
  double requests = 0;
  double hits = 0;
};

struct RunTimeline {
  std::vector<std::string> accelerators;
  std::vector<std::string> networks;
  // The stretch, and all that ran in it, also in part; in the order of their ends.
  Instant from{};
  Instant until{};
  std::vector<TimelineSlice> slices;
  Duration bin{};
  std::vector<UsageOverTime> usage;
  std::vector<HitsOverTime> hits;  // bin by bin from time 0
};

// Listens to a run. Memory is bounded by the limits below and by the number of accelerators' units.
//
// A segment whose units changed counts with those that it had at its end. The traffic of a segment
// is spread evenly over its time. The time that a decision takes on an accelerator is not seen.
class TimelineListener final : public RunListener {
 public:
  static constexpr std::size_t kMostSlices = 300;  // that end in the stretch

  // The stretch begins at `from`.
  explicit TimelineListener(Instant from) : from_(from) {}

  // Once, before the first event: the books of the engine that it listens to, and true costs, for
  // the traffic of segments. Not owned; needed until Finish.
  void Open(const SystemState& state, const CostTable& truth);
  // Once, after the last event.
  RunTimeline Finish(Instant end);

  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& assignment, Instant now) override;

 private:
  std::string Describe(const Assignment& assignment) const;
  UsageOverTime SharesOf(const UsageBins& bins, std::string name, double per_nanosecond,
                         Instant end) const;

  Instant from_;
  Instant until_ = kNever;  // known when the stretch is full
  const SystemState* state_ = nullptr;
  const CostTable* truth_ = nullptr;
  std::vector<TimelineSlice> slices_;
  std::vector<UsageBins> busy_;  // units, by kind
  UsageBins traffic_;            // bytes
  UsageBins requests_;           // how many arrived
  UsageBins hits_;               // and of these
};

}  // namespace fairlead
