#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/workload/linear_program.h"
#include "fairlead/workload/window_cuts.h"

namespace fairlead {
namespace {

using std::chrono::seconds;

constexpr double kNoLimit = 1e9;

Instant At(int second) { return Instant{} + seconds(second); }

// Of windows of class 0, with 1 per second.
double MostOf(const std::vector<RequestWindow>& windows, ClassWork requests) {
  const std::vector<PresenceStretch> stretches = {{At(0), {1}}};
  return MostWork(windows, stretches).Of({{requests}}, {{1.0}});
}

TEST(MostWork, IsAllWhereThereIsTime) {
  EXPECT_DOUBLE_EQ(MostOf({{At(0), At(9)}, {At(2), At(9)}}, {3, kNoLimit, true}), 6);
}

TEST(MostWork, IsNoMoreThanTheWindowOffers) {
  EXPECT_DOUBLE_EQ(MostOf({{At(0), At(4)}, {At(0), At(4)}}, {3, kNoLimit, true}), 4);
}

TEST(MostWork, ServesTheUrgentFirst) {
  // The long one waits until 3 and then has all it wants.
  EXPECT_DOUBLE_EQ(MostOf({{At(0), At(9)}, {At(0), At(3)}}, {3, kNoLimit, true}), 6);
}

TEST(MostWork, DoesNothingBetweenWindows) {
  EXPECT_DOUBLE_EQ(MostOf({{At(0), At(2)}, {At(7), At(9)}}, {3, kNoLimit, true}), 4);
}

TEST(MostWork, IsNoFasterThanWhatIsThereCanGo) {
  EXPECT_NEAR(MostOf({{At(0), At(4)}}, {3, 0.5, true}), 2, 1e-6);
}

TEST(MostWork, PassesOverClassesThatDoNotCount) {
  EXPECT_EQ(MostOf({{At(0), At(4)}}, {3, kNoLimit, false}), 0);
}

TEST(MostWork, FollowsTheCapacity) {
  const std::vector<RequestWindow> windows = {{At(0), At(10)}};
  const std::vector<PresenceStretch> stretches = {{At(0), {1}}, {At(4), {1}}, {At(6), {1}}};
  EXPECT_DOUBLE_EQ(MostWork(windows, stretches).Of({{{99, kNoLimit, true}}}, {{1.0, 0.0, 2.0}}),
                   4 + 8);
}

// The same as a linear program: work in each window and second.
double ByProgram(const std::vector<RequestWindow>& windows, double work, int end) {
  LinearProgram linear;
  std::vector<std::vector<LinearProgram::Term>> in_second(static_cast<std::size_t>(end));
  for (const RequestWindow& window : windows) {
    std::vector<LinearProgram::Term> all;
    for (int second = 0; second < end; ++second) {
      if (At(second) < window.arrival || At(second + 1) > window.deadline) continue;
      const int variable = linear.AddVariable(1);
      linear.SetObjective(variable, 1);
      all.push_back({variable, 1});
      in_second[static_cast<std::size_t>(second)].push_back({variable, 1});
    }
    linear.AddConstraint(0, work, all);
  }
  for (const auto& terms : in_second) linear.AddConstraint(0, 1, terms);
  return linear.Maximise().value();
}

TEST(MostWork, EqualsALinearProgram) {
  RandomStream random(1, "windows");
  for (int round = 0; round < 200; ++round) {
    std::vector<RequestWindow> windows;
    for (std::uint64_t i = 0; i < 1 + random.Below(12); ++i) {
      const int from = static_cast<int>(random.Below(20));
      windows.push_back({At(from), At(from + 1 + static_cast<int>(random.Below(9)))});
    }
    const double work = 1 + static_cast<double>(random.Below(5));
    ASSERT_NEAR(MostOf(windows, {work, kNoLimit, true}), ByProgram(windows, work, 30), 1e-6);
  }
}

}  // namespace
}  // namespace fairlead
