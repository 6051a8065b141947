// Where the tensors of jobs are between their segments.
//
// Runs are made beforehand. Each holds the tensors of the jobs whose layers it ran last, one job a
// sample. A job whose next segment runs in the same batch on the same processor, or on one that
// shares its runs, finds its tensors there. When it goes elsewhere, what its next layers need is
// copied from the one run to the other, right away where the two know how, else by way of main
// memory. When every run of a network holds somebody's tensors, those in the run that was unused
// for longest are saved, and wait in main memory.
//
// Jobs are told apart by slot and serial: who ends up with a slot finds nothing of its predecessor.
// A job may be forgotten before its last segment is gathered; that segment keeps nothing either.
//
// All methods may be called from any thread; an accelerator has one thread that gathers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "fairlead/execution/loaded_networks.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

// A run that holds the tensors of all jobs of a segment, for this segment alone.
struct GatheredRun {
  std::size_t pool = 0;
  std::size_t holder = 0;  // which run of the pool
  NetworkRun* run = nullptr;
  std::uint64_t claim = 0;  // tells this segment from others, also of the same jobs
  std::size_t layer = 0;    // before which all its jobs stand; 0: they need their inputs
};

class JobTensors {
 public:
  // The networks are not owned and outlive this.
  explicit JobTensors(const LoadedNetworks& networks);

  // Brings the jobs of the assignment together in a run on its processor. They stand where the
  // last segment left them, further if this one was aborted in the middle, or before the first
  // layer if something went wrong. May throw what Restore throws, and where nothing is loaded; then
  // the jobs have lost their tensors.
  GatheredRun Gather(const Assignment& assignment);
  // Ends what Gather began: the jobs stand before `layer` now, and their tensors stay in the run.
  void Keep(const Assignment& assignment, const GatheredRun& gathered, std::size_t layer);
  // Ends what Gather began: the tensors are dropped, because the jobs are done, or because what
  // was computed is not to be trusted.
  void Discard(const Assignment& assignment, const GatheredRun& gathered);
  // Drops the tensors of all jobs that are in runs of this accelerator: it was lost.
  void DiscardAll(AcceleratorId accelerator);

  // There are more networks than there were, or the last one has gone again: makes room for what
  // their pools will hold.
  void FollowNetworks();
  // Gives back what was kept for later jobs of a network, or of all: it is allocated anew.
  void GiveBackSpares(NetworkId network);
  void GiveBackSpares();
  // Bytes that are kept so.
  std::size_t SpareBytes() const;
  // Puts something else in the place of what a pool has loaded, once nobody uses it; the tensors
  // in it are lost. What was there comes back in `with`. The networks are the same.
  void Exchange(LoadedNetworks& networks, std::size_t pool, LoadedPool& with);

  void Forget(const JobHandle& job);

  // Nothing is kept for anybody.
  bool Empty() const;
  // Serials begin anew, with another engine: if nothing is kept for anybody, and no segment has a
  // run; else nothing changes.
  bool BeginAnew();

 private:
  using Numbers = std::vector<float>;

  // A run, and the jobs whose tensors it holds.
  struct Holder {
    std::vector<JobHandle> jobs;  // by sample; serial 0: nobody
    std::size_t job_count = 0;
    std::size_t layer = 0;       // before which the jobs stand
    AcceleratorId accelerator;   // that used it last: what it needs may be near there
    bool busy = false;           // a segment has it, or its jobs are being saved
    int readers = 0;             // threads that copy a job out of it
    std::uint64_t last_use = 0;  // the claim of the segment that ran there last

    bool Still() const { return !busy && readers == 0; }
    void Remove(std::size_t sample);
  };

  struct JobState {
    std::uint64_t ended = 0;      // the last job of the slot that has ended; serials grow
    std::uint64_t serial = 0;     // 0: of nobody
    std::uint64_t claim = 0;      // the segment that has the tensors now; 0: none, they are here
    std::size_t pool = kNowhere;  // of the holder that has them; kNowhere: they are saved
    std::size_t holder = 0;
    std::size_t sample = 0;
    Numbers saved;          // empty: nothing was computed yet, or it is in a holder
    std::size_t layer = 0;  // before which it stands
    NetworkId network{};    // whose numbers are saved
  };
  static constexpr std::size_t kNowhere = SIZE_MAX;

  // Where a job's tensors come from.
  struct Source {
    std::size_t layer = 0;        // before which it stands; 0: there are none
    std::size_t pool = kNowhere;  // of the holder that has them, and has one reader more
    std::size_t holder = 0;
    std::size_t sample = 0;
    Numbers numbers;  // where they are saved, or on their way
  };
  using Sources = std::vector<Source>;  // by sample
  using Lock = std::unique_lock<std::mutex>;

  bool NothingKept() const;  // the lock is held

  // Functions that take the lock release it while they copy or wait.
  bool AreTogether(const Assignment& assignment, std::size_t pool) const;
  std::size_t FreeHolder(std::size_t pool, AcceleratorId accelerator, Lock& lock);
  Source Claim(const JobHandle& job, std::uint64_t claim, Lock& lock);
  void BringTogether(const Assignment& assignment, GatheredRun& gathered, Sources& sources);
  bool Bring(const GatheredRun& gathered, Source& source, std::size_t sample);
  void LetGo(const Assignment& assignment, Sources& sources);
  bool Copy(const NetworkRun& run, NetworkId network, std::size_t layer, std::size_t sample,
            Numbers& numbers) const;
  void SaveJobs(std::size_t pool, std::size_t holder, Lock& lock);

  JobState& StateOf(const JobHandle& job);
  void Drop(JobState& state);
  static void Reset(JobState& state);
  Holder& HolderOf(const JobState& state) { return holders_[state.pool][state.holder]; }
  NetworkRun& RunOf(std::size_t pool, std::size_t holder) const {
    return *networks_.pools()[pool].runs[holder];
  }
  Numbers TakeNumbers(NetworkId network);
  void GiveBack(NetworkId network, Numbers&& numbers);
  static JobHandle JobOf(const Assignment& assignment, std::size_t i) {
    return {assignment.jobs[i], assignment.serials[i]};
  }

  const LoadedNetworks& networks_;
  std::vector<Sources> sources_;  // by accelerator; of its thread

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable stilled_;
  std::deque<std::vector<Holder>> holders_;   // by pool; none moves when others come
  std::vector<JobState> states_;              // by job
  std::vector<std::vector<Numbers>> spares_;  // by network
  std::uint64_t claims_ = 0;
};

}  // namespace fairlead
