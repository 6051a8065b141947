#include "fairlead/running/network_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fairlead {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class NetworkSourceTest : public testing::Test {
 protected:
  NetworkSourceTest() {
    folder_ =
        fs::path(testing::TempDir()) /
        ("source-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~NetworkSourceTest() override { fs::remove_all(folder_); }

  void Put(const std::string& path) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << "bytes";
  }
  std::string Find(const std::string& network) {
    const auto file = NetworkFileIn(folder_.string(), network);
    return file.has_value() ? fs::relative(*file, folder_).string() : "none";
  }

  fs::path folder_;
};

TEST_F(NetworkSourceTest, FindsFilesOfBothKinds) {
  Put("plain.onnx");
  Put("as-triton/1/model.onnx");
  Put("as-triton/12/model.onnx");
  Put("as-triton/9/model.onnx");
  Put("as-triton/config.pbtxt");
  EXPECT_EQ(Find("plain"), "plain.onnx");
  EXPECT_EQ(Find("as-triton"), "as-triton/12/model.onnx");
  EXPECT_THAT(NetworkNamesIn(folder_.string()), ElementsAre("as-triton", "plain"));
}

TEST_F(NetworkSourceTest, IgnoresWhatIsNoNetwork) {
  Put("text.txt");
  Put("empty/readme");
  Put("other/1/model.pt");
  Put("named/first/model.onnx");
  EXPECT_THAT(NetworkNamesIn(folder_.string()), ElementsAre());
  EXPECT_THAT(NetworkNamesIn((folder_ / "nowhere").string()), ElementsAre());
  EXPECT_THAT(NetworkNamesIn(""), ElementsAre());
}

TEST_F(NetworkSourceTest, NamesDoNotLeadOutOfTheFolder) {
  Put("inside/in.onnx");
  Put("outside.onnx");
  const std::string inside = (folder_ / "inside").string();
  for (const char* const name : {"../outside", "..", ".", "", "/etc/passwd", "a/b", "x\n"})
    EXPECT_FALSE(NetworkFileIn(inside, name).has_value()) << name;
}

}  // namespace
}  // namespace fairlead
