#include "fairlead/recording/why_many.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/recording/testing/replay_by_hand.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

WhyMany Many(const Recording& recording, const WhySelection& selection) {
  auto many = AccountForMany(recording, selection);
  EXPECT_TRUE(many.has_value()) << many.error().message;
  return many.value_or(WhyMany{});
}

// Of the run of two tenants, request 1 of b was late: see why_test.cc.
TEST(WhyMany, BlamesWhomTheyWaitedBehind) {
  const WhyMany many = Many(TwoTenants(), {});
  EXPECT_EQ(many.missed, 1);
  EXPECT_EQ(many.selected(), 1);
  EXPECT_EQ(many.accounts, 1U);
  EXPECT_EQ(many.total, Duration{9500});
  EXPECT_EQ(many.waited, Duration{6000});
  EXPECT_EQ(many.alone, Duration{3000});
  EXPECT_EQ(many.slowed, Duration{500});
  ASSERT_EQ(many.blockers.size(), 1U);
  EXPECT_EQ(many.blockers[0].tenant, "a");
  EXPECT_EQ(many.blockers[0].time, Duration{6000});
  ASSERT_EQ(many.losers.size(), 1U);
  EXPECT_EQ(many.losers[0].tenant, "b");
}

TEST(WhyMany, TellsTheSameOfOneAsWhyDoes) {
  const Recording recording = TwoTenants();
  const WhyMany many = Many(recording, {});
  ASSERT_EQ(many.worst.size(), 1U);
  const auto alone = AccountFor(recording, 1);
  ASSERT_TRUE(alone.has_value());
  EXPECT_EQ(ToText(many.worst[0]), ToText(*alone));
}

TEST(WhyMany, LooksAtWhatIsAskedAbout) {
  const Recording recording = TwoTenants();
  EXPECT_EQ(Many(recording, {.tenant = "a"}).selected(), 0);
  EXPECT_EQ(Many(recording, {.tenant = "b", .outcome = Outcome::kMiss}).selected(), 1);
  EXPECT_EQ(Many(recording, {.outcome = Outcome::kDropped}).selected(), 0);
  EXPECT_TRUE(Many(recording, {.worst = 0}).worst.empty());
  EXPECT_FALSE(AccountForMany(recording, {.tenant = "nobody"}).has_value());
}

TEST(WhyMany, TellsInWords) {
  const std::string text = ToText(Many(TwoTenants(), {}));
  EXPECT_THAT(text, HasSubstr("1 finished late"));
  EXPECT_THAT(text, HasSubstr("waiting behind a's x                                  63.2 %"));
  EXPECT_THAT(text, HasSubstr("request 1, b's y. It missed its deadline by 4.500 us"));
}

}  // namespace
}  // namespace fairlead
