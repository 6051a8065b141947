#include "fairlead/profiling/memory_bandwidth.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

#include "fairlead/base/check.h"
#include "fairlead/base/statistics.h"
#include "fairlead/execution/machine.h"

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

struct Free {
  void operator()(std::uint64_t* words) const { std::free(words); }
};
using Array = std::unique_ptr<std::uint64_t[], Free>;

// On large pages where the system has them, like the weights of networks.
Array Allocate(std::size_t words) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t bytes =
      (words * sizeof(std::uint64_t) + kLargePage - 1) / kLargePage * kLargePage;
  Array array(static_cast<std::uint64_t*>(std::aligned_alloc(kLargePage, bytes)));
  if (array == nullptr) throw std::bad_alloc();
  madvise(array.get(), bytes, MADV_HUGEPAGE);
  return array;
}

// All readers, of all partitions.
struct Readers {
  std::size_t count = 0;
  std::atomic<std::size_t> under_way = 0;
  std::atomic<std::size_t> to_be_timed = 0;
  std::atomic<std::uint64_t> sink = 0;  // so that the sums are needed
};

// The bytes per second of one core, which writes the words first, so that they are near to it.
double Read(std::span<std::uint64_t> words, Readers& readers, const BandwidthOptions& options,
            const LiveClock& clock) {
  std::ranges::fill(words, 1);
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
  const std::size_t size = options.bytes_per_core / sizeof(std::uint64_t);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < readers.count; ++i) arrays.push_back(Allocate(size));
  std::size_t first = 0;
  for (std::size_t i = 0; i < lanes.size(); first += lanes[i].cores.size(), ++i) {
    lanes[i].partition->Post([&, i, first] {
      const auto read = [&](std::size_t core) {
        return Read({arrays[first + core].get(), size}, readers, options, clock);
      };
      std::vector<double> of_core(lanes[i].cores.size());
      std::vector<std::thread> threads;
      for (std::size_t c = 1; c < of_core.size(); ++c) {
        threads.emplace_back([&, c] {
          // Where that cannot be, it reads from wherever there is room.
          static_cast<void>(Machine::This().BindThread(std::span(&lanes[i].cores[c], 1)));
          of_core[c] = read(c);
        });
      }
      of_core[0] = read(0);
      for (std::thread& thread : threads) thread.join();
      for (double part : of_core) bandwidth[i] += part;
    });
  }
  for (const BandwidthLane& lane : lanes) lane.partition->Wait();
  return bandwidth;
}

}  // namespace fairlead
