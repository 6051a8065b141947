#include "fairlead/running/worker_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace fairlead {
namespace {

TEST(WorkOnThreads, AllDoTheWork) {
  std::atomic<int> done = 0;
  WorkOnThreads(3, [&] { ++done; });
  EXPECT_EQ(done, 3);
  WorkOnThreads(0, [&] { ++done; });
  EXPECT_EQ(done, 4);
}

TEST(WorkOnThreads, WhatOneThrowsIsThrownWhenAllHaveEnded) {
  std::atomic<int> done = 0;
  EXPECT_THROW(WorkOnThreads(4,
                             [&] {
                               if (++done == 2) throw std::bad_alloc();
                             }),
               std::bad_alloc);
  EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace fairlead
