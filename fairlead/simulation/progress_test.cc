#include "fairlead/simulation/progress.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant At(std::int64_t ns) { return AtNanoseconds(ns); }
constexpr Rate kHalf = kFullRate / 2;

TEST(TimeFor, IsTheLatencyAtFullRate) {
  EXPECT_EQ(TimeFor(WorkOf(Duration{100}), kFullRate), Duration{100});
}

TEST(TimeFor, IsLongerAtALowerRate) {
  EXPECT_EQ(TimeFor(WorkOf(Duration{100}), kHalf), Duration{200});
}

TEST(TimeFor, IsNothingForNoWork) { EXPECT_EQ(TimeFor(0, kHalf), Duration{0}); }

TEST(TimeFor, RoundsUpAtFullRate) {
  EXPECT_EQ(TimeFor(WorkOf(Duration{100}) + 1, kFullRate), Duration{101});
}

TEST(TimeFor, RoundsUpAtALowerRate) {
  EXPECT_EQ(TimeFor(WorkOf(Duration{100}) + 1, kHalf), Duration{201});
}

TEST(TimeFor, DoesNotRoundWhatIsWhole) {
  EXPECT_EQ(TimeFor(WorkOf(Duration{3}), 3), Duration{std::int64_t{1} << kRateBits});
}

TEST(TimeFor, TakesMoreThan64BitsOfWork) {
  // A day at half the rate.
  constexpr std::int64_t kDay = 86'400'000'000'000;
  EXPECT_EQ(TimeFor(WorkOf(Duration{kDay}), kHalf), Duration{2 * kDay});
}

TEST(TimeFor, AgreesOnBothSidesOf64Bits) {
  for (std::int64_t offset = -3; offset <= 3; ++offset) {
    const Work work = (Work{1} << 64) + static_cast<Work>(offset) - kHalf;
    const Work expected = (work + kHalf - 1) / kHalf;
    ASSERT_EQ(TimeFor(work, kHalf), Duration{static_cast<std::int64_t>(expected)});
  }
}

TEST(TimeFor, IsNeverBeyondTheTimeAxis) {
  EXPECT_EQ(TimeFor(WorkOf(kLongestDuration), 1), kLongestDuration);
}

// Timelines by hand. Demands and bandwidths are in bytes per second; a letter is a segment.

class Timeline {
 public:
  Timeline(Sharing sharing, std::int64_t bandwidth)
      : model_(MakeBandwidthSharing(sharing, bandwidth)), tracker_(*model_) {}

  Timeline& Start(char name, std::int64_t latency, std::int64_t demand) {
    tracker_.Add(IdOf(name), Demanding(demand), Duration{latency}, now_);
    tracker_.Update(now_);
    return *this;
  }
  Timeline& Resize(char name, std::int64_t latency, std::int64_t demand) {
    tracker_.Resize(IdOf(name), Demanding(demand), Duration{latency}, now_);
    tracker_.Update(now_);
    return *this;
  }
  Timeline& Cancel(char name) {
    tracker_.Remove(IdOf(name));
    tracker_.Update(now_);
    return *this;
  }
  // Lets time pass, completions included.
  Timeline& Until(std::int64_t ns) {
    while (tracker_.NextFinish() <= At(ns)) FinishNext();
    now_ = At(ns);
    return *this;
  }
  // All completions to the end: "a 100".
  std::vector<std::string> Finishes() {
    while (tracker_.NextFinish() != kNever) FinishNext();
    return finishes_;
  }

 private:
  static AssignmentId IdOf(char name) { return {static_cast<std::uint32_t>(name), 0}; }
  static RunningSegment Demanding(std::int64_t demand) {
    return {.demand = static_cast<Demand>(demand) << kDemandBits};
  }
  void FinishNext() {
    now_ = tracker_.NextFinish();
    const auto finishing = tracker_.Finishing();
    const std::vector<ProgressTracker::Completion> done(finishing.begin(), finishing.end());
    for (const auto& completion : done) {
      finishes_.push_back(
          fmt::format("{} {}", static_cast<char>(completion.id.slot), Nanoseconds(now_)));
      tracker_.Remove(completion.id);
    }
    tracker_.Update(now_);
  }

  std::unique_ptr<InterferenceModel> model_;
  ProgressTracker tracker_;
  Instant now_{};
  std::vector<std::string> finishes_;
};

TEST(Progress, NeverFinishesNothing) {
  EXPECT_THAT(Timeline(Sharing::kProportional, 10).Finishes(), IsEmpty());
}

TEST(Progress, TakesItsLatencyAlone) {
  EXPECT_THAT(Timeline(Sharing::kProportional, 10).Until(7).Start('a', 100, 10).Finishes(),
              ElementsAre("a 107"));
}

TEST(Progress, MayTakeNoTime) {
  EXPECT_THAT(Timeline(Sharing::kProportional, 10).Until(7).Start('a', 0, 0).Finishes(),
              ElementsAre("a 7"));
}

TEST(Progress, SlowsWhenAnotherStarts) {
  // a has 50 left at 50, and takes 100 for it; b has 50 left at 150, then alone.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10)
                  .Start('a', 100, 10)
                  .Until(50)
                  .Start('b', 100, 10)
                  .Finishes(),
              ElementsAre("a 150", "b 200"));
}

TEST(Progress, SpeedsUpWhenAnotherIsGone) {
  // Half speed until 40, so a has 80 left.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10)
                  .Start('a', 100, 10)
                  .Start('b', 100, 10)
                  .Until(40)
                  .Cancel('b')
                  .Finishes(),
              ElementsAre("a 120"));
}

