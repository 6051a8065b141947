// Ready segments in the order of PREMA: by tokens, rounded down to a level, then by the work left.
//
// Tokens only grow, and more than nine are as good as nine: who has so many waits in a queue by the
// work left, and is counted no more. So is who can earn none. Only the others, the growing, are
// counted at each decision: such as have waited, in all, for at most eight times what they take
// alone, however long the backlog. O(log n) per segment that becomes ready; per decision
// O(growing), and O(1) for each segment shown. Allocates only at a new height.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/policies/early_drop.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Which waiting time earns tokens at a decision.
enum class TokenRule : std::uint8_t {
  kSinceLastRun,     // all of it since the job last ran, again at each decision: super-linear
  kSinceLastUpdate,  // what has come since the last decision: each nanosecond counts once
};

class PremaQueue {
 public:
  explicit PremaQueue(TokenRule rule);

  void Observe(const SystemView& view, const Event& event);
  // Takes in what has become ready: at every decision, also where nothing can start.
  void Take(const SystemView& view);
  // Hands out tokens: at each decision in which an accelerator is free, whether or not anything
  // ready can use it.
  void Count(const SystemView& view, const EarlyDrop& early_drop);

  // Shows segments in order until `visit` returns false or none is left. After Count.
  template <typename Visit>
  void Walk(const SystemView& view, const EarlyDrop& early_drop, Visit&& visit) {
    Open(view, early_drop);
    while (Next(view, early_drop) && visit(last_)) {
    }
    Close();
  }

 private:
  struct Account {
    std::uint64_t serial = 0;   // of the job that it belongs to
    std::uint64_t opened = 0;   // the decision at which the job was a newcomer
    std::uint64_t updated = 0;  // the last decision that looked at it
    Instant updated_at{};
    double tokens = 0;
  };
  // Who waits at a level for good.
  struct Settled {
    int level = 0;
    ReadyQueue queue{};
    ReadyQueue::Cursor cursor{};
    ScoredSegment head{};  // serial 0: there is none
  };

  // The job waits at its level for good.
  bool IsSettled(const Job& job, JobId id) const;
  // A segment of a job that does.
  void Push(const Job& job, JobId id, SegmentId segment);
  void FollowWorkLeft(const SystemView& view);
  bool Branches(const SystemView& view, NetworkId network);
  void Update(const SystemView& view, const Job& job, Account& account) const;
  void Open(const SystemView& view, const EarlyDrop& early_drop);
  void FindHead(const SystemView& view, const EarlyDrop& early_drop, Settled& settled);
  const ScoredSegment* NextGrowing();
  // Fills in last_; false: none is left.
  bool Next(const SystemView& view, const EarlyDrop& early_drop);
  void Close();

  TokenRule rule_;
  std::uint64_t decision_ = 0;     // among those that hand out tokens
  std::vector<Account> accounts_;  // per job slot
  std::vector<ReadySegment> growing_;
  std::array<Settled, 2> settled_;
  std::vector<JobHandle> moved_;  // have less work left by now
  std::vector<bool> branches_;    // per network
  std::uint64_t costs_version_ = 0;

  // Of this decision:
  std::vector<ScoredSegment>
      scored_;          // of the growing; a heap while they are shown, the first on top
  double most_ = 0;     // tokens of these, newcomers not counted
  ScoredSegment last_;  // shown
};

}  // namespace fairlead
