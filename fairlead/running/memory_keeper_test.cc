#include "fairlead/running/memory_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "fairlead/execution/testing/manual_clock.h"

namespace fairlead {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20;

class MemoryKeeperTest : public testing::Test {
 protected:
  MemoryKeeperSetup KeeperSetup() {
    return {.clock = &clock_,
            .resident = [this]() -> std::optional<std::uint64_t> {
              ++looks_;
              return resident_;
            },
            .quiet = [this] { return quiet_.load(); },
            .give_back =
                [this] {
                  ++given_back_;
                  resident_ = left_.load();
                },
            .interval = std::chrono::seconds{1},
            .much = 10 * kMegabyte};
  }
  // Lets time pass until the keeper has looked once more, or several times.
  void Look() {
    const int before = looks_;
    while (looks_ == before) {
      clock_.Advance(std::chrono::seconds{1});
      std::this_thread::yield();
    }
  }

  ManualClock clock_;
  std::atomic<std::uint64_t> resident_ = 100 * kMegabyte;
  std::atomic<std::uint64_t> left_ = 102 * kMegabyte;  // once something was given back
  std::atomic<bool> quiet_ = true;
  std::atomic<int> looks_ = 0;
  std::atomic<int> given_back_ = 0;
};

TEST_F(MemoryKeeperTest, GivesBackWhatABurstLeft) {
  const auto keeper = std::make_unique<MemoryKeeper>(KeeperSetup());
  resident_ = 111 * kMegabyte;
  Look();
  while (given_back_ == 0) std::this_thread::yield();
  while (looks_ < 3) std::this_thread::yield();  // what is left counts from now on
  resident_ = 111 * kMegabyte;
  Look();
  Look();  // the one before has ended
  EXPECT_EQ(given_back_, 1);
  resident_ = 112 * kMegabyte;
  Look();
  while (given_back_ == 1) std::this_thread::yield();
}

TEST_F(MemoryKeeperTest, LeavesAloneWhatIsNotMuch) {
  const auto keeper = std::make_unique<MemoryKeeper>(KeeperSetup());
  resident_ = 109 * kMegabyte;
  for (int i = 0; i < 3; ++i) Look();
  EXPECT_EQ(given_back_, 0);
}

TEST_F(MemoryKeeperTest, WaitsForAQuietMoment) {
  quiet_ = false;
  const auto keeper = std::make_unique<MemoryKeeper>(KeeperSetup());
  resident_ = 200 * kMegabyte;
  for (int i = 0; i < 3; ++i) Look();
  EXPECT_EQ(given_back_, 0);
  quiet_ = true;
  Look();
  while (given_back_ == 0) std::this_thread::yield();
}

// A network was unloaded: growing again counts from there.
TEST_F(MemoryKeeperTest, FollowsMemoryThatShrinks) {
  const auto keeper = std::make_unique<MemoryKeeper>(KeeperSetup());
  resident_ = 50 * kMegabyte;
  Look();
  Look();
  resident_ = 61 * kMegabyte;
  Look();
  while (given_back_ == 0) std::this_thread::yield();
}

TEST(ResidentBytes, SeesPagesThatAreTouched) {
  const auto before = ResidentBytes();
  ASSERT_TRUE(before.has_value());
  const std::vector<char> pages(64 * kMegabyte, 'x');
  EXPECT_GT(*ResidentBytes(), *before + 32 * kMegabyte);
  EXPECT_EQ(pages.back(), 'x');
}

}  // namespace
}  // namespace fairlead
