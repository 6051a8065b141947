#include "fairlead/serving/busy_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using testing::ElementsAre;

Instant At(int nanoseconds) { return Instant{Duration{nanoseconds}}; }

class BusyCountTest : public testing::Test {
 protected:
  BusyCountTest() {
    platform_.AddKind("small", 1);
    platform_.AddKind("large", 1, 4);
  }

  static Assignment Started(AcceleratorId on, int units, int at) {
    Assignment assignment;
    assignment.id = {0, 1};
    assignment.accelerator = on;
    assignment.units = units;
    assignment.start = At(at);
    return assignment;
  }

  Platform platform_;
};

TEST_F(BusyCountTest, CountsFromStartToEndByTheShareOfUnits) {
  BusyCount count(platform_, nullptr);
  count.SegmentEnded(Started(AcceleratorId{0}, 1, 10), At(25));
  Assignment other = Started(AcceleratorId{1}, 2, 0);
  other.id.slot = 1;
  count.SegmentEnded(other, At(8));
  EXPECT_THAT(count.busy(), ElementsAre(15, 4));
}

TEST_F(BusyCountTest, CountsWhatIsResizedPieceByPiece) {
  BusyCount count(platform_, nullptr);
  Assignment assignment = Started(AcceleratorId{1}, 1, 0);
  assignment.units = 4;
  count.SegmentResized(assignment, 1, At(4));
  count.SegmentEnded(assignment, At(6));
  assignment.id.generation = 2;  // another in the same slot
  assignment.start = At(10);
  count.SegmentEnded(assignment, At(11));
  EXPECT_THAT(count.busy(), ElementsAre(0, 1 + 2 + 1));
}

}  // namespace
}  // namespace fairlead
