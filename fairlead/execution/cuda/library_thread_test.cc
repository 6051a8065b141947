// Needs no GPU.
#include "fairlead/execution/cuda/library_thread.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace fairlead {
namespace {

TEST(LibraryThread, DoesAllWorkOnOneThreadOfItsOwn) {
  LibraryThread library;
  std::set<std::thread::id> seen;
  for (int i = 0; i < 3; ++i) library.Do([&] { seen.insert(std::this_thread::get_id()); });
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST(LibraryThread, ThrowsWhatTheWorkThrows) {
  LibraryThread library;
  EXPECT_THROW(library.Do([] { throw std::out_of_range("beyond"); }), std::out_of_range);
}

TEST(LibraryThread, GoesOnAfterWorkThatThrew) {
  LibraryThread library;
  EXPECT_THROW(library.Do([] { throw std::runtime_error("failed"); }), std::runtime_error);
  bool done = false;
  library.Do([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(LibraryThread, DoesTheWorkOfSeveralOneAfterTheOther) {
  LibraryThread library;
  int sum = 0;  // unguarded on purpose
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 500; ++k) library.Do([&] { ++sum; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 2000);
}

}  // namespace
}  // namespace fairlead
