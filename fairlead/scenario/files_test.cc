#include "fairlead/scenario/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fairlead {
namespace {

using ::testing::HasSubstr;

TEST(ReadFileTest, ReadsTheWholeFile) {
  const std::string path = ::testing::TempDir() + "read_file_test";
  const std::string text(3'000'001, 'x');  // several chunks, and a part of one
  std::ofstream(path) << text;
  const auto read = ReadFile(path);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->size(), text.size());
  EXPECT_EQ(*read, text);
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_EQ(ReadFile(path).value(), "");
  std::filesystem::remove(path);
}

// Reading this file from its beginning fails: nothing is mapped there.
TEST(ReadFileTest, SaysWhenReadingFails) {
  const auto read = ReadFile("/proc/self/mem");
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message, HasSubstr("/proc/self/mem: cannot be read: Input/output"));
}

TEST(ReadFileTest, SaysWhatIsNoFile) {
  EXPECT_THAT(ReadFile("/").error().message, HasSubstr("is a directory"));
  EXPECT_THAT(ReadFile("/no/such/file").error().message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace fairlead
