#include "fairlead/policies/demand_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

TEST(DemandBound, LetsInWhatFitsBeforeItsOwnDeadline) {
  DemandBound bound;
  bound.Begin(std::vector<double>{10, 20});
  EXPECT_FALSE(bound.Admit(0, 11));
  EXPECT_TRUE(bound.Admit(0, 10));
  EXPECT_FALSE(bound.Admit(0, 1));
  EXPECT_TRUE(bound.Admit(1, 10));
}

TEST(DemandBound, KeepsRoomForWhatWasLetInWithALaterDeadline) {
  DemandBound bound;
  bound.Begin(std::vector<double>{10, 20, 30});
  EXPECT_TRUE(bound.Admit(1, 15));
  EXPECT_TRUE(bound.Admit(0, 5));   // 20 before the second deadline
  EXPECT_FALSE(bound.Admit(0, 1));  // there would be 21
  EXPECT_TRUE(bound.Admit(2, 10));
}

TEST(DemandBound, AdmitsNothingWhereThereIsNoRoomLeft) {
  DemandBound bound;
  bound.Begin(std::vector<double>{10, 20});
  bound.Take(1, 25);
  EXPECT_FALSE(bound.Admit(0, 1));
  EXPECT_FALSE(bound.Admit(1, 1));
}

TEST(DemandBound, AgreesWithSumsOverAllDeadlines) {
  RandomStream random(1, "demand bound");
  for (int world = 0; world < 200; ++world) {
    const std::size_t size = 1 + random.Below(40);
    std::vector<double> room(size);
    for (double& each : room) each = static_cast<double>(random.Below(100));
    std::ranges::sort(room);
    DemandBound bound;
    bound.Begin(room);
    std::vector<double> taken(size, 0);
    for (int step = 0; step < 60; ++step) {
      const std::size_t place = random.Below(size);
      const auto work = static_cast<double>(1 + random.Below(12));
      bool fits = true;
      double before = 0;
      for (std::size_t i = 0; i < size; ++i) {
        before += taken[i];
        if (i >= place) fits = fits && before + work <= room[i];
      }
      ASSERT_EQ(bound.Admit(place, work), fits) << world << ": " << step;
      if (fits) taken[place] += work;
    }
  }
}

}  // namespace
}  // namespace fairlead
