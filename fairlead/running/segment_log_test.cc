#include "fairlead/running/segment_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using testing::ElementsAre;

class SegmentLogTest : public testing::Test {
 protected:
  void End(std::size_t on, const std::vector<std::uint64_t>& serials, std::size_t segment) {
    Assignment assignment;
    assignment.accelerator = AcceleratorId{on};
    assignment.network = NetworkId{0};
    assignment.segment = SegmentId{segment};
    for (const std::uint64_t serial : serials) assignment.jobs.emplace_back(serial % 10);
    assignment.serials = serials;
    assignment.start = Instant{Duration{100}};
    log_.SegmentEnded(assignment, Instant{Duration{130}});
  }
  std::vector<Passage> Passages() const {
    std::vector<Passage> passages;
    for (const LoggedSegment& segment : log_.segments()) passages.push_back(segment.passage);
    return passages;
  }

  SegmentLog log_{SegmentLog::Keep::kSegments};
};

TEST_F(SegmentLogTest, TellsHowSegmentsCameToRunThere) {
  End(0, {1}, 0);
  End(0, {1}, 1);
  End(0, {2}, 0);
  End(0, {1}, 2);
  End(1, {1}, 3);
  End(0, {2}, 1);
  EXPECT_THAT(Passages(), ElementsAre(Passage::kTakesOver, Passage::kGoesOn, Passage::kTakesOver,
                                      Passage::kTakesOver, Passage::kMoves, Passage::kTakesOver));
  EXPECT_THAT(log_.passages(), ElementsAre(1, 4, 1));
  EXPECT_EQ(log_.segments()[4].from, AcceleratorId{0});
  EXPECT_EQ(log_.segments()[4].time, Duration{30});
}

TEST_F(SegmentLogTest, AnotherJobOfTheSlotIsAnotherJob) {
  End(0, {1}, 0);
  End(1, {11}, 0);
  EXPECT_THAT(Passages(), ElementsAre(Passage::kTakesOver, Passage::kTakesOver));
}

TEST_F(SegmentLogTest, BatchesMoveJobsButAreNotListed) {
  End(0, {1}, 0);
  End(1, {1, 2}, 1);
  End(1, {2}, 2);
  EXPECT_THAT(Passages(), ElementsAre(Passage::kTakesOver, Passage::kGoesOn));
}

}  // namespace
}  // namespace fairlead
