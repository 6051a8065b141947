#include "fairlead/execution/job_tensors.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

JobTensors::JobTensors(const LoadedNetworks& networks)
    : networks_(networks), saved_(networks.accelerators()), spares_(networks.networks()) {
  for (const RunPool& pool : networks.pools()) {
    auto& holders = holders_.emplace_back(pool.runs.size());
    for (Holder& holder : holders) holder.jobs.resize(pool.loaded->batch());
    SavedBatch& saved = saved_[pool.accelerator.index()];
    const std::size_t batch = std::max(saved.numbers.size(), pool.loaded->batch());
    saved.numbers.resize(batch);
    saved.layers.resize(batch);
  }
}

// ---- Gathering -----------------------------------------------------------------------------

GatheredRun JobTensors::Gather(const Assignment& assignment) {
  GatheredRun gathered{.pool = networks_.PoolFor(assignment.accelerator, assignment.network,
                                                 assignment.jobs.size())};
  SavedBatch& saved = saved_[assignment.accelerator.index()];
  Lock lock(mutex_);
  gathered.claim = ++claims_;
  if (AreTogether(assignment, gathered.pool)) {
    const JobState& first = StateOf(JobOf(assignment, 0));
    gathered.holder = first.holder;
    gathered.layer = first.layer;
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      StateOf(JobOf(assignment, i)).claim = gathered.claim;
    holders_[gathered.pool][gathered.holder].busy = true;
  } else {
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      TakeOut(assignment, i, gathered.claim, saved, lock);
    gathered.holder = FreeHolder(gathered.pool, lock);
    lock.unlock();
    try {
      RestoreJobs(assignment, gathered, saved);
    } catch (...) {
      Discard(assignment, gathered);
      throw;
    }
  }
  gathered.run = &RunOf(gathered.pool, gathered.holder);
  return gathered;
}

// Whether a run of the pool holds exactly these jobs, in the order of the assignment.
bool JobTensors::AreTogether(const Assignment& assignment, std::size_t pool) const {
  const std::size_t slot = assignment.jobs.front().index();
  if (slot >= states_.size()) return false;
  const JobState& first = states_[slot];
  if (first.serial != assignment.serials.front() || first.claim != 0 || first.pool != pool)
    return false;
  const Holder& holder = holders_[pool][first.holder];
  if (!holder.Still() || holder.job_count != assignment.jobs.size()) return false;
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    const JobHandle job = JobOf(assignment, i);
    if (holder.jobs[i].id != job.id || holder.jobs[i].serial != job.serial) return false;
  }
  return true;
}

// Takes a job's tensors from where they are.
void JobTensors::TakeOut(const Assignment& assignment, std::size_t i, std::uint64_t claim,
                         SavedBatch& saved, Lock& lock) {
  saved.numbers[i].clear();
  saved.layers[i] = 0;
  const JobHandle job = JobOf(assignment, i);
  const auto at_hand = [&] {
    const JobState& state = StateOf(job);
    return state.claim != 0 || state.pool == kNowhere || !HolderOf(state).busy;
  };
  stilled_.wait(lock, at_hand);  // while its holder is being emptied
  JobState& state = StateOf(job);
  // A segment that was aborted, and has not noticed yet, may still have them.
  const bool away = std::exchange(state.claim, claim) != 0;
  if (away) return;
  const std::size_t layer = state.layer;
  Numbers numbers = state.pool == kNowhere ? std::move(state.saved) : CopyOut(state, lock);
  saved.layers[i] = numbers.empty() ? 0 : layer;
  saved.numbers[i] = std::move(numbers);
}

