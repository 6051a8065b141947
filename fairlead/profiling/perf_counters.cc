#include "fairlead/profiling/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr int kOwnThread = 0;
constexpr int kAllThreads = -1;
constexpr int kAllCores = -1;

// What a counter's file reads as, in the format that OpenEvent asks for.
struct Reading {
  std::uint64_t count = 0;
  std::uint64_t enabled = 0;  // nanoseconds
  std::uint64_t running = 0;
};

int OpenEvent(const PerfEvent& event, int thread, int core) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = thread == kOwnThread ? 1 : 0;  // else more must be permitted
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, core, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string Permitted() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  if (!(file >> level)) return "the kernel has no perf_event_paranoid";
  return "perf_event_paranoid is " + level;
}

}  // namespace

std::span<const PerfEvent> CacheEvents() {
  static constexpr std::array<PerfEvent, 4> kEvents = {{
      {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
      {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
  }};
  return kEvents;
}

Result<std::unique_ptr<PerfCounters>> PerfCounters::Open(std::span<const PerfEvent> events,
                                                         std::span<const int> cores) {
  CHECK(!events.empty() && !cores.empty());
  std::unique_ptr<PerfCounters> counters(new PerfCounters);
  counters->events_ = events.size();
  Status opened;
  for (int core : cores) {
    opened = counters->Add(events, kAllThreads, core);
    if (!opened.has_value()) break;
  }
  if (opened.has_value()) return counters;
  if (cores.size() > 1) return tl::unexpected(opened.error());
  RETURN_IF_ERROR(counters->Add(events, kOwnThread, kAllCores));
  return counters;
}

Status PerfCounters::Add(std::span<const PerfEvent> events, int thread, int core) {
  const std::size_t before = files_.size();
  for (const PerfEvent& event : events) {
    const int file = OpenEvent(event, thread, core);
    if (file >= 0) {
      files_.push_back(file);
      continue;
    }
    const int error = errno;
    while (files_.size() > before) {
      close(files_.back());
      files_.pop_back();
    }
    return Fail("no perf counters: {} cannot be counted ({}; {})", event.name,
                std::generic_category().message(error), Permitted());
  }
  return {};
}

PerfCounters::~PerfCounters() {
  for (int file : files_) close(file);
}

void PerfCounters::Read(std::span<double> counts) const {
  CHECK(counts.size() == events_);
  std::ranges::fill(counts, 0.0);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Reading reading;
    if (read(files_[i], &reading, sizeof(reading)) != sizeof(reading) || reading.running == 0)
      continue;
    counts[i % events_] +=
        static_cast<double>(reading.count) *
        (static_cast<double>(reading.enabled) / static_cast<double>(reading.running));
  }
}

}  // namespace fairlead
