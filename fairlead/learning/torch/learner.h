// The networks that learn, and the two ways in which they do: by imitation of a teacher, and by
// deterministic policy gradients (DDPG). libtorch is behind this header, not in it.
//
// The actor is the recurrent layer over the rows of a decision with a head for each row, and is
// what is exported; the critic is another one over rows and actions that says what a decision is
// worth. Both run on a GPU where libtorch finds one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/torch/experience.h"
#include "fairlead/learning/torch/training_options.h"
#include "fairlead/neural/gru.h"

namespace fairlead {

struct DdpgFigures {
  double critic_loss = 0;
  double value = 0;  // that the critic gives to what the actor would do, on average
};

// One thread at a time. Equal options and equal calls give equal networks on the same machine and
// library; another library, or a GPU, rounds differently.
class ActorLearner {
 public:
  virtual ~ActorLearner() = default;

  // One step of the optimiser on decisions that are labelled; returns the loss. `progress` in [0,
  // 1] is how much of the imitation is over.
  virtual double Imitate(std::span<const ExperiencedDecision* const> decisions,
                         double progress) = 0;
  // One step on transitions.
  virtual DdpgFigures Improve(std::span<const Transition> transitions) = 0;

  // What the actor says to one decision, rows x outputs: for comparison with neural/.
  virtual std::vector<float> Act(std::span<const float> features) const = 0;
  // The actor for neural/; its name and version are the caller's to fill in.
  virtual GruNetwork Weights() const = 0;
  // Of the same shape. The target network follows at once.
  virtual void SetWeights(const GruNetwork& weights) = 0;

  // All that is needed to go on: networks, optimisers, and `notes` of the caller's. The file is
  // written beside its name and then renamed, so that one that is there is whole.
  virtual Status Save(const std::string& path, std::string_view notes) const = 0;
  // Returns the notes. Of a learner of the same shape.
  virtual Result<std::string> Load(const std::string& path) = 0;

  virtual std::string Device() const = 0;  // "cpu", "cuda"
};

// `threads`: of libtorch's arithmetic on the processor.
std::unique_ptr<ActorLearner> MakeActorLearner(const ActorShape& shape,
                                               const LearnerOptions& options, int threads);

}  // namespace fairlead
