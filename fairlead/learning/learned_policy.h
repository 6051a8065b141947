// A policy whose choices somebody else makes: a network, a trainer, a program in another language.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/neural/gru.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// rl-baseline and rl-sla: scheduling by a recurrent network that was trained by reinforcement.
//
// Assumes     latencies alone are believed known; that the network was trained on worlds like this.
// Steps       1. What can no longer make its deadline is given up.
//             2. If something can start, the `limit` ready segments with least slack are looked at;
//                those of them that have no answer yet, or an old one, are
//                shown to a GRU, one after the other (decision_encoder.h).
//             3. The answers, a priority and scores of kinds for each, become a plan
//                (decision_decoder.h). The rest waits.
// Guarantees  none but that nothing stands still: what it does is what it learned.
// Source      Russo, Blanco et al. (arXiv 2403.00766), who leave reward, hyper-parameters, T_s and
//             the exact encoding open: docs/policies/rl-sla.md lists what is ours.
// Cost        about 5 us for each row that is shown (benchmarks/learning_speed).

// The weights fit the encoder; `file` stands in complaints.
Result<GruNetwork> ReadDecisionNetwork(Awareness awareness, std::string_view file,
                                       std::string_view text);

// The frame that learners are trained in and run in. None of their answers lets a row wait by its
// level: what was learned by imitation is an order. The decoder throttles as `fairlead` does.
FrameOptions FrameOfLearners(Awareness awareness);

// What thinking takes of the accelerator that the network is thought to run on.
struct ThinkingEnergy {
  double row_pj = 0;           // for each row
  double* spent_pj = nullptr;  // where it is added up, not owned; null: nowhere
};

struct GruPolicyOptions {
  FrameOptions frame;
  Duration refresh{};  // how long an answer holds; zero: for one decision
  ThinkingEnergy energy;
};

// The network as ReadDecisionNetwork gives it.
std::unique_ptr<SchedulingPolicy> MakeGruPolicy(std::string name, const GruPolicyOptions& options,
                                                const GruNetwork& network);

class DecisionActor {
 public:
  virtual ~DecisionActor() = default;
  // Fills `actions`, kActionsPerRow for each row. Equal features, and equal calls before, give
  // equal actions.
  virtual void Act(const DecisionFeatures& features, std::span<float> actions) = 0;
};

std::unique_ptr<SchedulingPolicy> MakeLearnedPolicy(std::string name, const FrameOptions& options,
                                                    std::unique_ptr<DecisionActor> actor);

// Asks a learned policy's network only about what it has not judged yet, or some time ago.
//
// Most rows of a decision stood in the last one too, some microseconds before, and would get the
// answer that they got then. So each row's answer is kept, and given again, until
//   - it is older than `refresh` (deadlines draw nearer, and the system goes on), or
//   - an outcome has changed its agreement's indicator, or
//   - beliefs or the kinds that are online have changed.
// The rows that are left are shown in their order, as a decision of their own. What has not been
// among the rows of the last decision that was asked about is forgotten.
//
// Cost: O(rows log rows) for each decision that is asked about, and the network's for the rows that
// it reads. Allocates only for more rows than `most`.

// Of `actor`, which is shown fewer rows this way. Up to `most` rows in a decision.
std::unique_ptr<DecisionActor> RememberAnswers(std::unique_ptr<DecisionActor> actor,
                                               Duration refresh, std::size_t most);

}  // namespace fairlead
