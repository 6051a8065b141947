// Herald: every segment to the accelerator that it prefers, unless that is too far behind.
//
// Assumes     believed latencies and energies are right; segments differ in which kind suits them.
// Steps       1. order=breadth: segments in the order in which they became ready, so that jobs take
//                turns layer by layer; order=depth: those of the earliest job first.
//             2. For each, kinds are ranked by metric: latency, energy, or their product.
//             3. It goes to the first in rank where it would finish at most `imbalance` times as
//                late, counted from now, as where it would finish first. If that one is busy it
//                waits there.
// Guarantees  no segment is placed where it would finish more than `imbalance` times later than
//             possible, as far as this decision knows. Nothing about deadlines or fairness.
// Source      Kwon et al., Heterogeneous Dataflow Accelerators for Multi-DNN Workloads, HPCA 2021.
//             The original plans ahead for a fixed set of networks; this is an online
//             reconstruction of ours. docs/policies/herald.md
// Cost        as a list policy: O(log n) per segment for the order, O(kinds) per segment walked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fairlead/policies/list_policy.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

enum class HeraldMetric : std::uint8_t { kLatency, kEnergy, kEnergyDelay };
enum class HeraldOrder : std::uint8_t { kBreadth, kDepth };

struct HeraldOptions {
  HeraldMetric metric = HeraldMetric::kLatency;
  double imbalance = 1.5;  // at least 1; infinity: preference alone
  HeraldOrder order = HeraldOrder::kDepth;
  DropRule drop = DropRule::kNone;
  Waiting waiting = Waiting::kAllowed;
  double memory = MemoryLimit::kUsual;  // times the bandwidth
};

std::unique_ptr<SchedulingPolicy> MakeHerald(std::string name, const HeraldOptions& options);

}  // namespace fairlead
