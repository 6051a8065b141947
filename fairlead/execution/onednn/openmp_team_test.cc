#include "fairlead/execution/onednn/openmp_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "fairlead/execution/machine.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Four threads on the first and the last core that there are.
std::vector<int> FourCores() {
  const std::vector<int> usable = Machine::This().UsableCores();
  return {usable.front(), usable.back(), usable.front(), usable.back()};
}

std::vector<std::vector<int>> CoresOfTeam() {
  std::vector<std::vector<int>> cores(4);
  OnEachOfTeam(4, [&cores](int thread) {
    cores[static_cast<std::size_t>(thread)] = Machine::This().UsableCores();
  });
  return cores;
}

// A thread of its own, since it stays bound.
template <typename Test>
void OnNewThread(Test test) {
  std::thread thread(test);
  thread.join();
}

TEST(OpenMpTeam, HasAThreadOnEachCore) {
  OnNewThread([] {
    const std::vector<int> cores = FourCores();
    ASSERT_TRUE(BindTeam(cores).has_value());
    EXPECT_THAT(CoresOfTeam(), ElementsAre(ElementsAre(cores[0]), ElementsAre(cores[1]),
                                           ElementsAre(cores[2]), ElementsAre(cores[3])));
  });
}

TEST(OpenMpTeam, IsBoundAgainAfterASmallerOne) {
  OnNewThread([] {
    const std::vector<int> cores = FourCores();
    ASSERT_TRUE(BindTeam(cores).has_value());
    OnEachOfTeam(2, [](int) {});
    RestoreTeam();
    EXPECT_THAT(CoresOfTeam(), ElementsAre(ElementsAre(cores[0]), ElementsAre(cores[1]),
                                           ElementsAre(cores[2]), ElementsAre(cores[3])));
  });
}

TEST(OpenMpTeam, ThatIsLooseCallsThreadsToAnyOfItsCores) {
  OnNewThread([] {
    std::vector<int> cores = FourCores();
    ASSERT_TRUE(BindTeam(cores).has_value());
    OnEachOfTeam(2, [](int) {});
    LoosenTeam();
    std::ranges::sort(cores);
    const auto repeated = std::ranges::unique(cores);
    cores.erase(repeated.begin(), repeated.end());
    EXPECT_THAT(CoresOfTeam().back(), ElementsAreArray(cores));
    RestoreTeam();
  });
}

TEST(OpenMpTeam, CountsThoseCalledAnew) {
  OnNewThread([] {
    ASSERT_TRUE(BindTeam(FourCores()).has_value());
    OnEachOfTeam(3, [](int) {});
    EXPECT_EQ(RestoreTeam(), 1);
  });
}

TEST(OpenMpTeam, LosesNobodyToAsLargeAOne) {
  OnNewThread([] {
    ASSERT_TRUE(BindTeam(FourCores()).has_value());
    OnEachOfTeam(4, [](int) {});
    EXPECT_EQ(RestoreTeam(), 0);
  });
}

TEST(OpenMpTeam, LosesNobodyToOneAlone) {
  OnNewThread([] {
    ASSERT_TRUE(BindTeam(FourCores()).has_value());
    OnEachOfTeam(1, [](int) {});
    EXPECT_EQ(RestoreTeam(), 0);
  });
}

TEST(OpenMpTeam, IsLeftAloneWhereItWasNeverBound) {
  OnNewThread([] { EXPECT_EQ(RestoreTeam(), 0); });
}

}  // namespace
}  // namespace fairlead
