// Whose turn it is: the temporal half of a list policy.
//
// A rule gives each segment a key when it becomes ready; smaller keys go first, ties to the
// earlier arrival. A key stays as it is while the segment waits and the same kinds are there, which
// lets a backlog of any length be kept in order. Rules that change with time (a token that grows)
// are scoring rules.
#pragma once

#include <cstdint>
#include <memory>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class TemporalRule {
 public:
  virtual ~TemporalRule() = default;
  virtual std::int64_t Key(const SystemView& view, const ReadySegment& ready) = 0;
  // Keys are made of what the costs derive from the kinds that are online, and are made anew when
  // these change.
  virtual bool FollowsOnline() const { return false; }
  // A segment with this key was started.
  virtual void Started(std::int64_t /*key*/) {}
};

// First come, first served.
//
// Assumes     nothing about costs; fairness is to serve in order of arrival.
// Steps       the key of a segment is the arrival of its job.
// Guarantees  no job waits for one that arrived later, except where the placement lets the later
//             one use an accelerator that the earlier one did not want. Nothing about deadlines.
// Source      the "FCFS" of FCFS-H in Russo, Blanco et al. (arXiv 2403.00766).
// Cost        O(1) per key.
std::unique_ptr<TemporalRule> MakeFirstComeFirstServed();

// Earliest deadline first.
//
// Assumes     deadlines are known; costs are not looked at.
// Steps       the key of a segment is the absolute deadline of its job.
// Guarantees  optimal on one preemptible accelerator while all deadlines can be met (Liu and
//             Layland, 1973). Past saturation it serves what is already late and collapses, unless
//             drop=early.
// Source      the "EDF" of EDF-H in Russo, Blanco et al. (arXiv 2403.00766).
// Cost        O(1) per key.
std::unique_ptr<TemporalRule> MakeEarliestDeadlineFirst();

// Shortest remaining job first.
//
// Assumes     believed latencies are right; what is left of a job is the longest path from the
//             segment to its end, each segment where it is fastest (for a chain: the sum).
// Steps       the key of a segment is that remaining time.
// Guarantees  least mean latency on one accelerator that is preemptible between segments. Long
//             jobs starve under load; deadlines are not looked at.
// Source      textbook; the exact reading for one accelerator is in docs/policies/sjf.md.
// Cost        O(1) per key.
std::unique_ptr<TemporalRule> MakeShortestJobFirst();

// Least laxity first.
//
// Assumes     deadlines and believed latencies are right.
// Steps       the key of a segment is the latest instant at which it could start and still make
//             the deadline: deadline minus the longest path from it to the end of its network,
//             each segment where it is fastest. Laxity is that minus now, so the order is that of
//             laxity at every instant.
// Guarantees  optimal on one preemptible accelerator while all deadlines can be met (Mok, 1983).
//             Negative laxity comes first: past saturation use drop=early.
// Source      textbook.
// Cost        O(1) per key.
std::unique_ptr<TemporalRule> MakeLeastLaxityFirst();

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
std::unique_ptr<TemporalRule> MakeTenantRoundRobin();

}  // namespace fairlead
