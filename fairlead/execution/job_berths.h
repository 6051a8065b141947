// Where the tensors of jobs are between their segments.
//
// A berth is one of the runs that were made beforehand. It keeps the tensors of the batch of jobs
// that it carried last, its guests, each in the sample of its place in the batch. A job whose next
// segment runs in the same batch on the same processor finds its berth as it left it. When it goes
// elsewhere, what its next layers need is saved from the one berth and restored in the other. When
// all berths of a network are taken, the guests of the one that was not carried out for longest are
// saved, and wait in memory.
//
// Jobs are told apart by slot and serial: who ends up with a slot finds nothing of its predecessor.
// A job may be forgotten before its last segment boards; that one leaves nothing either.
//
// All methods may be called from any thread; an accelerator has one thread that boards.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "fairlead/execution/loaded_networks.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

// A segment that is being carried out.
struct Journey {
  std::size_t pool = 0;
  std::size_t berth = 0;
  NetworkRun* run = nullptr;
  std::uint64_t claim = 0;
  std::size_t layer = 0;  // where all its jobs stand; 0: they need their inputs
};

class JobBerths {
 public:
  // The networks are not owned and outlive this.
  explicit JobBerths(const LoadedNetworks& networks);

  // Brings the jobs of the assignment together in a run on its processor. They stand where the
  // last segment left them, further if this one was aborted in the middle, or before the first
  // layer if something went wrong. May throw what Restore throws; then the jobs have lost their
  // tensors.
  Journey Board(const Assignment& assignment);
  // The jobs stand before `layer` now, and leave their tensors where they are.
  void Alight(const Assignment& assignment, const Journey& journey, std::size_t layer);
  // They leave nothing: because they are done, or because their tensors are not to be trusted.
  void Leave(const Assignment& assignment, const Journey& journey);
  // So has everything that is left on the accelerator.
  void Lose(AcceleratorId accelerator);

  void Forget(const JobHandle& job);

  // Nothing is kept for anybody.
  bool Empty() const;

 private:
  using Numbers = std::vector<float>;

  struct Berth {
    std::vector<JobHandle> guests;  // by sample; serial 0: nobody
    std::size_t guest_count = 0;
    std::size_t layer = 0;       // before which the guests stand
    bool busy = false;           // being filled, carried out or cleared
    int readers = 0;             // threads that copy a guest out of it
    std::uint64_t last_use = 0;  // the claim that carried it out last

    bool Still() const { return !busy && readers == 0; }
    void Dismiss(std::size_t sample);
  };

  struct JobState {
    std::uint64_t ended = 0;      // the last job of the slot that has ended; serials grow
    std::uint64_t serial = 0;     // 0: of nobody
    std::uint64_t claim = 0;      // the segment that has the tensors now; 0: none, they are here
    std::size_t pool = kNowhere;  // in a berth of it, if any
    std::size_t berth = 0;
    std::size_t sample = 0;
    Numbers saved;          // otherwise, unless empty: then the job has its inputs only
    std::size_t layer = 0;  // before which it stands
    NetworkId network{};    // whose numbers are saved
  };
  static constexpr std::size_t kNowhere = SIZE_MAX;

  // What the jobs of a segment bring with them, while they board.
  struct Luggage {
    std::vector<Numbers> numbers;  // by sample
    std::vector<std::size_t> layers;
  };
  using Lock = std::unique_lock<std::mutex>;

  // Those that take the lock let go of it for a while.
  bool Together(const Assignment& assignment, std::size_t pool) const;
  void PackUp(const Assignment& assignment, std::size_t i, std::uint64_t claim, Luggage& luggage,
              Lock& lock);
  Numbers CopyOut(JobState& state, Lock& lock);
  bool Copy(const NetworkRun& run, NetworkId network, std::size_t layer, std::size_t sample,
            Numbers& numbers) const;
  std::size_t FreeBerth(std::size_t pool, Lock& lock);
  void Clear(std::size_t pool, std::size_t berth, Lock& lock);
  void Unpack(const Assignment& assignment, Journey& journey, Luggage& luggage);

  JobState& StateOf(const JobHandle& job);
  void Drop(JobState& state);
  static void Reset(JobState& state);
  Berth& BerthOf(const JobState& state) { return berths_[state.pool][state.berth]; }
  NetworkRun& RunOf(std::size_t pool, std::size_t berth) const {
    return *networks_.pools()[pool].runs[berth];
  }
  Numbers TakeNumbers(NetworkId network);
  void GiveBack(NetworkId network, Numbers&& numbers);
  static JobHandle JobOf(const Assignment& assignment, std::size_t i) {
    return {assignment.jobs[i], assignment.serials[i]};
  }

  const LoadedNetworks& networks_;
  std::vector<Luggage> luggage_;  // by accelerator; of its thread

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable stilled_;
  std::vector<std::vector<Berth>> berths_;    // by pool
  std::vector<JobState> states_;              // by job
  std::vector<std::vector<Numbers>> spares_;  // by network
  std::uint64_t claims_ = 0;
};

}  // namespace fairlead
