#include "fairlead/serving/reused_queue.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(ReusedQueueTest, FirstInFirstOut) {
  ReusedQueue<int> queue;
  EXPECT_TRUE(queue.empty());
  int in = 0;
  int out = 0;
  for (int round = 1; round < 40; ++round) {
    for (int i = 0; i < round; ++i) queue.Push(in++);
    for (int i = 0; i < round - round % 2; ++i) ASSERT_EQ(queue.Pop(), out++);
  }
  while (!queue.empty()) ASSERT_EQ(queue.Pop(), out++);
  EXPECT_EQ(out, in);
}

TEST(ReusedQueueTest, DoesNotGrowThoughItIsNeverEmpty) {
  ReusedQueue<int> queue;
  queue.Push(0);
  for (int i = 1; i < 10'000; ++i) {
    queue.Push(i);
    ASSERT_EQ(queue.Pop(), i - 1);
  }
  EXPECT_LE(queue.capacity(), 256U);
}

}  // namespace
}  // namespace fairlead
