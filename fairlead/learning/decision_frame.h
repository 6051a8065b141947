// What all learned policies have in common around their network: what can no longer make its
// deadline is given up (as drop=early of the list policies; it would fill the rows otherwise), the
// rest is encoded, and the answer is decoded. The network is asked only where something can start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/learning/decision_encoder.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/memory_limit.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// From a learned policy's answer to a plan: its last third.
//
// An answer has for each row a priority and a score for each of the row's kinds, in [-1, 1].
//   1. Rows are walked by priority, largest first (equal ones in their order); what no contract
//      covers behind all that is covered. A row below `defer_below` waits.
//   2. Each goes to the kind where it is believed to finish soonest: when the first accelerator of
//      the kind is free (with what this decision queued there) plus the latency there, multiplied
//      by something from 1/4 (score 1) to 4 (score -1). Scores of 0 give the placement "-H" of the
//      list policies; others choose kinds, and whether to wait for one: where the chosen
//      accelerator is busy, the row waits, and counts as queued there for the rest of the decision.
//      Kinds that the row does not name have score -1.
//   3. The walk ends when no accelerator can take more, or the memory is busy enough (the limit of
//      the list policies).
// When nothing runs and all rows are below `defer_below`, the first starts all the same: nothing
// else might ever happen. So a learner can express every list policy that orders by what the
// encoder shows, and does not have to learn what is known: finish times, and that an
// oversubscribed memory helps nobody.
//
// Cost: O(rows log rows + rows x kinds + accelerators).

struct DecoderOptions {
  double defer_below = -0.8;            // a priority
  double memory = MemoryLimit::kUsual;  // times the bandwidth
  // Times an equal part of it, for what starts; and what may start beyond the limit.
  double throttle = MemoryLimit::kNone;
  MemoryLimit::Beyond beyond = MemoryLimit::Beyond::kNothing;
};

class DecisionDecoder {
 public:
  explicit DecisionDecoder(const DecoderOptions& options);

  // Makes room for so many rows.
  void Reserve(std::size_t most) {
    order_.reserve(most);
    started_.reserve(most);
  }
  // A new decision.
  void Begin(const SystemView& view);
  // Whatever the answer, nothing can start: nobody needs to be asked.
  bool Exhausted() const { return slots_.Exhausted() || memory_.Closed(); }
  // Adds what the answer means to the plan. `actions` has kActionsPerRow numbers for each row.
  void Decode(const SystemView& view, const DecisionFeatures& features,
              std::span<const float> actions, SchedulingPlan& plan);
  // By row: the plan has it.
  const std::vector<bool>& started() const { return started_; }

 private:
  struct Choice {
    AcceleratorSlot* slot = nullptr;
    Duration taken{};
  };
  enum class Among : std::uint8_t { kAll, kUsable };
  Choice Choose(const SystemView& view, const DecisionFeatures& features, std::size_t row,
                std::span<const float> scores, Among among);
  bool Offer(const SystemView& view, const DecisionFeatures& features, std::size_t row,
             std::span<const float> scores, Among among, SchedulingPlan& plan);

  DecoderOptions options_;
  AcceleratorSlots slots_;
  MemoryLimit memory_;
  std::vector<std::uint32_t> order_;  // rows by priority; scratch
  std::vector<bool> started_;
};

struct FrameOptions {
  EncoderOptions encoder;
  DecoderOptions decoder;
};

class DecisionFrame {
 public:
  explicit DecisionFrame(const FrameOptions& options);

  // Looks at a decision; true: an answer is needed, to what features() shows. Once for every
  // decision, or several times in a row for one.
  bool Look(const SystemView& view);
  const DecisionFeatures& features() const { return features_; }
  // Closes the decision that was looked at. Without a need for an answer, `actions` is not read.
  void Decide(const SystemView& view, std::span<const float> actions, SchedulingPlan& plan);

 private:
  DecisionEncoder encoder_;
  DecisionDecoder decoder_;
  EarlyDrop early_drop_;
  DecisionFeatures features_;
  SchedulingPlan given_up_;
  bool looked_ = false;
  bool asking_ = false;
};

}  // namespace fairlead
