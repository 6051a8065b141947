// A temporal rule and a placement, combined: the list scheduler behind most policies here.
//
// Assumes   latencies alone are believed known; nothing is known about future arrivals.
// Steps     1. With drop=early, give up what can no longer make its deadline.
//           2. Walk the ready segments in the order of the temporal rule, those that no contract
//              covers behind all others.
//           3. Ask the placement for each: start it, enqueue it (with a decision period), or let
//              it wait.
//           4. Stop when no accelerator can take anything more, or (memory=1.2) what runs asks
//              for that many times the bandwidth.
// Source    the "-H" baselines of Russo, Blanco et al. (arXiv 2403.00766), generalised.
// Cost      O(log n) per segment for keeping n ready segments in order, and per decision O(kinds)
//           for each segment walked. An accelerator that nothing ready can use (with fastest: that
//           nothing ready is fastest on) ends no walk and begins none. Where whoever waits is in
//           nobody's way (all placements but earliest-finish, and that too with wait=never),
//           segments that suit nothing idle are passed over: each affinity has a queue, and a step
//           costs O(affinities). earliest-finish walks on while an idle accelerator is so slow that
//           all would rather wait.
#pragma once

#include <memory>
#include <string>

#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/placement.h"
#include "fairlead/policies/temporal_rule.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct ListPolicyOptions {
  DropRule drop = DropRule::kNone;
  PlacementOptions placement;
  double memory = MemoryLimit::kUsual;   // times the bandwidth
  double throttle = MemoryLimit::kNone;  // times an equal part of it
  MemoryLimit::Beyond beyond = MemoryLimit::Beyond::kNothing;
};

// What all of these do with the segments that they have put in order.
Dispatch MakeDispatch(const ListPolicyOptions& options, RandomStream random);

std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 const ListPolicyOptions& options,
                                                 RandomStream random);
// With a placement of the policy's own.
std::unique_ptr<SchedulingPolicy> MakeListPolicy(std::string name,
                                                 std::unique_ptr<TemporalRule> rule,
                                                 Dispatch dispatch);

}  // namespace fairlead
