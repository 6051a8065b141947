#include "fairlead/interference/segment_slowdowns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::ElementsAre;

constexpr AcceleratorId kFirst{std::size_t{0}};
constexpr AcceleratorId kSecond{std::size_t{1}};
constexpr NetworkId kSmall{std::size_t{0}};
constexpr NetworkId kLarge{std::size_t{1}};
constexpr SegmentId kWhole{std::size_t{0}};

// Two networks of one segment that move 2 and 6 bytes in a microsecond, on two accelerators, over
// 4 MB/s: beside each other both take twice as long.
std::shared_ptr<const SegmentSlowdowns> Slowdowns(SlowdownModel model) {
  std::vector<LayerSequence> sequences;
  for (const double bytes : {2, 6}) {
    const std::vector<OccupantSizes> layer = {{.us = 1, .in_bytes = bytes}};
    for (int partition = 0; partition < 2; ++partition) sequences.emplace_back(layer, 1, 0);
  }
  return std::make_shared<SegmentSlowdowns>(std::make_shared<SlowdownModel>(std::move(model)),
                                            std::vector<std::size_t>{0, 1},
                                            std::vector<std::size_t>{0, 1}, std::move(sequences));
}

TEST(SegmentSlowdowns, AreThoseOfTheModel) {
  const auto slowdowns = Slowdowns(SlowdownModel::SharedBandwidth(4e6));
  const std::vector<PlacedOccupant> others = {{kSecond, kLarge, kWhole}};
  EXPECT_DOUBLE_EQ(slowdowns->Of({kFirst, kSmall, kWhole}, others), 2);
  EXPECT_DOUBLE_EQ(slowdowns->Of({kFirst, kSmall, kWhole}, {}), 1);
  // Alone it wants 6 of 4.
  EXPECT_DOUBLE_EQ(slowdowns->Of({kFirst, kLarge, kWhole}, {}), 1.5);
}

TEST(SegmentSlowdowns, MakeAWorldThatObeysThem) {
  const auto model = MakeSlowdownInterference(Slowdowns(SlowdownModel::SharedBandwidth(4e6)));
  std::vector<RunningSegment> running = {
      {.accelerator = kSecond, .network = kLarge, .segment = kWhole},
      {.accelerator = kFirst, .network = kSmall, .segment = kWhole}};
  std::vector<Rate> rates(2);
  for (int again = 0; again < 2; ++again) {
    model->Rates(running, rates);
    EXPECT_THAT(rates, ElementsAre(kFullRate / 2, kFullRate / 2));
  }
  running.pop_back();
  rates.pop_back();
  model->Rates(running, rates);
  EXPECT_NEAR(static_cast<double>(rates[0]) / kFullRate, 1 / 1.5, 1e-9);
}

TEST(SegmentSlowdowns, LeaveDecisionsAndCapsAlone) {
  const auto model = MakeSlowdownInterference(Slowdowns(SlowdownModel::Constant(2)));
  const std::vector<RunningSegment> running = {
      {.accelerator = kFirst},  // a decision
      {.accelerator = kSecond, .network = kLarge, .segment = kWhole, .demand = 8, .cap = 2}};
  std::vector<Rate> rates(2);
  model->Rates(running, rates);
  EXPECT_THAT(rates, ElementsAre(kFullRate, kFullRate / 4));
}

}  // namespace
}  // namespace fairlead
