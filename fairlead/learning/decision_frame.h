// What all learned policies have in common around their network: what can no longer make its
// deadline is given up (as drop=early of the list policies; it would fill the rows otherwise), the
// rest is encoded, and the answer is decoded. The network is asked only where something can start.
#pragma once

#include <span>

#include "fairlead/learning/decision_decoder.h"
#include "fairlead/learning/decision_encoder.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

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
