#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fairlead/policies/unit_division.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

FissionTask Task(std::uint64_t serial, double priority, int need, std::int64_t remaining,
                 std::int64_t slack = 100) {
  return {.serial = serial,
          .priority = priority,
          .slack = Duration{slack},
          .need = need,
          .remaining = Duration{remaining}};
}

std::vector<int> Divided(std::vector<FissionTask> tasks, int capacity) {
  Fission fission;
  fission.Divide(tasks, capacity);
  std::vector<int> units;
  for (const FissionTask& task : tasks) units.push_back(task.units);
  return units;
}

TEST(FissionTest, ATaskAloneTakesAll) {
  EXPECT_THAT(Divided({Task(1, 1, 2, 50)}, 16), ElementsAre(16));
}

// Needs 4 and 4, 8 to spare: scores 3/30 and 1/30.
TEST(FissionTest, SpareUnitsGoByPriorityOverRemainingTime) {
  EXPECT_THAT(Divided({Task(1, 3, 4, 30), Task(2, 1, 4, 30)}, 16), ElementsAre(10, 6));
}

// 4 to spare for three alike: 1.33 each is rounded to 1, and one is left over.
TEST(FissionTest, WhatRoundingLeavesGoesToTheEarliestOfTheHighestPriority) {
  EXPECT_THAT(Divided({Task(2, 5, 4, 30), Task(1, 5, 4, 30), Task(3, 5, 4, 30)}, 16),
              ElementsAre(5, 6, 5));
}

// 2 to spare, scores 1/4 each: 0.5 is rounded to 1 for all four, two too many.
TEST(FissionTest, WhatRoundingOverdrewIsTakenFromTheLowPriorities) {
  EXPECT_THAT(
      Divided({Task(1, 1, 1, 10), Task(2, 2, 1, 20), Task(3, 3, 1, 30), Task(4, 4, 1, 40)}, 6),
      ElementsAre(1, 1, 2, 2));
}

// Needs 10 and 10 in 16: scores 1 / (100 x 10) and 2 / (100 x 10).
TEST(FissionTest, InOverloadTheLastOneServedGetsAPart) {
  EXPECT_THAT(Divided({Task(1, 1, 10, 90), Task(2, 2, 10, 90)}, 16), ElementsAre(6, 10));
}

// Something else holds the units: what needs more than there are gets what there is.
TEST(FissionTest, NobodyGetsMoreThanThereIs) {
  EXPECT_THAT(Divided({Task(1, 1, 8, 50)}, 4), ElementsAre(4));
  EXPECT_THAT(Divided({Task(1, 1, 1, 50), Task(2, 1, 2, 50)}, 0), ElementsAre(0, 0));
}

TEST(FissionTest, WhatIsLeftGoesToNobodyWhoCannotRunOnIt) {
  FissionTask wide = Task(1, 9, 0, 500);
  wide.fewest = 8;
  FissionTask narrow = Task(2, 1, 0, 500);
  narrow.fewest = 4;
  EXPECT_THAT(Divided({wide, narrow}, 2), ElementsAre(0, 0));
  EXPECT_THAT(Divided({wide, narrow}, 4), ElementsAre(0, 4));
}

TEST(FissionTest, TheHopelessGetNothingWhileOthersHaveHope) {
  EXPECT_THAT(Divided({Task(1, 9, 0, 500), Task(2, 1, 4, 50)}, 16), ElementsAre(0, 4));
}

// Scores 9/90 and 2/20: alike.
TEST(FissionTest, IfAllAreHopelessTheyShare) {
  EXPECT_THAT(Divided({Task(1, 9, 0, 90), Task(2, 2, 0, 20)}, 16), ElementsAre(8, 8));
}

TEST(FissionTest, WhatRunsKeepsTheFewestUnitsItCan) {
  std::vector<FissionTask> tasks = {Task(1, 1, 0, 500), Task(2, 1, 16, 50)};
  tasks[0].running = true;
  tasks[0].fewest = 2;
  EXPECT_THAT(Divided(tasks, 16), ElementsAre(2, 14));
}

TEST(FissionTest, IfNobodyCanRunOnItsShareTheFirstTakesAll) {
  std::vector<FissionTask> tasks = {Task(1, 1, 0, 50), Task(2, 2, 0, 50)};
  for (FissionTask& task : tasks) task.fewest = 4;
  EXPECT_THAT(Divided(tasks, 4), ElementsAre(0, 4));
}

TEST(FissionTest, PrioritiesOfZeroShareTheRest) {
  EXPECT_THAT(Divided({Task(1, 0, 1, 50), Task(2, 0, 1, 50)}, 5), ElementsAre(3, 2));
}

TEST(FissionTest, NobodyIsNobody) { EXPECT_THAT(Divided({}, 4), ElementsAre()); }

std::vector<int> DividedInOrder(std::vector<FissionTask> tasks, int capacity) {
  for (std::size_t i = 0; i < tasks.size(); ++i)
    tasks[i].place = static_cast<std::uint32_t>(tasks.size() - i);
  Fission fission;
  fission.DivideInOrder(tasks, capacity);
  std::vector<int> units;
  for (const FissionTask& task : tasks) units.push_back(task.units);
  return units;
}

// The last has the first place: 4 and 2, then 3 of the others would need 3.
TEST(FissionTest, InOrderWhoCannotHaveWhatItNeedsWaits) {
  EXPECT_THAT(DividedInOrder({Task(1, 1, 2, 50), Task(2, 1, 3, 50), Task(3, 1, 4, 50)}, 6),
              ElementsAre(4, 0, 2));
}

TEST(FissionTest, InOrderWhatRunsTakesLessThanItNeeds) {
  FissionTask running = Task(1, 1, 3, 50);
  running.running = true;
  EXPECT_THAT(DividedInOrder({running, Task(2, 1, 4, 50)}, 6), ElementsAre(4, 2));
}

// 4, then 1 for the hopeless; 3 to spare, scores 1/50 and 1/25.
TEST(FissionTest, InOrderTheHopelessHaveWhatIsLeft) {
  EXPECT_THAT(DividedInOrder({Task(1, 1, 0, 25), Task(2, 1, 4, 50)}, 8), ElementsAre(5, 3));
}

}  // namespace
}  // namespace fairlead
