#include "fairlead/serving/grpc/frame_count.h"

#include <gtest/gtest.h>

#include <string>

namespace fairlead::grpc_room {
namespace {

constexpr unsigned char kHeaders = 1, kReset = 3, kPing = 6, kContinuation = 9;

std::string Frame(unsigned char type, std::size_t size, unsigned char flags = 0) {
  std::string frame(9 + size, '\0');
  frame[0] = static_cast<char>(size >> 16);
  frame[1] = static_cast<char>(size >> 8);
  frame[2] = static_cast<char>(size);
  frame[3] = static_cast<char>(type);
  frame[4] = static_cast<char>(flags);
  return frame;
}

const std::string kPreface(24, 'P');

TEST(FrameCount, CountsStreamsAndWhatIsInVain) {
  FrameCount frames;
  const FramesSeen seen =
      frames.Take(kPreface + Frame(kHeaders, 40) + Frame(kReset, 4) + Frame(kHeaders, 9) +
                  Frame(0, 100) + Frame(0, 0) + Frame(0, 0, 1) + Frame(kPing, 8));
  EXPECT_EQ(seen.opened, 2);
  EXPECT_EQ(seen.in_vain, 3);  // a reset, data without any, a ping
  EXPECT_FALSE(seen.endless);
}

TEST(FrameCount, DoesNotMindHowBytesCome) {
  FrameCount frames;
  std::string all = kPreface;
  for (int i = 0; i < 10; ++i) all += Frame(kHeaders, 30) + Frame(0, 1000) + Frame(kReset, 4);
  int opened = 0;
  int in_vain = 0;
  for (const char& byte : all) {
    const FramesSeen seen = frames.Take({&byte, 1});
    opened += seen.opened;
    in_vain += seen.in_vain;
  }
  EXPECT_EQ(opened, 10);
  EXPECT_EQ(in_vain, 10);
}

TEST(FrameCount, SeesAHeaderThatDoesNotEnd) {
  FrameCount frames;
  EXPECT_FALSE(frames.Take(kPreface + Frame(kHeaders, 16000)).endless);
  EXPECT_FALSE(frames.Take(Frame(kContinuation, 16000) + Frame(kContinuation, 16000)).endless);
  EXPECT_TRUE(frames.Take(Frame(kContinuation, 16000) + Frame(kContinuation, 16000)).endless);
}

TEST(FrameCount, SeesAHeaderInOneFrameThatIsTooLong) {
  FrameCount frames;
  EXPECT_TRUE(frames.Take(kPreface + Frame(kHeaders, 100000).substr(0, 9)).endless);
}

}  // namespace
}  // namespace fairlead::grpc_room
