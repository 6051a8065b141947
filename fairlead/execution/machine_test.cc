#include "fairlead/execution/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParseCores, ReadsRangesAndSingles) {
  EXPECT_THAT(ParseCores("0-2,8").value(), ElementsAre(0, 1, 2, 8));
}

TEST(ParseCores, PutsThemInOrder) {
  EXPECT_THAT(ParseCores("5,1-2").value(), ElementsAre(1, 2, 5));
}

TEST(ParseCores, RefusesWords) {
  EXPECT_EQ(ParseCores("0,x").error().message, "'x' is no core; expected a list such as 0-3,8");
}

TEST(ParseCores, RefusesNothing) {
  EXPECT_EQ(ParseCores("").error().message, "'' is no core; expected a list such as 0-3,8");
}

TEST(ParseCores, RefusesRangesBackwards) {
  EXPECT_EQ(ParseCores("3-1").error().message, "'3-1' ends before it begins");
}

TEST(ParseCores, RefusesACoreTwice) {
  EXPECT_EQ(ParseCores("0-3,2").error().message, "core 2 stands twice");
}

TEST(ParseCores, RefusesCoresThatNoMachineHas) {
  EXPECT_EQ(ParseCores("0-99999999").error().message,
            "'99999999' is no core; expected a list such as 0-3,8");
}

TEST(FormatCores, WritesWhatParseCoresReads) {
  for (const char* text : {"0", "0-1", "0-3,8", "1,3,5-7"})
    EXPECT_EQ(FormatCores(ParseCores(text).value()), text);
}

// A folder like the kernel's, with four cores: the first two share 8 MiB, the others have 1 MiB
// each.
class Caches : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) / fmt::format("fairlead_caches_{}", getpid());
    for (int core = 0; core < 4; ++core) {
      Write(core, 0, "1", "Data", "32K", std::to_string(core));
      Write(core, 1, "1", "Instruction", "32K", std::to_string(core));
      Write(core, 2, "2", "Unified", "1M", std::to_string(core));
      if (core < 2) Write(core, 3, "3", "Unified", "8192K", "0-1");
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(int core, int index, const char* level, const char* type, const char* size,
             const std::string& cores) {
    const auto folder =
        folder_ / fmt::format("cpu{}", core) / "cache" / fmt::format("index{}", index);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "size") << size << "\n";
    std::ofstream(folder / "shared_cpu_list") << cores << "\n";
  }

  std::filesystem::path folder_;
};

TEST_F(Caches, TheLastLevelHasTheHighestNumber) {
  EXPECT_EQ(LastLevelCache(0, folder_).bytes, 8 << 20);
  EXPECT_EQ(LastLevelCache(2, folder_).bytes, 1 << 20);
}

TEST_F(Caches, TheLastLevelKnowsWhoSharesIt) {
  EXPECT_THAT(LastLevelCache(1, folder_).cores, ElementsAre(0, 1));
}

TEST_F(Caches, ACoreThatIsNotThereHasNone) {
  EXPECT_EQ(LastLevelCache(9, folder_).bytes, 0);
  EXPECT_THAT(LastLevelCache(9, folder_).cores, IsEmpty());
}

TEST_F(Caches, AreDividedAmongThoseWhoUseThem) {
  const std::vector<int> groups[] = {{0}, {1}, {2, 3}};
  EXPECT_THAT(CacheShares(groups, folder_), ElementsAre(4 << 20, 4 << 20, 2 << 20));
}

TEST_F(Caches, AreNotDividedWithIdleCores) {
  const std::vector<int> groups[] = {{0}, {2}};
  EXPECT_THAT(CacheShares(groups, folder_), ElementsAre(8 << 20, 1 << 20));
}

}  // namespace
}  // namespace fairlead
