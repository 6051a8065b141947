#include "fairlead/profiling/perf_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sched.h>

#include <array>
#include <atomic>

#include "fairlead/profiling/machine_samples.h"
#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

void SpinFor(int turns) {
  for (std::atomic<int> i = 0; i < turns; ++i) {
  }
}

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Events that every kernel counts, whatever the processor; where it lets us.
constexpr std::array<PerfEvent, 2> kSoftware = {{
    {"task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
}};
constexpr std::array<PerfEvent, 1> kNonsense = {{{"nonsense", PERF_TYPE_SOFTWARE, 9999}}};

std::unique_ptr<PerfCounters> OpenSoftware() {
  auto counters = PerfCounters::Open(kSoftware, std::array{sched_getcpu()});
  return counters.has_value() ? std::move(*counters) : nullptr;
}

TEST(PerfCounters, CountUpwards) {
  const auto counters = OpenSoftware();
  if (counters == nullptr) GTEST_SKIP() << "the kernel does not let us count";
  std::array<double, 2> before{};
  std::array<double, 2> after{};
  counters->Read(before);
  SpinFor(1'000'000);
  counters->Read(after);
  EXPECT_GT(after[0], before[0]);
}

TEST(PerfCounters, SayWhatCannotBeCountedAndWhatIsPermitted) {
  const auto counters = PerfCounters::Open(kNonsense, std::array{sched_getcpu()});
  ASSERT_FALSE(counters.has_value());
  EXPECT_THAT(counters.error().message,
              AllOf(StartsWith("no perf counters: nonsense cannot be counted ("),
                    HasSubstr("perf_event_paranoid")));
}

TEST(CountLayers, CountsEachLayer) {
  const auto counters = OpenSoftware();
  if (counters == nullptr) GTEST_SKIP() << "the kernel does not let us count";
  const OperatorGraph graph = PretendGraph("chain", 3);
  PretendProcessor processor("p0", [](const PretendLayer& layer) {
    const int turns = layer.layer == 1 ? 3'000'000 : 0;
    SpinFor(turns);
    return Duration{1};
  });
  const auto network = processor.Load(graph, 1).value();
  const auto run = network->NewRun();
  const auto counts = CountLayers(*run, 3, 4, *counters);
  ASSERT_THAT(counts, SizeIs(3));
  EXPECT_GT(counts[1][0], counts[0][0] + counts[2][0]);
}

}  // namespace
}  // namespace fairlead
