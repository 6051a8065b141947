#include "fairlead/serving/inbox.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "fairlead/execution/testing/manual_clock.h"
#include "fairlead/serving/clock.h"

namespace fairlead {
namespace {

Message Finish(std::uint32_t slot) { return {SegmentFinish{{slot, 1}}}; }

std::vector<std::uint32_t> Slots(const std::vector<Message>& batch) {
  std::vector<std::uint32_t> slots;
  slots.reserve(batch.size());
  for (const Message& message : batch)
    slots.push_back(std::get<SegmentFinish>(message.input).assignment.slot);
  return slots;
}

TEST(Inbox, HandsOutEverythingInTheOrderOfItsComing) {
  const ManualClock clock;
  Inbox inbox;
  for (std::uint32_t slot : {3U, 1U, 2U}) EXPECT_FALSE(inbox.Put(Finish(slot)).has_value());
  EXPECT_FALSE(inbox.empty());
  std::vector<Message> batch = {Finish(9)};
  inbox.Wait(clock, kNever);
  inbox.Take(batch);
  EXPECT_EQ(Slots(batch), (std::vector<std::uint32_t>{3, 1, 2}));
  EXPECT_TRUE(inbox.empty());
}

TEST(Inbox, DoesNotWaitBeyondTheInstant) {
  const RealClock clock;
  Inbox inbox;
  const Instant at = clock.Now() + std::chrono::milliseconds(2);
  inbox.Wait(clock, at);
  EXPECT_GE(clock.Now(), at);
}

TEST(Inbox, AWakeUpIsNotLost) {
  const ManualClock clock;
  Inbox inbox;
  inbox.Wake();
  inbox.Wait(clock, kNever);
  EXPECT_TRUE(inbox.empty());
}

TEST(Inbox, AQuietMessageWakesNobody) {
  const RealClock clock;
  Inbox inbox;
  EXPECT_FALSE(inbox.PutQuietly(Finish(7)).has_value());
  const Instant at = clock.Now() + std::chrono::milliseconds(2);
  inbox.Wait(clock, at);
  EXPECT_GE(clock.Now(), at);
  std::vector<Message> batch;
  inbox.Take(batch);
  EXPECT_EQ(Slots(batch), std::vector<std::uint32_t>{7});
}

TEST(Inbox, RefusesOnceItIsClosed) {
  Inbox inbox;
  EXPECT_FALSE(inbox.Put(Finish(5)).has_value());
  std::vector<Message> batch;
  inbox.Close(batch);
  EXPECT_EQ(Slots(batch), std::vector<std::uint32_t>{5});
  EXPECT_TRUE(inbox.Put(Finish(6)).has_value());
  EXPECT_TRUE(inbox.PutQuietly(Finish(6)).has_value());
  EXPECT_TRUE(inbox.empty());
}

TEST(Inbox, ManyThreadsPutAndNothingIsLostOrReordered) {
  constexpr std::uint32_t kThreads = 3;
  constexpr std::uint32_t kEach = 200;
  const RealClock clock;
  Inbox inbox;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&inbox, t] {
      for (std::uint32_t i = 0; i < kEach; ++i)
        EXPECT_FALSE(inbox.Put(Finish(t * kEach + i)).has_value());
    });
  }
  std::vector<std::uint32_t> next(kThreads, 0);  // of each thread
  std::vector<Message> batch;
  for (std::uint32_t taken = 0; taken < kThreads * kEach;) {
    inbox.Wait(clock, kNever);
    inbox.Take(batch);
    for (std::uint32_t slot : Slots(batch)) EXPECT_EQ(slot % kEach, next[slot / kEach]++);
    taken += static_cast<std::uint32_t>(batch.size());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(inbox.empty());
}

}  // namespace
}  // namespace fairlead
