#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/learning/learned_policy.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kRefresh{10};
constexpr std::size_t kColumns = kSegmentFeatures + kIndicatorFeatures;

// Remembers which jobs it was last asked about; each answer is the next whole number.
class CountingActor final : public DecisionActor {
 public:
  explicit CountingActor(std::vector<std::uint64_t>& asked) : asked_(asked) {}
  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    for (const ReadySegment& segment : features.segments) asked_.push_back(segment.serial);
    EXPECT_EQ(features.rows.size(), features.size() * features.width);
    for (std::size_t row = 0; row < features.size(); ++row)
      std::ranges::fill(actions.subspan(row * kActionsPerRow, kActionsPerRow), ++answers_);
  }

 private:
  std::vector<std::uint64_t>& asked_;
  float answers_ = 0;
};

class RememberedAnswersTest : public ::testing::Test {
 protected:
  // Rows of these jobs, in this order; whom the network was asked about.
  std::vector<std::uint64_t> Asked(std::int64_t now, const std::vector<std::uint64_t>& serials) {
    DecisionFeatures features{.now = AtNanoseconds(now), .costs_version = costs_version_};
    features.width = kColumns;
    for (const std::uint64_t serial : serials) {
      features.segments.push_back({.job = JobId{0}, .segment = segment_, .serial = serial});
      features.rows.resize(features.rows.size() + kColumns, indicator_);
      features.kinds.emplace_back();
      features.covered.push_back(true);
    }
    asked_.clear();
    actions_.resize(serials.size() * kActionsPerRow);
    actor_->Act(features, actions_);
    return asked_;
  }
  std::vector<float> Priorities() const {
    std::vector<float> priorities;
    for (std::size_t at = 0; at < actions_.size(); at += kActionsPerRow)
      priorities.push_back(actions_[at]);
    return priorities;
  }

  SegmentId segment_{std::size_t{0}};
  float indicator_ = 0;
  std::uint64_t costs_version_ = 1;
  std::vector<std::uint64_t> asked_;
  std::vector<float> actions_;
  std::unique_ptr<DecisionActor> actor_ =
      RememberAnswers(std::make_unique<CountingActor>(asked_), kRefresh, 8);
};

TEST_F(RememberedAnswersTest, AsksAboutWhatIsNewAlone) {
  EXPECT_THAT(Asked(0, {7, 5}), ElementsAre(7, 5));
  EXPECT_THAT(Asked(5, {9, 7, 5, 8}), ElementsAre(9, 8));
}

TEST_F(RememberedAnswersTest, GivesEachRowItsOwnAnswer) {
  Asked(0, {7, 5});
  Asked(5, {9, 5, 7});
  EXPECT_THAT(Priorities(), ElementsAre(3, 2, 1));
}

TEST_F(RememberedAnswersTest, AsksNobodyWhereAllIsKnown) {
  Asked(0, {7, 5});
  EXPECT_THAT(Asked(5, {5}), IsEmpty());
}

TEST_F(RememberedAnswersTest, AsksAgainAboutWhatIsTooOld) {
  Asked(0, {7});
  Asked(4, {7, 5});
  EXPECT_THAT(Asked(10, {7, 5}), IsEmpty());
  EXPECT_THAT(Asked(11, {7, 5}), ElementsAre(7));
}

TEST_F(RememberedAnswersTest, AsksAgainWhenAnIndicatorHasChanged) {
  Asked(0, {7});
  indicator_ = 0.5F;
  EXPECT_THAT(Asked(1, {7}), ElementsAre(7));
}

TEST_F(RememberedAnswersTest, AsksAgainWhenBeliefsHaveChanged) {
  Asked(0, {7});
  ++costs_version_;
  EXPECT_THAT(Asked(1, {7}), ElementsAre(7));
}

TEST_F(RememberedAnswersTest, TellsSegmentsOfAJobApart) {
  Asked(0, {7});
  segment_ = SegmentId{std::size_t{1}};
  EXPECT_THAT(Asked(1, {7}), ElementsAre(7));
}

}  // namespace
}  // namespace fairlead
