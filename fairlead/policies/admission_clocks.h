// When each accelerator is predicted to be done with all that was admitted to it: the clocks of
// `alpaserve`.
//
// A job is promised to an accelerator, its home, as a whole. A segment that cannot run at home is
// a guest elsewhere, and counts there instead. Corrected clocks begin each decision at what the
// accelerator is believed to be busy with, plus what is owed: all that was promised to it, has not
// been served yet, and still has to be. Predicted clocks only ever move forward by promises, as in
// the source; where beliefs are right and nothing is given up, both say the same. A segment that
// fails after it was served is not owed a second time. O(accelerators) per decision, O(accelerators
// of one kind) per promise.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

enum class ClockRule : std::uint8_t { kCorrected, kPredicted };

class AdmissionClocks {
 public:
  explicit AdmissionClocks(ClockRule rule) : rule_(rule) {}

  // A new decision.
  void Begin(const SystemView& view);
  Instant At(AcceleratorId accelerator) const { return lanes_[accelerator.index()].clock; }
  // The accelerator with the smallest clock among those there, ties to the faster and then to the
  // first; `latency` says how long something takes on a kind, CostTable::kCannotRun: not at all.
  template <typename Latency>
  AcceleratorId Smallest(Latency&& latency) const {
    AcceleratorId best;
    Duration fastest{};
    for (std::size_t kind = 0; kind < first_.size(); ++kind) {
      const AcceleratorId first = first_[kind];
      if (!first.valid()) continue;
      const Duration there = latency(KindId{kind});
      if (there == CostTable::kCannotRun) continue;
      if (!best.valid() || std::tie(lanes_[first.index()].clock, there, first) <
                               std::tie(lanes_[best.index()].clock, fastest, best)) {
        best = first;
        fastest = there;
      }
    }
    return best;
  }

  // A job whose segments all together take so long there, and who will be done then.
  void Promise(const SystemView& view, JobId job, AcceleratorId home, Duration work,
               Instant finish);
  // How long the home has still to serve it; zero for a job without one.
  Duration OwedTo(JobId job) const {
    return job.index() < debts_.size() ? debts_[job.index()].left : Duration::zero();
  }
  // One of its segments waits elsewhere, instead of at home where it would take `at_home`.
  void Move(const SystemView& view, JobId job, SegmentId segment, AcceleratorId where,
            Duration latency, Duration at_home);
  // A segment is given to its accelerator, where it takes so long.
  void Serve(JobId job, SegmentId segment, Duration latency);
  // The job has ended.
  void Forget(JobId job);
  // The accelerator has gone, and what was promised there is void.
  void Lose(AcceleratorId accelerator, Instant now);

 private:
  struct Lane {
    Instant clock{};
    Duration owed{};
  };
  struct Guest {
    SegmentId segment;
    AcceleratorId where;
    Duration latency;
  };
  struct Debt {
    AcceleratorId home{};
    Duration left{};            // of what the home owes
    std::vector<Guest> guests;  // few
  };

  void Prepare(const SystemView& view);
  Instant Corrected(const SystemView& view, AcceleratorId accelerator) const;
  void Set(const SystemView& view, AcceleratorId accelerator, Instant clock);
  void FindFirst(const SystemView& view, KindId kind);
  Debt& DebtTo(JobId job);
  void PayAtHome(Debt& debt, Duration latency);
  bool PayGuest(Debt& debt, SegmentId segment);

  ClockRule rule_;
  std::vector<Lane> lanes_;                          // per accelerator
  std::vector<std::vector<AcceleratorId>> of_kind_;  // ascending
  std::vector<AcceleratorId> first_;  // per kind: the smallest clock there; invalid: all are away
  std::vector<Debt> debts_;           // per job slot
};

}  // namespace fairlead
