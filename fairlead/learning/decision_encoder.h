// From what a policy sees to numbers: the first third of a learned policy.
//
// Of all that is ready it shows the `limit` segments with least slack (deadline minus now minus the
// shortest time to the end of their network), in that order; the rest is deferred. What no contract
// covers stands behind all that is covered.
//
// System columns: 0 how much is ready; 1 the demand of what runs, in parts of the memory's
// bandwidth; 2 the busy share of accelerators; then for each kind (by its latencies summed over all
// segments, smallest first) 3 columns: the share of its accelerators that is idle, how long until
// the first is free, how long the busy ones are busy on average. Times are in parts of the mean
// network.
//
// Columns of a row: the network, by what tells it from others: 0 its latency where it is fastest
// against that of the mean network, 1 its demand for memory, 2 its number of segments; the layer: 3
// its number as a part of all, 4 the part of the network that it begins, 5 its latency where it is
// fastest; 6 the deadline in such latencies of its network, 7 the time until then, 8 the slack, 9
// the time since its arrival, 10 the shortest time to the end of its network; then for each of its
// kinds 4 columns: latency against the fastest, demand for memory, how long until one is free, how
// many are idle. The aware encoder has two more for the agreement's current and target indicator
// (best effort: 1): the current one, and how far it is below its target, steepest there, where a
// hundredth decides what is owed to whom.
//
// Kinds beyond the fourth fastest of a segment are not shown.
//
// Cost: O(log ready) for each segment that becomes ready, O(limit x columns + accelerators) for
// each decision that is encoded; O(segments of all networks) when kinds come or go or beliefs
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class Awareness : std::uint8_t {
  kUnaware,    // of what was promised
  kIndicators  // current and target indicator of each segment's agreement
};

struct EncoderOptions {
  Awareness awareness = Awareness::kUnaware;
  std::size_t limit = 64;  // rows of a decision
};

class DecisionEncoder {
 public:
  explicit DecisionEncoder(const EncoderOptions& options) : options_(options) { queue_.Reserve(); }

  // What weight files carry: whoever reads these numbers was trained on these.
  static std::string_view Name(Awareness awareness) {
    return awareness == Awareness::kUnaware ? "decision" : "decision-indicators";
  }
  static constexpr int Version(Awareness awareness) {
    return awareness == Awareness::kUnaware ? 1 : 2;
  }
  // Columns of a row.
  static constexpr std::size_t Width(Awareness awareness) {
    return kSegmentFeatures + (awareness == Awareness::kUnaware ? 0 : kIndicatorFeatures);
  }
  const EncoderOptions& options() const { return options_; }

  // What a row tells, read back: for rules that are to be expressed in what a learner sees.
  static double WorkLeft(std::span<const float> row);  // the cube root's binary logarithm
  static double Done(std::span<const float> row);      // the part of the network, in [0, 1]
  static double Spare(std::span<const float> row);     // slack, in times of the work left
  // How far the current indicator is below its target. Of the aware encoder.
  static double Deficit(std::span<const float> row);

  // Takes in what has become ready. At every decision, before the others.
  void Take(const SystemView& view);
  // Fills all of `features`, which keeps its room from call to call. Leaves out what is given up at
  // this decision.
  void Encode(const SystemView& view, const EarlyDrop& early_drop, DecisionFeatures& features);
  // Rows of the last encoding that begin now: they are not waited for any more.
  void Forget(const std::vector<bool>& started);

 private:
  // Of one kind of accelerator, at this decision.
  struct KindLoad {
    int online = 0;
    int idle = 0;
    Instant first_free = kNever;
    Duration left{};  // of all that run
  };
  void Learn(const SystemView& view);
  void LearnKinds(const SystemView& view);
  void LearnSegment(const SystemView& view, NetworkId network, SegmentId segment);
  void LookAround(const SystemView& view, std::vector<float>& system);
  void AddRow(const SystemView& view, const QueuedSegment& entry, DecisionFeatures& features);
  float Demand(const SystemView& view, NetworkId network, SegmentId segment, KindId kind) const;

  EncoderOptions options_;
  ReadyQueue queue_;
  bool learned_ = false;
  std::uint64_t costs_version_ = 0;
  double unit_ns_ = 1;              // the latency of the mean network
  std::vector<KindId> by_speed_;    // kinds that are online
  std::vector<float> static_rows_;  // per segment number: what does not change from one to the next
  std::vector<RankedKinds> ranked_;  // per segment number
  std::vector<KindLoad> loads_;      // per kind
};

}  // namespace fairlead
