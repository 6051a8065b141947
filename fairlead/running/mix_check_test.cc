#include "fairlead/running/mix_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/base/random.h"
#include "fairlead/profiling/machine_report.h"
#include "fairlead/profiling/machine_tables.h"
#include "fairlead/profiling/testing/sample_machine.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Networks of one layer on two partitions, side by side.
struct Half {
  double nanoseconds = 0;
  std::int64_t bytes = 0;
};
MachineProfile Machine(Half first, Half second) {
  MachineProfile machine;
  machine.networks = {"a", "b"};
  machine.batches = {1};
  machine.partitions = {{.name = "p0"}, {.name = "p1"}};
  const Half halves[] = {first, second};
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t p = 0; p < 2; ++p) {
      machine.alone.push_back(
          {.network = n,
           .partition = p,
           .nanoseconds = halves[n].nanoseconds,
           .burst = halves[n].nanoseconds,
           .layers = {{.nanoseconds = halves[n].nanoseconds, .dram_bytes = halves[n].bytes}}});
    }
  }
  machine.mixes = {{.networks = {0, 1}, .nanoseconds = {1, 1}}};
  return machine;
}

std::vector<double> Predicted(const MachineProfile& machine, const SharedMemory& memory) {
  return PredictMixes(machine, memory).value().front().nanoseconds;
}

TEST(PredictMixes, IsAsAloneWithoutTraffic) {
  EXPECT_THAT(Predicted(Machine({1000, 0}, {3000, 0}), {1, Sharing::kMaxMin}),
              ElementsAre(1000, 3000));
}

TEST(PredictMixes, IsAsInBurstsWhereRequestsMeetSomethingElse) {
  MachineProfile machine = Machine({1000, 0}, {3000, 0});
  for (ProfiledNetwork& network : machine.alone) network.burst *= 0.9;
  EXPECT_THAT(Predicted(machine, {1, Sharing::kMaxMin}), ElementsAre(900, 2700));
}

TEST(PredictMixes, IsAsAloneWhereTheMemoryIsFastEnough) {
  // 10 and 5 bytes in a nanosecond.
  EXPECT_THAT(Predicted(Machine({1000, 10'000}, {1000, 5'000}), {15'000'000'000, Sharing::kMaxMin}),
              ElementsAre(1000, 1000));
}

TEST(PredictMixes, IsSlowerWhereTheMemoryIsShared) {
  // Each wants 10 bytes in a nanosecond; together they get 10.
  EXPECT_THAT(
      Predicted(Machine({1000, 10'000}, {1000, 10'000}), {10'000'000'000, Sharing::kMaxMin}),
      ElementsAre(2000, 2000));
}

TEST(PredictMixes, CountsOnlyWhatEndsWhileAllPartitionsRun) {
  // The first slows only while the second runs, which takes as many passes as last as long alone.
  const auto predicted =
      Predicted(Machine({1000, 10'000}, {400, 4'000}), {10'000'000'000, Sharing::kMaxMin});
  EXPECT_THAT(predicted, ElementsAre(2000, 800));
}

TEST(PredictMixes, LeavesIdlePartitionsOut) {
  MachineProfile machine = Machine({1000, 0}, {3000, 0});
  machine.mixes = {{.networks = {kIdle, 0}, .nanoseconds = {0, 1}}};
  EXPECT_THAT(Predicted(machine, {}), ElementsAre(0, 1000));
}

TEST(PredictMixes, DoesNotLookAtWhatWasMeasuredSideBySide) {
  MachineProfile machine = Machine({1000, 9'000}, {700, 5'000});
  const auto before = Predicted(machine, {10'000'000'000, Sharing::kMaxMin});
  machine.mixes[0].nanoseconds = {5000, 9000};
  EXPECT_EQ(Predicted(machine, {10'000'000'000, Sharing::kMaxMin}), before);
}

TEST(FilesOf, GiveEachPartitionItsNetworkAgainAndAgain) {
  const MixFiles files = FilesOf(Machine({1000, 0}, {10'000, 0}), {.networks = {0, 1}});
  EXPECT_THAT(files.requests, HasSubstr("\n199,0,p0,a,"));
  EXPECT_THAT(files.requests, HasSubstr("\n200,0,p1,b,"));
  EXPECT_THAT(files.requests, HasSubstr("\n219,0,p1,b,"));
  EXPECT_THAT(files.plan, HasSubstr("\n219,0,p1,19\n"));
}

TEST(MachineScenario, IsOneThatRuns) {
  const MachineProfile machine = TestMachine();
  const std::string text = MachineScenario(
      machine,
      {.instructions = {"none", "avx2"}, .bandwidth = 20'000'000'000, .sharing = "max-min"});
  const FileReader read = [&](const std::string&) -> Result<std::string> {
    return FormatProfile(ProfileOfMachine(machine));
  };
  auto scenario = ParseScenario("scenario.yaml", text);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto world = BuildWorld(std::move(*scenario), read);
  ASSERT_TRUE(world.has_value()) << world.error().message;
  EXPECT_EQ((*world)->tenants.size(), 2);
}

}  // namespace
}  // namespace fairlead
