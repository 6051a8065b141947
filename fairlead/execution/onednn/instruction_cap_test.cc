#include "fairlead/execution/onednn/instruction_cap.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(InstructionCap, PermitsWhatIsNotBeyondIt) {
  EXPECT_TRUE(Permits(InstructionCap::kAvx2, "jit:avx2"));
  EXPECT_TRUE(Permits(InstructionCap::kAvx2, "jit_dw:avx"));
  EXPECT_TRUE(Permits(InstructionCap::kAvx2, "simple_nchw:any"));
}

TEST(InstructionCap, RefusesWhatIsBeyondIt) {
  EXPECT_FALSE(Permits(InstructionCap::kAvx2, "brgconv:avx512_core"));
  EXPECT_FALSE(Permits(InstructionCap::kSse41, "jit:avx2"));
}

TEST(InstructionCap, RefusesWhatChoosesByItself) {
  EXPECT_FALSE(Permits(InstructionCap::kAvx512, "x64:gemm:jit"));
  EXPECT_TRUE(Permits(InstructionCap::kNone, "x64:gemm:jit"));
}

TEST(InstructionCap, IsFoundByItsName) {
  EXPECT_EQ(FindInstructionCap("avx2"), InstructionCap::kAvx2);
  EXPECT_EQ(FindInstructionCap(Name(InstructionCap::kAvx512)), InstructionCap::kAvx512);
  EXPECT_EQ(FindInstructionCap("mmx"), std::nullopt);
}

}  // namespace
}  // namespace fairlead
