#include "fairlead/profiling/interruptions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace fairlead {
namespace {

void Spin(int turns) {
  for (std::atomic<int> i = 0; i < turns; ++i) {
  }
}

constexpr char kStat[] =
    "cpu  900 0 0 0 0 0 0 0 0 0\n"
    "cpu0 100 20 30 5000 600 4 6 7 0 0\n"
    "cpu1 1 2 3 4 5 6 7 8 0 0\n"
    "cpu10 1000 0 0 0 0 0 0 1000 0 0\n"
    "intr 12345\n";

double Ticks(double ticks) { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }

TEST(CoreTime, LeavesOutIdling) {
  EXPECT_DOUBLE_EQ(ParseCoreTime(kStat, std::array{0}).used, Ticks(100 + 20 + 30 + 4 + 6));
}

TEST(CoreTime, KnowsWhatWasStolen) {
  EXPECT_DOUBLE_EQ(ParseCoreTime(kStat, std::array{0}).stolen, Ticks(7));
}

TEST(CoreTime, AddsUpCores) {
  EXPECT_DOUBLE_EQ(ParseCoreTime(kStat, std::array{0, 1}).stolen, Ticks(7 + 8));
}

TEST(CoreTime, IsNothingForOtherCores) { EXPECT_EQ(ParseCoreTime(kStat, std::array{3}).used, 0); }

TEST(OwnProcessorTime, GrowsWithWork) {
  const double before = OwnProcessorTime();
  Spin(20'000'000);
  EXPECT_GT(OwnProcessorTime(), before);
}

}  // namespace
}  // namespace fairlead
