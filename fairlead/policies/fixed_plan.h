// A plan made beforehand, carried out to the letter.
//
// Assumes     every request and its place in the plan are known; nothing else comes.
// Steps       each accelerator runs its entries by increasing order, one at a time on all its
//             units; it waits for its next entry until that segment is ready.
// Guarantees  exactly the plan. A plan that misses a segment, names one twice, sends one where it
//             can't run, or whose orders contradict the dependencies is refused beforehand.
// Source      the evaluation of MAGMA (Kao and Krishna, HPCA'22), where a search makes the plan.
// Cost        O(accelerators) per decision.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/domain/request.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct FixedPlanEntry {
  RequestNumber request = 0;
  SegmentId segment;
  AcceleratorId accelerator;
  std::int64_t order = 0;
  int line = 0;  // in the plan file, for messages
};

struct FixedPlan {
  std::string file;
  std::string text;  // of the file, so that recordings can carry it
  std::vector<FixedPlanEntry> entries;
};

// Reads `request,layer,accelerator,order`.
Result<FixedPlan> ParseFixedPlan(std::string_view file, std::string_view text,
                                 const Platform& platform);

// What a plan is checked against: each request's network.
struct PlannedRequest {
  RequestNumber request = 0;
  NetworkId network;
};

Status CheckFixedPlan(const FixedPlan& plan, std::span<const PlannedRequest> requests,
                      std::span<const NetworkGraph> networks, const Platform& platform,
                      const CostTable& costs);

// The plan has passed CheckFixedPlan.
std::unique_ptr<SchedulingPolicy> MakeFixedPlanPolicy(const FixedPlan& plan);

}  // namespace fairlead
