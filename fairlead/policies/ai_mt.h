// AI-MT: segments that need the memory beside segments that compute.
//
// Assumes     believed latencies and traffic are right; the shared bandwidth is the bottleneck.
// Steps       1. What runs leaves some of the memory's bandwidth: the room.
//             2. Of the `lookahead` earliest waiting segments, the one with the largest demand that
//                fits into the room goes first, so that the memory is kept busy; where none fits,
//                the one with the smallest demand, so that computing covers the memory's time.
//                Ties to the earlier arrival. The demand is that on the fastest kind.
//             3. The segment goes where it is believed to finish first; if it starts, its demand
//                there leaves the room. And so on until no accelerator can take more; if these
//                segments do not fill them, with the next `lookahead`.
//             Without a bandwidth limit: first come, first served.
// Guarantees  the bandwidth is not oversubscribed while something waits in the lookahead that
//             could be run instead. No deadlines, no fairness: while others keep coming, up to
//             `lookahead` segments that never fit may wait for ever.
// Source      Baek, Kwon and Kim, A Multi-Neural Network Acceleration Architecture, ISCA 2020: its
//             idea, reconstructed for whole accelerators that share a memory.
//             docs/policies/ai-mt.md
// Cost        O(log ready) per segment that becomes ready, O(lookahead) per segment looked at.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "fairlead/policies/list_policy.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct AiMtOptions {
  std::size_t lookahead = 64;  // segments; at least 1
  ListPolicyOptions list;
};

std::unique_ptr<SchedulingPolicy> MakeAiMt(std::string name, const AiMtOptions& options,
                                           RandomStream random);

}  // namespace fairlead
