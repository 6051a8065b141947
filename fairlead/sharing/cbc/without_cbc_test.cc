#include <gtest/gtest.h>

#include "fairlead/sharing/cbc/themis.h"

namespace fairlead {
namespace {

TEST(WithoutCbcTest, SaysWhatIsMissing) {
  const auto market = Market::Make({{"a", 1}}, {{.kind = 0, .count = 1}});
  ASSERT_TRUE(market.has_value());
  const auto themis = MakeThemis(*market, {});
  ASSERT_FALSE(themis.has_value());
  EXPECT_EQ(themis.error().message,
            "themis: this build cannot solve integer programs; build with -DFAIRLEAD_CBC=ON");
}

}  // namespace
}  // namespace fairlead
