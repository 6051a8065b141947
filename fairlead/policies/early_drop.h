// Giving up what can no longer make it: `drop=early`.
//
// A ready segment must start by its deadline minus the shortest time from it to the end of its
// network (every segment where it is believed fastest, nothing waiting). Once that instant has
// passed, no schedule saves the job, and it is given up at the next decision: dropped if it ran,
// rejected if it did not. A margin moves all deadlines forward. What is fastest is so among kinds
// that are online; when these change, all that waits is looked at again. Amortised O(log n) per
// ready segment, O(ready) for each such change.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class DropRule : std::uint8_t {
  kNone,   // late jobs are finished, unless the scenario drops them
  kEarly,  // jobs that can no longer make it are given up
};

class EarlyDrop {
 public:
  explicit EarlyDrop(DropRule rule, Duration margin = {}) : rule_(rule), margin_(margin) {}
  // Who could still make it beside what runs at this moment is kept until that changes.
  void BesideNow() { beside_now_ = true; }

  // A new decision: watches what has become ready, then gives up. Does nothing under kNone, as do
  // its two steps, for policies that do not watch everything.
  void Begin(const SystemView& view, SchedulingPlan& plan);
  void Watch(const SystemView& view, const ReadySegment& ready);
  // The same for a segment that a rule of the policy's own lets end its job no sooner than `rest`
  // after it starts.
  void Watch(const SystemView& view, const ReadySegment& ready, Duration rest);
  // Adds the drops and rejects that are due to the plan.
  void GiveUp(const SystemView& view, SchedulingPlan& plan);
  // The same for a job that the policy itself finds hopeless, and that is not given up.
  void GiveUpJob(const SystemView& view, JobId job, SchedulingPlan& plan);
  // The plan of this decision gives the job up.
  bool GivenUp(JobId job, std::uint64_t serial) const {
    return job.index() < given_up_.size() && given_up_[job.index()] == serial;
  }

 private:
  struct Watched {
    Instant latest_start;
    std::uint64_t serial;
    JobId job;
    SegmentId segment;
    bool by_tail;  // the latest start follows what is online
    friend bool operator>(const Watched& a, const Watched& b) {
      return a.latest_start != b.latest_start ? a.latest_start > b.latest_start
                                              : a.serial > b.serial;
    }
  };
  void Push(const SystemView& view, const ReadySegment& ready, Duration rest, bool by_tail);
  void FollowOnline(const SystemView& view);
  void GiveUpMany(const SystemView& view, SchedulingPlan& plan);
  void GiveUpOne(const SystemView& view, const Watched& watched, SchedulingPlan& plan);
  bool PossibleNow(const SystemView& view, const Watched& watched) const;

  DropRule rule_;
  Duration margin_;
  bool beside_now_ = false;
  std::vector<Watched> spared_;  // to be looked at again
  std::uint64_t costs_version_ = 0;
  std::vector<Watched> heap_;            // the most urgent on top
  std::vector<std::uint64_t> given_up_;  // per job slot: the serial that was given up last
};

}  // namespace fairlead
