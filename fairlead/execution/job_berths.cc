#include "fairlead/execution/job_berths.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

JobBerths::JobBerths(const LoadedNetworks& networks)
    : networks_(networks), luggage_(networks.accelerators()), spares_(networks.networks()) {
  for (const RunPool& pool : networks.pools()) {
    auto& berths = berths_.emplace_back(pool.runs.size());
    for (Berth& berth : berths) berth.guests.resize(pool.loaded->batch());
    Luggage& luggage = luggage_[pool.accelerator.index()];
    const std::size_t batch = std::max(luggage.numbers.size(), pool.loaded->batch());
    luggage.numbers.resize(batch);
    luggage.layers.resize(batch);
  }
}

// ---- Boarding ------------------------------------------------------------------------------

Journey JobBerths::Board(const Assignment& assignment) {
  Journey journey{.pool = networks_.PoolFor(assignment.accelerator, assignment.network,
                                            assignment.jobs.size())};
  Luggage& luggage = luggage_[assignment.accelerator.index()];
  Lock lock(mutex_);
  journey.claim = ++claims_;
  if (Together(assignment, journey.pool)) {
    const JobState& first = StateOf(JobOf(assignment, 0));
    journey.berth = first.berth;
    journey.layer = first.layer;
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      StateOf(JobOf(assignment, i)).claim = journey.claim;
    berths_[journey.pool][journey.berth].busy = true;
  } else {
    for (std::size_t i = 0; i < assignment.jobs.size(); ++i)
      PackUp(assignment, i, journey.claim, luggage, lock);
    journey.berth = FreeBerth(journey.pool, lock);
    lock.unlock();
    try {
      Unpack(assignment, journey, luggage);
    } catch (...) {
      Leave(assignment, journey);
      throw;
    }
  }
  journey.run = &RunOf(journey.pool, journey.berth);
  return journey;
}

// All in one berth, alone, in the order of the assignment.
bool JobBerths::Together(const Assignment& assignment, std::size_t pool) const {
  const std::size_t slot = assignment.jobs.front().index();
  if (slot >= states_.size()) return false;
  const JobState& first = states_[slot];
  if (first.serial != assignment.serials.front() || first.claim != 0 || first.pool != pool)
    return false;
  const Berth& berth = berths_[pool][first.berth];
  if (!berth.Still() || berth.guest_count != assignment.jobs.size()) return false;
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    const JobHandle job = JobOf(assignment, i);
    if (berth.guests[i].id != job.id || berth.guests[i].serial != job.serial) return false;
  }
  return true;
}

// Takes a job's tensors from where they are.
void JobBerths::PackUp(const Assignment& assignment, std::size_t i, std::uint64_t claim,
                       Luggage& luggage, Lock& lock) {
  luggage.numbers[i].clear();
  luggage.layers[i] = 0;
  const JobHandle job = JobOf(assignment, i);
  const auto at_hand = [&] {
    const JobState& state = StateOf(job);
    return state.claim != 0 || state.pool == kNowhere || !BerthOf(state).busy;
  };
  stilled_.wait(lock, at_hand);  // while its berth is being cleared
  JobState& state = StateOf(job);
  // A segment that was aborted, and has not noticed yet, may still have them.
  const bool away = std::exchange(state.claim, claim) != 0;
  if (away) return;
  const std::size_t layer = state.layer;
  Numbers numbers = state.pool == kNowhere ? std::move(state.saved) : CopyOut(state, lock);
  luggage.layers[i] = numbers.empty() ? 0 : layer;
  luggage.numbers[i] = std::move(numbers);
}

