#include "fairlead/policies/ready_queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Step = ReadyQueue::Step;

QueuedSegment Entry(std::int64_t key, std::uint64_t serial = 0, std::size_t segment = 0) {
  return {.key = key, .serial = serial, .segment = SegmentId{segment}, .job = JobId{serial}};
}

ReadyQueue Queue(const std::vector<std::int64_t>& keys) {
  ReadyQueue queue;
  for (std::int64_t key : keys) queue.Push(Entry(key));
  return queue;
}

// The keys that a walk sees; `step` decides about each.
template <typename Decide>
std::vector<std::int64_t> Walked(ReadyQueue& queue, Decide step) {
  std::vector<std::int64_t> keys;
  queue.Walk([&](const QueuedSegment& entry) {
    keys.push_back(entry.key);
    return step(entry);
  });
  return keys;
}

std::vector<std::int64_t> Keys(ReadyQueue& queue) {
  return Walked(queue, [](const QueuedSegment&) { return Step::kKeep; });
}

TEST(ReadyQueue, ShowsSmallKeysFirst) {
  ReadyQueue queue = Queue({5, 3, 9, -1});
  EXPECT_THAT(Keys(queue), ElementsAre(-1, 3, 5, 9));
}

TEST(ReadyQueue, BreaksTiesByArrivalThenSegment) {
  ReadyQueue queue;
  queue.Push(Entry(1, 8, 0));
  queue.Push(Entry(1, 7, 5));
  queue.Push(Entry(1, 7, 2));
  queue.Push(Entry(0, 9, 9));
  std::vector<std::string> seen;
  queue.Walk([&](const QueuedSegment& entry) {
    seen.push_back(fmt::format("{} {} {}", entry.key, entry.serial, entry.segment.value));
    return Step::kKeep;
  });
  EXPECT_THAT(seen, ElementsAre("0 9 9", "1 7 2", "1 7 5", "1 8 0"));
}

TEST(ReadyQueue, IsEmptyAtFirst) {
  ReadyQueue queue;
  EXPECT_THAT(Keys(queue), IsEmpty());
}

TEST(ReadyQueue, KeepsWhatAWalkKeeps) {
  ReadyQueue queue = Queue({1, 2, 3});
  Keys(queue);
  EXPECT_EQ(queue.size(), 3);
}

TEST(ReadyQueue, RemovesWhatAWalkRemoves) {
  ReadyQueue queue = Queue({1, 2, 3, 4});
  Walked(queue, [](const QueuedSegment& entry) {
    return entry.key % 2 == 0 ? Step::kRemove : Step::kKeep;
  });
  EXPECT_THAT(Keys(queue), ElementsAre(1, 3));
}

TEST(ReadyQueue, StopsAndKeeps) {
  ReadyQueue queue = Queue({1, 2, 3});
  EXPECT_THAT(Walked(queue, [](const QueuedSegment&) { return Step::kKeepAndStop; }),
              ElementsAre(1));
  EXPECT_THAT(Keys(queue), ElementsAre(1, 2, 3));
}

TEST(ReadyQueue, StopsAndRemoves) {
  ReadyQueue queue = Queue({1, 2, 3});
  EXPECT_THAT(Walked(queue, [](const QueuedSegment&) { return Step::kRemoveAndStop; }),
              ElementsAre(1));
  EXPECT_THAT(Keys(queue), ElementsAre(2, 3));
}

TEST(ReadyQueue, PutsALaterPushInItsPlace) {
  ReadyQueue queue = Queue({1, 4});
  Keys(queue);
  queue.Push(Entry(3));
  EXPECT_THAT(Keys(queue), ElementsAre(1, 3, 4));
}

TEST(ReadyQueue, PutsAnEarlierPushFirstAfterTheFrontIsGone) {
  ReadyQueue queue = Queue({1, 5, 6});
  Walked(queue, [](const QueuedSegment&) { return Step::kRemoveAndStop; });
  queue.Push(Entry(4));
  EXPECT_THAT(Keys(queue), ElementsAre(4, 5, 6));
}

TEST(ReadyQueue, HoldsMoreThanItsFront) {
  ReadyQueue queue;
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    queue.Push(Entry(999 - i));
    expected.push_back(i);
  }
  EXPECT_EQ(Keys(queue), expected);
}

TEST(ReadyQueue, ForgetsEverythingWhenCleared) {
  ReadyQueue queue = Queue({1, 2, 3});
  queue.Clear();
  EXPECT_EQ(queue.size(), 0);
}

TEST(ReadyQueue, SweepsOutWhatIsGone) {
  ReadyQueue queue;
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 500; ++i) {
    queue.Push(Entry(i));
    if (i % 3 != 0) expected.push_back(i);
  }
  queue.Sweep([](const QueuedSegment& entry) { return entry.key % 3 == 0; });
  EXPECT_EQ(queue.size(), expected.size());
  EXPECT_EQ(Keys(queue), expected);
}

