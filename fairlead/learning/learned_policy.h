// A policy whose choices somebody else makes: a network, a trainer, a program in another language.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fairlead/learning/decision_features.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

class DecisionActor {
 public:
  virtual ~DecisionActor() = default;
  // Fills `actions`, kActionsPerRow for each row. Equal features, and equal calls before, give
  // equal actions.
  virtual void Act(const DecisionFeatures& features, std::span<float> actions) = 0;
};

std::unique_ptr<SchedulingPolicy> MakeLearnedPolicy(std::string name, const FrameOptions& options,
                                                    std::unique_ptr<DecisionActor> actor);

}  // namespace fairlead