// Empty if the run does not give them away: its processor has gone.
JobBerths::Numbers JobBerths::CopyOut(JobState& state, Lock& lock) {
  const std::size_t pool = state.pool;
  const std::size_t sample = state.sample;
  const std::size_t layer = state.layer;
  const NetworkId network = networks_.pools()[pool].network;
  const NetworkRun& run = RunOf(pool, state.berth);
  Berth& berth = BerthOf(state);
  Numbers numbers = TakeNumbers(network);
  state.pool = kNowhere;
  ++berth.readers;
  lock.unlock();  // `state` may move
  const bool copied = Copy(run, network, layer, sample, numbers);
  lock.lock();
  --berth.readers;
  berth.Dismiss(sample);
  stilled_.notify_all();
  if (!copied) GiveBack(network, std::move(numbers));
  return copied ? std::move(numbers) : Numbers{};
}

void JobBerths::Berth::Dismiss(std::size_t sample) {
  if (guests[sample].serial != 0) --guest_count;
  guests[sample] = {};
}

// Returns it busy.
std::size_t JobBerths::FreeBerth(std::size_t pool, Lock& lock) {
  std::vector<Berth>& berths = berths_[pool];
  while (true) {
    const auto free = std::ranges::find_if(
        berths, [](const Berth& berth) { return berth.Still() && berth.guest_count == 0; });
    if (free != berths.end()) {
      free->busy = true;
      return static_cast<std::size_t>(free - berths.begin());
    }
    std::size_t longest = berths.size();
    for (std::size_t b = 0; b < berths.size(); ++b) {
      if (berths[b].Still() &&
          (longest == berths.size() || berths[b].last_use < berths[longest].last_use))
        longest = b;
    }
    if (longest == berths.size()) {
      stilled_.wait(lock);  // others copy their jobs out of all of them
    } else {
      Clear(pool, longest, lock);
    }
  }
}

bool JobBerths::Copy(const NetworkRun& run, NetworkId network, std::size_t layer,
                     std::size_t sample, Numbers& numbers) const {
  if (layer == 0) return false;  // nothing was computed yet
  try {
    run.Save(layer, sample, std::span(numbers).first(networks_.LiveNumbers(network, layer)));
    return true;
  } catch (...) {  // the processor has gone, or whatever it is: the job begins anew
    return false;
  }
}

// Saves the guests of a berth.
void JobBerths::Clear(std::size_t pool, std::size_t index, Lock& lock) {
  Berth& berth = berths_[pool][index];
  const NetworkId network = networks_.pools()[pool].network;
  for (std::size_t sample = 0; sample < berth.guests.size(); ++sample) {
    const JobHandle guest = berth.guests[sample];
    if (guest.serial == 0) continue;
    Numbers numbers = TakeNumbers(network);
    berth.busy = true;
    lock.unlock();
    const bool copied = Copy(RunOf(pool, index), network, berth.layer, sample, numbers);
    lock.lock();
    berth.busy = false;
    if (berth.guests[sample].serial != guest.serial) {  // it was forgotten meanwhile
      GiveBack(network, std::move(numbers));
      continue;
    }
    berth.Dismiss(sample);
    JobState& state = states_[guest.id.index()];
    state.pool = kNowhere;
    state.network = network;
    state.layer = copied ? berth.layer : 0;
    if (copied) {
      state.saved = std::move(numbers);
    } else {
      GiveBack(network, std::move(numbers));
    }
  }
  stilled_.notify_all();
}

// Puts the jobs into the berth, which is ours.
void JobBerths::Unpack(const Assignment& assignment, Journey& journey, Luggage& luggage) {
  const std::size_t jobs = assignment.jobs.size();
  const std::span layers = std::span(luggage.layers).first(jobs);
  // Jobs that stand apart, one of them having been aborted, begin anew together.
  const bool alike = std::ranges::all_of(layers, [&](auto layer) { return layer == layers[0]; });
  journey.layer = alike ? layers[0] : 0;
  const std::size_t count = networks_.LiveNumbers(assignment.network, journey.layer);
  NetworkRun& run = RunOf(journey.pool, journey.berth);
  for (std::size_t i = 0; i < jobs && journey.layer > 0; ++i)
    run.Restore(journey.layer, i, std::span<const float>(luggage.numbers[i]).first(count));
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < jobs; ++i)
    GiveBack(assignment.network, std::move(luggage.numbers[i]));
}