TEST(Progress, SlowsSegmentsWithoutTrafficUnderProportional) {
  // b finishes at 100, having slowed a to a half since 0; a then has 50 left.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10).Start('a', 100, 0).Start('b', 50, 20).Finishes(),
              ElementsAre("b 100", "a 150"));
}

TEST(Progress, SparesSegmentsWithoutTrafficUnderMaxMin) {
  EXPECT_THAT(Timeline(Sharing::kMaxMin, 10).Start('a', 100, 0).Start('b', 50, 20).Finishes(),
              ElementsAre("a 100", "b 100"));
}

TEST(Progress, FillsWater) {
  // Of 10: a gets its 2, b its 4, c 4 of 8. At 100 c has 50 left and is alone.
  EXPECT_THAT(Timeline(Sharing::kMaxMin, 10)
                  .Start('a', 100, 2)
                  .Start('b', 100, 4)
                  .Start('c', 100, 8)
                  .Finishes(),
              ElementsAre("a 100", "b 100", "c 150"));
}

TEST(Progress, IsNotSlowedWithoutContention) {
  EXPECT_THAT(Timeline(Sharing::kNone, 10).Start('a', 100, 90).Start('b', 70, 90).Finishes(),
              ElementsAre("b 70", "a 100"));
}

TEST(Progress, ListsEqualFinishesInOrderOfStarting) {
  EXPECT_THAT(Timeline(Sharing::kNone, 0)
                  .Start('z', 100, 0)
                  .Start('y', 50, 0)
                  .Until(20)
                  .Start('b', 80, 0)
                  .Start('a', 80, 0)
                  .Finishes(),
              ElementsAre("y 50", "z 100", "b 100", "a 100"));
}

TEST(Progress, RoundsUpToWholeNanoseconds) {
  // Three quarters of full speed: 100 / 0.75 = 133.3
  EXPECT_THAT(Timeline(Sharing::kProportional, 12).Start('a', 100, 16).Finishes(),
              ElementsAre("a 134"));
}

TEST(Progress, DoesNotRoundWhatIsWholeInTheory) {
  // A third of full speed is no whole number of units of rate.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10).Start('a', 100, 30).Finishes(),
              ElementsAre("a 300"));
}

TEST(Progress, KeepsFractionsWhenItSettles) {
  // At 1 each has 99.25 left. At three eighths until 3: 98.5. Alone again: 98.5 / 0.75 = 131.3.
  // Were the work rounded at each change, a would finish later.
  EXPECT_THAT(Timeline(Sharing::kProportional, 12)
                  .Start('a', 100, 16)
                  .Until(1)
                  .Start('b', 100, 16)
                  .Until(3)
                  .Cancel('b')
                  .Finishes(),
              ElementsAre("a 135"));
}

TEST(Progress, ResizeKeepsTheShareOfWork) {
  // 60 of 100 are left; so 30 of 50.
  EXPECT_THAT(
      Timeline(Sharing::kNone, 0).Start('a', 100, 0).Until(40).Resize('a', 50, 0).Finishes(),
      ElementsAre("a 70"));
}

TEST(Progress, ResizeCountsProgressUnderContention) {
  // At 40 half speed has left 80 of 100; of 200 that is 160, at half speed until b ends at 200,
  // when 80 are left.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10)
                  .Start('a', 100, 10)
                  .Start('b', 100, 10)
                  .Until(40)
                  .Resize('a', 200, 10)
                  .Finishes(),
              ElementsAre("b 200", "a 280"));
}

TEST(Progress, ResizeChangesTheDemand) {
  // From 40 on a wants nothing: b, with 80 left, runs alone, and so does a with 80 of 100.
  EXPECT_THAT(Timeline(Sharing::kProportional, 10)
                  .Start('a', 100, 10)
                  .Start('b', 100, 10)
                  .Until(40)
                  .Resize('a', 50, 0)
                  .Finishes(),
              ElementsAre("a 80", "b 120"));
}

TEST(Progress, ResizeRoundsTheWorkLeftUp) {
  // A third of 100 ns is no whole number of units of work.
  EXPECT_THAT(Timeline(Sharing::kNone, 0).Start('a', 3, 0).Until(2).Resize('a', 100, 0).Finishes(),
              ElementsAre("a 36"));
}

TEST(Progress, ResizeToTheSameChangesNothing) {
  EXPECT_THAT(
      Timeline(Sharing::kNone, 0).Start('a', 100, 0).Until(33).Resize('a', 100, 0).Finishes(),
      ElementsAre("a 100"));
}

TEST(Progress, ResizeTakesVeryLongLatencies) {
  constexpr std::int64_t kLong = std::int64_t{1} << 60;
  EXPECT_THAT(Timeline(Sharing::kNone, 0)
                  .Start('a', kLong, 0)
                  .Until(kLong / 2)
                  .Resize('a', 2 * kLong, 0)
                  .Finishes(),
              ElementsAre(fmt::format("a {}", kLong / 2 + kLong)));
}

TEST(Progress, KnowsWhetherAnythingRuns) {
  const auto model = MakeBandwidthSharing(Sharing::kNone, 0);
  ProgressTracker tracker(*model);
  EXPECT_TRUE(tracker.empty());
  tracker.Add({1, 0}, {}, Duration{5}, At(0));
  EXPECT_FALSE(tracker.empty());
}

TEST(ProgressDeathTest, RemovingWhatDoesNotRunIsABug) {
  const auto model = MakeBandwidthSharing(Sharing::kNone, 0);
  ProgressTracker tracker(*model);
  EXPECT_DEATH(tracker.Remove({1, 0}), "no such running segment");
}

}  // namespace
}  // namespace fairlead
