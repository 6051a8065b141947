#include "fairlead/execution/job_tensors.h"

#include <algorithm>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

JobTensors::JobTensors(const LoadedNetworks& networks)
    : networks_(networks), sources_(networks.accelerators()) {
  for (const RunPool& pool : networks.pools()) {
    for (const AcceleratorId accelerator : pool.accelerators) {
      Sources& sources = sources_[accelerator.index()];
      sources.resize(std::max(sources.size(), pool.batch));
    }
  }
  FollowNetworks();
}

void JobTensors::FollowNetworks() {
  const std::lock_guard lock(mutex_);
  spares_.resize(networks_.networks());
  while (holders_.size() > networks_.pools().size()) holders_.pop_back();
  while (holders_.size() < networks_.pools().size()) {
    const RunPool& pool = networks_.pools()[holders_.size()];
    auto& holders = holders_.emplace_back(networks_.RunsOf(pool));
    for (Holder& holder : holders) holder.jobs.resize(pool.batch);
    for (const AcceleratorId accelerator : pool.accelerators)
      CHECK(sources_[accelerator.index()].size() >= pool.batch);
  }
}

void JobTensors::GiveBackSpares(NetworkId network) {
  const std::lock_guard lock(mutex_);
  spares_[network.index()] = {};
}

void JobTensors::GiveBackSpares() {
  const std::lock_guard lock(mutex_);
  for (auto& spares : spares_) spares = {};
}

std::size_t JobTensors::SpareBytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& spares : spares_) {
    for (const Numbers& numbers : spares) bytes += numbers.capacity() * sizeof(float);
  }
  return bytes;
}

// ---- Gathering -----------------------------------------------------------------------------

