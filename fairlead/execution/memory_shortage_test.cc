#include "fairlead/execution/memory_shortage.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>

namespace fairlead {
namespace {

// What operator new calls where it has nothing.
void HaveNone() { std::get_new_handler()(); }

class MemoryShortage : public testing::Test {
 protected:
  MemoryShortage() : before_(std::get_new_handler()) { OutliveMemoryShortages(); }
  ~MemoryShortage() override { std::set_new_handler(before_); }

 private:
  const std::new_handler before_;
};

TEST_F(MemoryShortage, RefusesWhatMayBeRefused) {
  const RefusableWork refusable;
  EXPECT_THROW(HaveNone(), std::bad_alloc);
  EXPECT_FALSE(WaitForMemory(1));
}

TEST_F(MemoryShortage, DoesNotWaitForWhatNeverComes) { EXPECT_FALSE(WaitForMemory(1ULL << 40)); }

TEST_F(MemoryShortage, WaitsWithTheRest) {
  EXPECT_NO_THROW(HaveNone());
  const RefusableWork refusable;
  {
    const RefusableWork whole(false);
    EXPECT_NO_THROW(HaveNone());
  }
  EXPECT_THROW(HaveNone(), std::bad_alloc);
}

TEST_F(MemoryShortage, IsEachThreadsOwn) {
  const RefusableWork refusable;
  std::thread([] { EXPECT_NO_THROW(HaveNone()); }).join();
}

}  // namespace
}  // namespace fairlead
