#include <gtest/gtest.h>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

// The values of the test suite that its authors publish (test_fnv.c).
TEST(StableHash, IsFnv1aOfNothing) { EXPECT_EQ(StableHash(""), 0xcbf29ce484222325ULL); }

TEST(StableHash, IsFnv1aOfALetter) { EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cULL); }

TEST(StableHash, IsFnv1aOfAWord) { EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8ULL); }

TEST(StableHash, TakesEachByteAsAPositiveNumber) {
  EXPECT_EQ(StableHash("\xff"), (0xcbf29ce484222325ULL ^ 0xff) * 0x100000001b3ULL);
}

}  // namespace
}  // namespace fairlead
