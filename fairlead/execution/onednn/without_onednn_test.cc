#include <gtest/gtest.h>

#include "fairlead/execution/onednn/cpu_partition.h"

namespace fairlead {
namespace {

TEST(WithoutOneDnn, PartitionsAreRefusedWithTheOptionThatIsMissing) {
  EXPECT_EQ(MakeCpuPartition({.name = "p0", .cores = {0}}).error().message,
            "partition 'p0': this build cannot run networks; build with -DFAIRLEAD_ONEDNN=ON");
}

}  // namespace
}  // namespace fairlead