GatheredRun JobTensors::Gather(const Assignment& assignment) {
  GatheredRun gathered{.pool = networks_.PoolFor(assignment.accelerator, assignment.network,
                                                 assignment.jobs.size())};
  Lock lock(mutex_);
  // The engine gives nothing out then; but something that was aborted may not have noticed.
  if (!networks_.IsLoaded(gathered.pool)) throw std::runtime_error("the network is not loaded");
  gathered.claim = ++claims_;
  if (AreTogether(assignment, gathered.pool)) {
    const JobState& first = StateOf(JobOf(assignment, 0));
    gathered.holder = first.holder;
    gathered.layer = first.layer;
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      StateOf(JobOf(assignment, i)).claim = gathered.claim;
    holders_[gathered.pool][gathered.holder].busy = true;
  } else {
    // A place first: who waits for one keeps nothing that others wait for.
    gathered.holder = FreeHolder(gathered.pool, assignment.accelerator, lock);
    Sources& sources = sources_[assignment.accelerator.index()];
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      sources[i] = Claim(JobOf(assignment, i), gathered.claim, lock);
    lock.unlock();
    try {
      BringTogether(assignment, gathered, sources);
    } catch (...) {
      LetGo(assignment, sources);
      Discard(assignment, gathered);
      throw;
    }
    LetGo(assignment, sources);
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

// Notes where a job's tensors are, and sees to it that they stay there.
JobTensors::Source JobTensors::Claim(const JobHandle& job, std::uint64_t claim, Lock& lock) {
  const auto at_hand = [&] {
    const JobState& state = StateOf(job);
    return state.claim != 0 || state.pool == kNowhere || !HolderOf(state).busy;
  };
  stilled_.wait(lock, at_hand);  // while its holder is being emptied
  JobState& state = StateOf(job);
  // A segment that was aborted, and has not noticed yet, may still have them.
  const bool away = std::exchange(state.claim, claim) != 0;
  if (away) return {};
  Source source{.layer = state.layer};
  if (state.pool == kNowhere) {
    source.numbers = std::move(state.saved);
    if (source.numbers.empty()) source.layer = 0;
    return source;
  }
  ++HolderOf(state).readers;
  source.pool = std::exchange(state.pool, kNowhere);
  source.holder = state.holder;
  source.sample = state.sample;
  return source;
}

// Puts the jobs' tensors into the run, which nobody else uses now.
void JobTensors::BringTogether(const Assignment& assignment, GatheredRun& gathered,
                               Sources& sources) {
  const std::span jobs = std::span(sources).first(assignment.jobs.size());
  // Jobs that stand apart, one of them having been aborted, begin anew together.
  const bool alike =
      std::ranges::all_of(jobs, [&](const Source& one) { return one.layer == jobs[0].layer; });
  gathered.layer = alike ? jobs[0].layer : 0;
  for (std::size_t i = 0; i < jobs.size() && gathered.layer > 0; ++i) {
    if (!Bring(gathered, jobs[i], i)) gathered.layer = 0;
  }
}

// False if nothing could be saved, as when the processor has gone.
bool JobTensors::Bring(const GatheredRun& gathered, Source& source, std::size_t sample) {
  NetworkRun& run = RunOf(gathered.pool, gathered.holder);
  const NetworkId network = networks_.pools()[gathered.pool].network;
  if (source.pool != kNowhere) {
    const NetworkRun& from = RunOf(source.pool, source.holder);
    if (run.CopyFrom(from, gathered.layer, source.sample, sample)) return true;
    {
      const std::lock_guard lock(mutex_);
      source.numbers = TakeNumbers(network);
    }
    if (!Copy(from, network, gathered.layer, source.sample, source.numbers)) return false;
  }
  const std::size_t count = networks_.LiveNumbers(network, gathered.layer);
  run.Restore(gathered.layer, sample, std::span<const float>(source.numbers).first(count));
  return true;
}

// Of where the tensors came from.
void JobTensors::LetGo(const Assignment& assignment, Sources& sources) {
  const std::lock_guard lock(mutex_);
  for (Source& source : std::span(sources).first(assignment.jobs.size())) {
    GiveBack(assignment.network, std::move(source.numbers));
    if (source.pool == kNowhere) continue;
    Holder& holder = holders_[source.pool][source.holder];
    --holder.readers;
    holder.Remove(source.sample);
  }
  stilled_.notify_all();
}

void JobTensors::Holder::Remove(std::size_t sample) {
  if (jobs[sample].serial != 0) --job_count;
  jobs[sample] = {};
}

// A run that holds nobody's tensors, the accelerator's own last one if it can be; marked as busy.
std::size_t JobTensors::FreeHolder(std::size_t pool, AcceleratorId accelerator, Lock& lock) {
  std::vector<Holder>& holders = holders_[pool];
  while (true) {
    Holder* free = nullptr;
    for (Holder& holder : holders) {
      if (!holder.Still() || holder.job_count > 0) continue;
      if (free == nullptr || holder.accelerator == accelerator) free = &holder;
    }
    if (free != nullptr) {
      free->busy = true;
      free->accelerator = accelerator;
      return static_cast<std::size_t>(free - holders.data());
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
    if (state.claim != 0 || state.pool == kNowhere) continue;
    const std::vector<AcceleratorId>& on = networks_.pools()[state.pool].accelerators;
    if (std::ranges::find(on, accelerator) != on.end()) Drop(state);
  }
}

void JobTensors::Exchange(LoadedNetworks& networks, std::size_t pool, LoadedPool& with) {
  CHECK(&networks == &networks_);
  Lock lock(mutex_);
  const auto still = [&] { return std::ranges::all_of(holders_[pool], &Holder::Still); };
  stilled_.wait(lock, still);
  for (JobState& state : states_) {
    if (state.claim == 0 && state.pool == pool) Drop(state);
  }
  networks.Exchange(pool, with);
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
  return NothingKept();
}

bool JobTensors::BeginAnew() {
  const std::lock_guard lock(mutex_);
  if (!NothingKept()) return false;
  for (JobState& state : states_) state.ended = 0;
  return true;
}

bool JobTensors::NothingKept() const {
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
