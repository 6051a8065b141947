#include "fairlead/execution/memory_bandwidth.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "fairlead/base/check.h"
#include "fairlead/fairness/measures.h"

namespace fairlead {
namespace {

// Sums in as many independent chains as keep loads of a core in flight.
std::uint64_t Sweep(std::span<const std::uint64_t> words) {
  constexpr std::size_t kChains = 32;
  std::array<std::uint64_t, kChains> sums{};
  for (std::size_t i = 0; i + kChains <= words.size(); i += kChains) {
    for (std::size_t j = 0; j < kChains; ++j) sums[j] += words[i + j];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

// The calling thread; where that cannot be, it runs wherever there is room.
void BindTo(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// All readers, of all partitions.
struct Readers {
  std::size_t count = 0;
  std::atomic<std::size_t> under_way = 0;
  std::atomic<std::size_t> to_be_timed = 0;
  std::atomic<std::uint64_t> sink = 0;  // so that the sums are needed
};

// The bytes per second of one core.
double Read(Readers& readers, const BandwidthOptions& options, const LiveClock& clock) {
  const std::vector<std::uint64_t> words(options.bytes_per_core / sizeof(std::uint64_t), 1);
  std::uint64_t sum = Sweep(words);
  readers.under_way.fetch_add(1);
  std::vector<double> seconds;
  const auto sweeps = static_cast<std::size_t>(options.sweeps);
  while (readers.to_be_timed.load() > 0) {
    const bool counts = readers.under_way.load() == readers.count && seconds.size() < sweeps;
    const Instant begin = clock.Now();
    sum += Sweep(words);
    if (!counts) continue;
    seconds.push_back(Seconds(clock.Now() - begin));
    if (seconds.size() == sweeps) readers.to_be_timed.fetch_sub(1);
  }
  readers.sink.fetch_add(sum);
  std::ranges::sort(seconds);
  const double median = Quantile(seconds, 0.5);
  return median > 0 ? static_cast<double>(options.bytes_per_core) / median : 0;
}

}  // namespace

std::vector<double> MeasureBandwidth(std::span<const BandwidthLane> lanes,
                                     const BandwidthOptions& options, const LiveClock& clock) {
  CHECK(!lanes.empty() && options.sweeps > 0);
  Readers readers;
  for (const BandwidthLane& lane : lanes) {
    CHECK(!lane.cores.empty());
    readers.count += lane.cores.size();
  }
  readers.to_be_timed = readers.count;
  std::vector<double> bandwidth(lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].partition->Post([&, i] {
      std::vector<double> of_core(lanes[i].cores.size());
      std::vector<std::thread> threads;
      for (std::size_t c = 1; c < of_core.size(); ++c) {
        threads.emplace_back([&, c] {
          BindTo(lanes[i].cores[c]);
          of_core[c] = Read(readers, options, clock);
        });
      }
      of_core[0] = Read(readers, options, clock);
      for (std::thread& thread : threads) thread.join();
      for (double part : of_core) bandwidth[i] += part;
    });
  }
  for (const BandwidthLane& lane : lanes) lane.partition->Wait();
  return bandwidth;
}

}  // namespace fairlead
