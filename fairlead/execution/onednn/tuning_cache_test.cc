#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fairlead/execution/onednn/tuner.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

class TuningCaches : public testing::Test {  // NOLINT: GoogleTest makes and deletes it
 protected:
  TuningCaches() { std::filesystem::remove_all(folder_); }
  ~TuningCaches() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ =
      fmt::format("{}/fairlead_cache_test_{}", testing::TempDir(), getpid());
};

TEST_F(TuningCaches, FindWhatWasSaved) {
  TuningCache first(folder_);
  first.Put("a key", "12 34");
  ASSERT_TRUE(first.Save().has_value());
  EXPECT_THAT(TuningCache(folder_).Find("a key"), Optional(std::string("12 34")));
}

TEST_F(TuningCaches, KeepWhatOthersSavedMeanwhile) {
  TuningCache first(folder_);
  TuningCache second(folder_);
  first.Put("a", "1");
  second.Put("b", "2");
  ASSERT_TRUE(first.Save().has_value());
  ASSERT_TRUE(second.Save().has_value());
  EXPECT_THAT(TuningCache(folder_).Find("a"), Optional(std::string("1")));
}

TEST_F(TuningCaches, WriteTheSameFileWhateverCameFirst) {
  TuningCache cache(folder_);
  for (const char* key : {"b", "c", "a"}) cache.Put(key, "1");
  ASSERT_TRUE(cache.Save().has_value());
  std::ostringstream text;
  text << std::ifstream(cache.file()).rdbuf();
  EXPECT_EQ(text.str(), "fairlead-tunings 2\na\t1\nb\t1\nc\t1\n");
}

TEST_F(TuningCaches, DoNotWriteWithoutAFolder) {
  TuningCache cache("");
  cache.Put("a", "1");
  EXPECT_TRUE(cache.Save().has_value());
  EXPECT_EQ(cache.file(), "");
}

TEST_F(TuningCaches, SayWhereTheyCannotWrite) {
  std::ofstream(folder_) << "a file where the folder should be";
  TuningCache cache(folder_);
  cache.Put("a", "1");
  const Status saved = cache.Save();
  ASSERT_FALSE(saved.has_value());
  EXPECT_THAT(saved.error().message, testing::HasSubstr(folder_));
}

TEST(ParseTunings, SkipsLinesThatItCannotRead) {
  EXPECT_THAT(ParseTunings("fairlead-tunings 2\na\t1\nno tab\n\tno key\nb\t2"),
              ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(ParseTunings, KnowsOnlyItsOwnVersion) {
  EXPECT_TRUE(ParseTunings("fairlead-tunings 3\na\t1\n").empty());
}

}  // namespace
}  // namespace fairlead