// Empty if nothing could be saved, as when the processor has gone.
JobTensors::Numbers JobTensors::CopyOut(JobState& state, Lock& lock) {
  const std::size_t pool = state.pool;
  const std::size_t sample = state.sample;
  const std::size_t layer = state.layer;
  const NetworkId network = networks_.pools()[pool].network;
  const NetworkRun& run = RunOf(pool, state.holder);
  Holder& holder = HolderOf(state);
  Numbers numbers = TakeNumbers(network);
  state.pool = kNowhere;
  ++holder.readers;
  lock.unlock();  // `state` may move
  const bool copied = Copy(run, network, layer, sample, numbers);
  lock.lock();
  --holder.readers;
  holder.Remove(sample);
  stilled_.notify_all();
  if (copied) return numbers;
  GiveBack(network, std::move(numbers));
  return {};
}

void JobTensors::Holder::Remove(std::size_t sample) {
  if (jobs[sample].serial != 0) --job_count;
  jobs[sample] = {};
}

// A run that holds nobody's tensors; marked as busy.
std::size_t JobTensors::FreeHolder(std::size_t pool, Lock& lock) {
  std::vector<Holder>& holders = holders_[pool];
  while (true) {
    const auto free = std::ranges::find_if(
        holders, [](const Holder& holder) { return holder.Still() && holder.job_count == 0; });
    if (free != holders.end()) {
      free->busy = true;
      return static_cast<std::size_t>(free - holders.begin());
    }
    std::size_t longest = holders.size();
    for (std::size_t b = 0; b < holders.size(); ++b) {
      if (holders[b].Still() &&
          (longest == holders.size() || holders[b].last_use < holders[longest].last_use))
        longest = b;
    }
    if (longest == holders.size()) {
      stilled_.wait(lock);  // others copy their jobs out of all of them
    } else {
      SaveJobs(pool, longest, lock);
    }
  }
}

bool JobTensors::Copy(const NetworkRun& run, NetworkId network, std::size_t layer,
                      std::size_t sample, Numbers& numbers) const {
  if (layer == 0) return false;  // nothing was computed yet
  try {
    run.Save(layer, sample, std::span(numbers).first(networks_.LiveNumbers(network, layer)));
    return true;
  } catch (...) {  // the processor has gone, or whatever it is: the job begins anew
    return false;
  }
}

// Moves the tensors of a holder's jobs to main memory.
void JobTensors::SaveJobs(std::size_t pool, std::size_t index, Lock& lock) {
  Holder& holder = holders_[pool][index];
  const NetworkId network = networks_.pools()[pool].network;
  for (std::size_t sample = 0; sample < holder.jobs.size(); ++sample) {
    const JobHandle job = holder.jobs[sample];
    if (job.serial == 0) continue;
    Numbers numbers = TakeNumbers(network);
    holder.busy = true;
    lock.unlock();
    const bool copied = Copy(RunOf(pool, index), network, holder.layer, sample, numbers);
    lock.lock();
    holder.busy = false;
    if (holder.jobs[sample].serial != job.serial) {  // it was forgotten meanwhile
      GiveBack(network, std::move(numbers));
      continue;
    }
    holder.Remove(sample);
    JobState& state = states_[job.id.index()];
    state.pool = kNowhere;
    state.network = network;
    state.layer = copied ? holder.layer : 0;
    if (copied) {
      state.saved = std::move(numbers);
    } else {
      GiveBack(network, std::move(numbers));
    }
  }
  stilled_.notify_all();
}

// Puts the saved tensors into the run, which nobody else uses now.
void JobTensors::RestoreJobs(const Assignment& assignment, GatheredRun& gathered,
                             SavedBatch& saved) {
  const std::size_t jobs = assignment.jobs.size();
  const std::span layers = std::span(saved.layers).first(jobs);
  // Jobs that stand apart, one of them having been aborted, begin anew together.
  const bool alike = std::ranges::all_of(layers, [&](auto layer) { return layer == layers[0]; });
  gathered.layer = alike ? layers[0] : 0;
  const std::size_t count = networks_.LiveNumbers(assignment.network, gathered.layer);
  NetworkRun& run = RunOf(gathered.pool, gathered.holder);
  for (std::size_t i = 0; i < jobs && gathered.layer > 0; ++i)
    run.Restore(gathered.layer, i, std::span<const float>(saved.numbers[i]).first(count));
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < jobs; ++i) GiveBack(assignment.network, std::move(saved.numbers[i]));
}