// ---- Afterwards ----------------------------------------------------------------------------

void JobBerths::Alight(const Assignment& assignment, const Journey& journey, std::size_t layer) {
  const std::lock_guard lock(mutex_);
  Berth& berth = berths_[journey.pool][journey.berth];
  for (std::size_t i = 0; i < berth.guests.size(); ++i) berth.Dismiss(i);
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    const JobHandle job = JobOf(assignment, i);
    JobState& state = states_[job.id.index()];
    // Another has the slot, or begins with the same job anew.
    if (state.serial != job.serial || state.claim != journey.claim) continue;
    if (job.serial <= state.ended) {
      Reset(state);
      continue;
    }
    state.claim = 0;
    state.pool = journey.pool;
    state.berth = journey.berth;
    state.sample = i;
    state.layer = layer;
    berth.guests[i] = job;
    ++berth.guest_count;
  }
  berth.layer = layer;
  berth.last_use = journey.claim;
  berth.busy = false;
  stilled_.notify_all();
}

void JobBerths::Leave(const Assignment& assignment, const Journey& journey) {
  const std::lock_guard lock(mutex_);
  Berth& berth = berths_[journey.pool][journey.berth];
  for (std::size_t i = 0; i < berth.guests.size(); ++i) berth.Dismiss(i);
  for (std::size_t i = 0; i < assignment.jobs.size(); ++i) {
    JobState& state = states_[assignment.jobs[i].index()];
    if (state.serial == assignment.serials[i] && state.claim == journey.claim) Reset(state);
  }
  berth.busy = false;
  stilled_.notify_all();
}

void JobBerths::Lose(AcceleratorId accelerator) {
  const std::lock_guard lock(mutex_);
  for (JobState& state : states_) {
    if (state.claim == 0 && state.pool != kNowhere &&
        networks_.pools()[state.pool].accelerator == accelerator)
      Drop(state);
  }
}

void JobBerths::Forget(const JobHandle& job) {
  const std::lock_guard lock(mutex_);
  if (job.id.index() >= states_.size()) states_.resize(job.id.index() + 1);
  JobState& state = states_[job.id.index()];
  if (state.serial == job.serial) Drop(state);
  state.ended = std::max(state.ended, job.serial);
}

bool JobBerths::Empty() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(states_, [](const JobState& state) { return state.serial == 0; }) &&
         std::ranges::all_of(berths_, [](const std::vector<Berth>& berths) {
           return std::ranges::all_of(
               berths, [](const Berth& berth) { return berth.Still() && berth.guest_count == 0; });
         });
}

// ---- The books -----------------------------------------------------------------------------

// As it is, or new for a job that takes over a slot.
JobBerths::JobState& JobBerths::StateOf(const JobHandle& job) {
  if (job.id.index() >= states_.size()) states_.resize(job.id.index() + 1);
  JobState& state = states_[job.id.index()];
  if (state.serial != job.serial) {
    Drop(state);
    state.serial = job.serial;
  }
  return state;
}

void JobBerths::Drop(JobState& state) {
  if (state.claim == 0 && state.pool != kNowhere) BerthOf(state).Dismiss(state.sample);
  if (!state.saved.empty()) GiveBack(state.network, std::move(state.saved));
  Reset(state);
}

void JobBerths::Reset(JobState& state) { state = {.ended = state.ended}; }

JobBerths::Numbers JobBerths::TakeNumbers(NetworkId network) {
  std::vector<Numbers>& spares = spares_[network.index()];
  if (spares.empty()) return Numbers(networks_.MostLiveNumbers(network));
  Numbers numbers = std::move(spares.back());
  spares.pop_back();
  return numbers;
}

void JobBerths::GiveBack(NetworkId network, Numbers&& numbers) {
  if (!numbers.empty()) spares_[network.index()].push_back(std::move(numbers));
  numbers = {};
}

}  // namespace fairlead
