#include <gtest/gtest.h>

#include "fairlead/sharing/cbc/count_program.h"

namespace fairlead {
namespace {

TEST(WithoutCbcTest, SaysWhatIsMissing) {
  const auto solver = MakeCbcSolver(false, 1);
  ASSERT_FALSE(solver.has_value());
  EXPECT_EQ(solver.error().message,
            "this build cannot solve integer programs; build with -DFAIRLEAD_CBC=ON");
}

}  // namespace
}  // namespace fairlead
