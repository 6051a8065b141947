// rl-baseline and rl-sla: scheduling by a recurrent network that was trained by reinforcement.
//
// Assumes     latencies alone are believed known; that the network was trained on worlds like this.
// Steps       1. What can no longer make its deadline is given up.
//             2. If something can start, the `limit` ready segments with least slack are looked at;
//                those of them that have no answer yet, or an old one (remembered_answers.h), are
//                shown to a GRU, one after the other (decision_encoder.h).
//             3. The answers, a priority and scores of kinds for each, become a plan
//                (decision_decoder.h). The rest waits.
// Guarantees  none but that nothing stands still: what it does is what it learned.
// Source      Russo, Blanco et al. (arXiv 2403.00766), who leave reward, hyper-parameters, T_s and
//             the exact encoding open: docs/policies/rl-sla.md lists what is ours.
// Cost        about 5 us for each row that is shown (benchmarks/learning_speed).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/learning/decision_frame.h"
#include "fairlead/neural/gru.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// The weights fit the encoder; `file` stands in complaints.
Result<GruNetwork> ReadDecisionNetwork(Awareness awareness, std::string_view file,
                                       std::string_view text);

// The frame that learners are trained in and run in. None of their answers lets a row wait by its
// level: what was learned by imitation is an order. The decoder throttles as the house policy does.
FrameOptions FrameOfLearners(Awareness awareness);

// What thinking takes of the accelerator that the network is thought to run on.
struct ThinkingEnergy {
  double row_pj = 0;           // for each row
  double* spent_pj = nullptr;  // where it is added up, not owned; null: nowhere
};

struct GruPolicyOptions {
  FrameOptions frame;
  Duration refresh{};  // how long an answer holds (remembered_answers.h); zero: for one decision
  ThinkingEnergy energy;
};

// The network as ReadDecisionNetwork gives it.
std::unique_ptr<SchedulingPolicy> MakeGruPolicy(std::string name, const GruPolicyOptions& options,
                                                const GruNetwork& network);

}  // namespace fairlead