// ---- Afterwards ----------------------------------------------------------------------------

void JobTensors::Keep(const Assignment& assignment, const GatheredRun& gathered,
                      std::size_t layer) {
  const std::lock_guard lock(mutex_);
  Holder& holder = holders_[gathered.pool][gathered.holder];
  for (std::size_t i = 0; i < holder.jobs.size(); ++i) holder.Remove(i);
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    const JobHandle job = JobOf(assignment, i);
    JobState& state = states_[job.id.index()];
    // Another has the slot, or begins with the same job anew.
    if (state.serial != job.serial || state.claim != gathered.claim) continue;
    if (job.serial <= state.ended) {
      Reset(state);
      continue;
    }
    state.claim = 0;
    state.pool = gathered.pool;
    state.holder = gathered.holder;
    state.sample = i;
    state.layer = layer;
    holder.jobs[i] = job;
    ++holder.job_count;
  }
  holder.layer = layer;
  holder.last_use = gathered.claim;
  holder.busy = false;
  stilled_.notify_all();
}

void JobTensors::Discard(const Assignment& assignment, const GatheredRun& gathered) {
  const std::lock_guard lock(mutex_);
  Holder& holder = holders_[gathered.pool][gathered.holder];
  for (std::size_t i = 0; i < holder.jobs.size(); ++i) holder.Remove(i);
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    JobState& state = states_[assignment.jobs[i].index()];
    if (state.serial == assignment.serials[i] && state.claim == gathered.claim) Reset(state);
  }
  holder.busy = false;
  stilled_.notify_all();
}

void JobTensors::DiscardAll(AcceleratorId accelerator) {
  const std::lock_guard lock(mutex_);
  for (JobState& state : states_) {
    if (state.claim == 0 && state.pool != kNowhere &&
        networks_.pools()[state.pool].accelerator == accelerator)
      Drop(state);
  }
}

void JobTensors::Forget(const JobHandle& job) {
  const std::lock_guard lock(mutex_);
  if (job.id.index() >= states_.size()) states_.resize(job.id.index() + 1);
  JobState& state = states_[job.id.index()];
  if (state.serial == job.serial) Drop(state);
  state.ended = std::max(state.ended, job.serial);
}

bool JobTensors::Empty() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(states_, [](const JobState& state) { return state.serial == 0; }) &&
         std::ranges::all_of(holders_, [](const std::vector<Holder>& holders) {
           return std::ranges::all_of(holders, [](const Holder& holder) {
             return holder.Still() && holder.job_count == 0;
           });
         });
}

// ---- The books -----------------------------------------------------------------------------

// A new one for a job that takes over another's slot.
JobTensors::JobState& JobTensors::StateOf(const JobHandle& job) {
  if (job.id.index() >= states_.size()) states_.resize(job.id.index() + 1);
  JobState& state = states_[job.id.index()];
  if (state.serial != job.serial) {
    Drop(state);
    state.serial = job.serial;
  }
  return state;
}

void JobTensors::Drop(JobState& state) {
  if (state.claim == 0 && state.pool != kNowhere) HolderOf(state).Remove(state.sample);
  if (!state.saved.empty()) GiveBack(state.network, std::move(state.saved));
  Reset(state);
}

void JobTensors::Reset(JobState& state) { state = {.ended = state.ended}; }

JobTensors::Numbers JobTensors::TakeNumbers(NetworkId network) {
  std::vector<Numbers>& spares = spares_[network.index()];
  if (spares.empty()) return Numbers(networks_.MostLiveNumbers(network));
  Numbers numbers = std::move(spares.back());
  spares.pop_back();
  return numbers;
}

void JobTensors::GiveBack(NetworkId network, Numbers&& numbers) {
  if (!numbers.empty()) spares_[network.index()].push_back(std::move(numbers));
  numbers = {};
}

}  // namespace fairlead