TEST(ReadyQueue, KeepsWholeRuns) {
  ReadyQueue queue = Queue({1, 2, 3, 4, 5, 6});
  Keys(queue);  // all stand in the front now
  ReadyQueue::Cursor cursor;
  queue.Keep(cursor);
  ReadyQueue::Remove(cursor);
  const auto run = queue.From(cursor);
  ASSERT_EQ(run.size(), 4U);
  EXPECT_EQ(run.front().key, 3);
  queue.Keep(cursor, 3);
  ReadyQueue::Remove(cursor);
  EXPECT_TRUE(queue.From(cursor).empty());
  queue.Close(cursor);
  EXPECT_THAT(Keys(queue), ElementsAre(1, 3, 4, 5));
}

// Against a set, under random pushes, walks and sweeps.

using Oracle = std::set<QueuedSegment>;

// Both are walked with the same decisions; sees whether they show the same.
bool SameWalk(ReadyQueue& queue, Oracle& oracle, RandomStream& random) {
  const std::uint64_t removed_of_100 = random.Below(101);
  const std::uint64_t stop_of_1000 = random.Below(3) == 0 ? 0 : random.Below(200);
  bool same = true;
  bool stopped = false;
  auto expected = oracle.begin();
  queue.Walk([&](const QueuedSegment& entry) {
    const bool equal = expected != oracle.end() && !(entry < *expected) && !(*expected < entry) &&
                       entry.job == expected->job;
    same = same && equal;
    if (!same) return Step::kKeepAndStop;
    const bool remove = random.Below(100) < removed_of_100;
    stopped = random.Below(1000) < stop_of_1000;
    expected = remove ? oracle.erase(expected) : std::next(expected);
    if (stopped) return remove ? Step::kRemoveAndStop : Step::kKeepAndStop;
    return remove ? Step::kRemove : Step::kKeep;
  });
  return same && (stopped || expected == oracle.end());
}

TEST(ReadyQueue, PutsWhatIsNotCoveredBehindEverything) {
  ReadyQueue queue;
  QueuedSegment uncovered = Entry(1);
  uncovered.covered = false;
  queue.Push(uncovered);
  for (std::int64_t key : {3, 2}) queue.Push(Entry(key));
  EXPECT_THAT(Keys(queue), ElementsAre(2, 3, 1));
}

TEST(ReadyQueue, AgreesWithASet) {
  for (std::uint64_t world = 0; world < 300; ++world) {
    RandomStream random(world, "ready queue");
    ReadyQueue queue;
    Oracle oracle;
    std::uint64_t serial = 0;
    const std::uint64_t keys = 1 + random.Below(1'000);  // few: many ties
    for (int round = 0; round < 30; ++round) {
      for (std::uint64_t i = random.Below(random.Below(2) == 0 ? 4 : 150); i > 0; --i) {
        // Serials fall and rise, as segments of old jobs become ready late.
        QueuedSegment entry = Entry(static_cast<std::int64_t>(random.Below(keys)),
                                    random.Below(++serial), random.Below(50));
        entry.covered = random.Below(4) > 0;
        if (oracle.insert(entry).second) queue.Push(entry);
      }
      ASSERT_TRUE(SameWalk(queue, oracle, random)) << "world " << world << ", round " << round;
      ASSERT_EQ(queue.size(), oracle.size()) << "world " << world << ", round " << round;
      if (random.Below(8) != 0) continue;
      const auto gone = [](const QueuedSegment& entry) { return entry.key % 3 == 0; };
      queue.Sweep(gone);
      std::erase_if(oracle, gone);
    }
  }
}

std::vector<std::int64_t> Keys(ReadyQueues& queues, const std::set<std::size_t>& open, Step step) {
  std::vector<std::int64_t> keys;
  queues.Walk([&](std::size_t queue) { return open.contains(queue); },
              [&](const QueuedSegment& entry) {
                keys.push_back(entry.key);
                return step;
              });
  return keys;
}

TEST(ReadyQueues, AreWalkedAsOne) {
  ReadyQueues queues(3);
  for (std::int64_t key : {5, 1, 4, 2, 6, 3})
    queues.Push(static_cast<std::size_t>(key % 3), Entry(key));
  EXPECT_THAT(Keys(queues, {0, 1, 2}, Step::kKeep), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Keys(queues, {0, 1, 2}, Step::kRemoveAndStop), ElementsAre(1));
  EXPECT_THAT(Keys(queues, {0, 1, 2}, Step::kKeep), ElementsAre(2, 3, 4, 5, 6));
}

TEST(ReadyQueues, PassOverThoseThatAreClosed) {
  ReadyQueues queues(3);
  for (std::int64_t key : {5, 1, 4, 2, 6, 3})
    queues.Push(static_cast<std::size_t>(key % 3), Entry(key));
  EXPECT_THAT(Keys(queues, {0, 2}, Step::kRemove), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(Keys(queues, {0, 1, 2}, Step::kKeep), ElementsAre(1, 4));
}

TEST(ReadyQueues, CloseWhileTheyAreWalked) {
  ReadyQueues queues(2);
  for (std::int64_t key : {0, 1, 2, 3}) queues.Push(static_cast<std::size_t>(key % 2), Entry(key));
  std::vector<std::int64_t> keys;
  queues.Walk([&](std::size_t queue) { return queue == 0 || keys.size() < 2; },
              [&](const QueuedSegment& entry) {
                keys.push_back(entry.key);
                return Step::kKeep;
              });
  EXPECT_THAT(keys, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace fairlead
