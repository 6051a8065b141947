// Admission on arrival: what is predicted to be late is refused at once, the rest is served in
// order.
//
// Assumes     believed latencies are right; a network runs whole on one accelerator.
// Steps       Each accelerator (a group of one in the source) has a clock: when all that was
//             admitted to it is predicted to be done.
//             1. A request that arrives is offered to the accelerator with the smallest clock among
//                those that hold its network, ties to the faster, then to the first. No other is
//                tried. replicas=in-time: those hold it that would meet the deadline if they were
//                idle; anywhere: all that can run the whole network.
//             2. Its predicted finish is the later of now and the clock, plus the latencies of all
//                its segments there. If that plus the overhead is after its deadline it is rejected
//                as overload; else the clock moves to the predicted finish, without the overhead.
//             3. Accelerators serve what was admitted to them first come, first served.
//             4. clocks=corrected: at each decision clocks begin at what is believed to run and
//             what
//                was admitted and not served; predicted: only 2 moves them.
//             A segment that its accelerator can't run, or whose accelerator is away, goes to the
//             one with the smallest clock that can. A network that no accelerator can run whole is
//             predicted by its shortest path from the smallest clock on.
// Guarantees  while predictions are right, no admitted request misses its deadline. One that is
//             refused might have been served by an accelerator that was not asked.
// Source      AlpaServe (Li et al., OSDI'23), its controller and simulator. Its other half, which
//             network goes where and in how many pipeline stages, is not here.
// Cost        O(accelerators) per decision, O(kinds + accelerators of one kind) per request,
//             O(log n) per segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

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

// Which accelerators hold a network.
enum class Replicas : std::uint8_t {
  kInTime,    // those that would meet the request's deadline if they were idle; else as kAnywhere
  kAnywhere,  // all that can run it
};

struct AlpaServeOptions {
  Duration overhead{};  // of serving a request, beside its latency; 11 ms in the source's cluster
  Replicas replicas = Replicas::kInTime;
  ClockRule clocks = ClockRule::kCorrected;
  DropRule drop = DropRule::kNone;  // of what was admitted
};

std::unique_ptr<SchedulingPolicy> MakeAlpaServe(std::string name, const AlpaServeOptions& options);

}  // namespace fairlead
