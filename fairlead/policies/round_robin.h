// Round robin over tenants, one segment each in turn.
//
// Assumes     segments of all tenants are worth the same; weights, deadlines and costs are not
//             looked at.
// Steps       rounds are numbered. A segment that becomes ready joins the first round, from the
//             one being served on, in which its tenant has no segment yet; that is its key. Within
//             a round the earlier arrival goes first.
// Guarantees  between two services of a waiting tenant every other tenant is served at most once.
//             An idle tenant gathers no credit.
// Source      textbook, with round numbers as in start-time fair queueing (Goyal et al., 1996).
// Cost        O(1) per key.
#pragma once

#include <memory>

#include "fairlead/policies/temporal_rule.h"

namespace fairlead {

std::unique_ptr<TemporalRule> MakeTenantRoundRobin();

}  // namespace fairlead
