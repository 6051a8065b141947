// Memory-centric: what starts while the memory is overdrawn is throttled, the less urgent the more.
//
// Assumes     believed latencies and traffic are right; the memory grants a cap exactly.
// Steps       1. Ready segments are walked by priority + wait / isolated latency, largest first,
//                where the wait counts from the arrival. Each is placed where it is believed to
//                finish first; if that accelerator is busy, it waits. With memory=1.2 nothing
//                more starts once what runs asks for 1.2 times the bandwidth, as far as it is
//                not capped.
//             2. Demands are percents of the memory's bandwidth. If those of all that runs and
//                starts exceed 150 in sum, each segment that starts is cut. Its weight is its
//                urgency times its demand; the urgency is (1 + priority) / 4 in whole numbers, plus
//                10 x remaining / slack, rounded.
//                cut=published: the excess times the others' part of all weights. Of n segments
//                that removes n - 1 times the excess.
//                cut=normalised: that over n - 1, so that the cuts sum to the excess.
//                Nothing is cut below 25.
//             3. What is left is the segment's bandwidth cap while it runs.
// Guarantees  nothing about deadlines. Caps bind when the segment starts and stay.
// Source      MoCA (Kim et al., HPCA'23), its public artifact.
// Cost        O(networks x priorities + running) per decision, and O(log ready + kinds) for each
//             segment walked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/memory_limit.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class CutRule : std::uint8_t { kPublished, kNormalised };

struct MocaOptions {
  CutRule cut = CutRule::kNormalised;
  DropRule drop = DropRule::kNone;
  double memory = MemoryLimit::kUsual;  // times the bandwidth
};

// Its order: priority plus wait over isolated latency, largest first.
std::unique_ptr<ScoringRule> MakePriorityPlusWait();

std::unique_ptr<SchedulingPolicy> MakeMoca(std::string name, const MocaOptions& options);

}  // namespace fairlead
