// A policy that remembers: it acts as a learned policy does, and keeps what it saw, what it did,
// what came of it, and what a teacher would have done. There is no second loop around the
// simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/learning/reward.h"
#include "fairlead/learning/torch/experience.h"
#include "fairlead/learning/torch/training_options.h"
#include "fairlead/neural/gru.h"
#include "fairlead/running/training/teacher.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class WhoActs : std::uint8_t {
  kStudent,    // the network
  kExploring,  // the network, with noise on what it says
  kTeacher,    // the teacher's order
};

struct CollectingOptions {
  FrameOptions frame;
  RewardOptions reward;
  ExplorationOptions exploration;
  WhoActs acts = WhoActs::kStudent;
  const GruNetwork* network = nullptr;  // not owned; null where the teacher acts
  std::unique_ptr<Teacher> teacher;     // null: nobody is asked
  Trajectory* trajectory = nullptr;     // not owned; null: nothing is kept
  std::size_t most_decisions = 0;       // after which the run is asked to stop; 0: never
  std::stop_source stop{std::nostopstate};
};

class CollectingPolicy final : public SchedulingPolicy {
 public:
  CollectingPolicy(CollectingOptions options, RandomStream random);

  std::string_view Name() const override { return "collecting"; }
  void Observe(const SystemView& view, const Event& event) override;
  void Decide(const SystemView& view, SchedulingPlan& plan) override;

 private:
  void Act(const SystemView& view);
  void AddNoise(Instant now);
  void Remember(const SystemView& view);

  CollectingOptions options_;
  RandomStream random_;
  DecisionFrame frame_;
  RewardMeter meter_;
  std::unique_ptr<GruRunner> runner_;
  std::vector<float> actions_;
  std::vector<float> noise_;  // per place in an answer
  Instant noise_at_{};
  std::vector<std::uint16_t> order_;  // the teacher's
  std::vector<float> values_;         // likewise
  Instant last_{};                    // decision that is kept
};

}  // namespace fairlead
