#include "fairlead/profiling/partition_thread.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fairlead/profiling/testing/pretend_processor.h"

namespace fairlead {
namespace {

Duration NoTime(const PretendLayer&) { return Duration{1}; }

TEST(PartitionThread, EntersTheProcessorOnce) {
  PretendProcessor processor("p0", NoTime);
  const auto thread = PartitionThread::Start(processor).value();
  thread->Do([] {});
  EXPECT_EQ(processor.entered, 1);
}

TEST(PartitionThread, CarriesOutTasksWhereItEntered) {
  PretendProcessor processor("p0", NoTime);
  const auto thread = PartitionThread::Start(processor).value();
  std::thread::id where;
  thread->Do([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, processor.thread);
}

TEST(PartitionThread, IsNotThatOfItsMaker) {
  PretendProcessor processor("p0", NoTime);
  const auto thread = PartitionThread::Start(processor).value();
  EXPECT_NE(processor.thread, std::this_thread::get_id());
}

TEST(PartitionThread, SaysWhichProcessorCannotBeEntered) {
  PretendProcessor processor("p7", NoTime);
  processor.enter = Fail("core 9 is not there");
  EXPECT_EQ(PartitionThread::Start(processor).error().message, "p7: core 9 is not there");
}

TEST(PartitionThread, HandsOnWhatATaskThrows) {
  PretendProcessor processor("p0", NoTime);
  const auto thread = PartitionThread::Start(processor).value();
  EXPECT_THROW(thread->Do([] { throw std::runtime_error("out of order"); }), std::runtime_error);
}

TEST(PartitionThread, GoesOnAfterATaskThatThrew) {
  PretendProcessor processor("p0", NoTime);
  const auto thread = PartitionThread::Start(processor).value();
  EXPECT_ANY_THROW(thread->Do([] { throw std::runtime_error("out of order"); }));
  bool done = false;
  thread->Do([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(PartitionThread, FinishesItsTaskBeforeItGoes) {
  PretendProcessor processor("p0", NoTime);
  bool done = false;
  {
    const auto thread = PartitionThread::Start(processor).value();
    thread->Post([&] { done = true; });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace fairlead
