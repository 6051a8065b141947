#include "fairlead/report/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "fairlead/report/testing/sample_run.h"
#include "fairlead/report/testing/trace_events.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

std::string TraceOf(std::vector<TimedInput> timeline) {
  std::ostringstream out;
  TraceWriter writer(out);
  TestRun run({.timeline = std::move(timeline), .listener = &writer});
  writer.Open(run.state());
  run.Run();
  writer.Close();
  return std::move(out).str();
}
std::string TraceOfTheRun() { return TraceOf({}); }

// Slices of one track that overlap, in any trace.
int Overlaps(const std::string& trace) {
  std::map<std::int64_t, std::vector<TraceEvent>> tracks;
  for (const TraceEvent& slice : EventsOf(trace, "X")) tracks[slice.tid].push_back(slice);
  int overlaps = 0;
  for (auto& [track, slices] : tracks) {
    std::ranges::sort(slices, {}, &TraceEvent::ts);
    for (std::size_t i = 1; i < slices.size(); ++i) {
      if (slices[i].ts < slices[i - 1].ts + slices[i - 1].dur - 1e-6) ++overlaps;
    }
  }
  return overlaps;
}

// With all that goes into the engine.
std::string TraceWithInputs(std::vector<TimedInput> timeline, const TraceWindow& window = {}) {
  std::ostringstream out;
  TraceWriter writer(out, window);
  TestRun run({.timeline = std::move(timeline), .listener = &writer, .recorder = &writer});
  writer.Open(run.state());
  run.Run();
  writer.Close();
  return std::move(out).str();
}

TEST(TraceWriter, CountsWhatIsThereAndRuns) {
  std::vector<std::string> counts;
  for (const TraceEvent& event : EventsOf(TraceWithInputs({}), "C")) {
    if (event.name == "requests here")
      counts.push_back(std::to_string(static_cast<int>(event.ts)) + event.args);
  }
  EXPECT_EQ(counts, (std::vector<std::string>{R"(0{"requests":1})", R"(1{"requests":2})",
                                              R"(15{"requests":1})", R"(25{"requests":0})",
                                              R"(100{"requests":1})", R"(115{"requests":0})"}));
}

TEST(TraceWriter, SaysWhatTheMemoryIsAskedFor) {
  const std::vector<TraceEvent> counters = EventsOf(TraceWithInputs({}), "C");
  const auto first = std::ranges::find(counters, "memory asked for", &TraceEvent::name);
  ASSERT_NE(first, counters.end());
  EXPECT_EQ(first->args, R"({"GB/s":0.1})");  // 1000 bytes in 10 us
}

TEST(TraceWriter, MarksAcceleratorsThatLeaveAndReturn) {
  const std::string trace =
      TraceWithInputs({{AtNanoseconds(40'000), AcceleratorLoss{AcceleratorId{1}}},
                       {AtNanoseconds(50'000), AcceleratorReturn{AcceleratorId{1}}}});
  std::vector<std::string> marks;
  for (const TraceEvent& event : EventsOf(trace, "i"))
    marks.push_back(std::to_string(static_cast<int>(event.ts)) + " " + event.name);
  EXPECT_EQ(marks, (std::vector<std::string>{"40 back leaves", "50 back returns"}));
}

TEST(TraceWriter, LeavesOutWhatLiesOutsideItsWindow) {
  const TraceWindow window{.from = AtNanoseconds(90'000), .to = AtNanoseconds(105'000)};
  const std::string trace = TraceWithInputs({}, window);
  EXPECT_EQ(EventsOf(trace, "X").size(), 1U);  // the second begins after it
  EXPECT_EQ(EventsOf(trace, "b").size(), 1U);
  for (const TraceEvent& counter : EventsOf(trace, "C")) EXPECT_GE(counter.ts, 90);
}

TEST(TraceWriter, NamesATrackForEachAccelerator) {
  std::vector<std::string> names;
  for (const TraceEvent& event : EventsOf(TraceOfTheRun(), "M")) {
    if (event.name == "thread_name") names.push_back(event.args);
  }
  EXPECT_EQ(names, (std::vector<std::string>{R"({"name":"front"})", R"({"name":"back"})"}));
}

TEST(TraceWriter, WritesASliceForEachSegment) {
  EXPECT_EQ(EventsOf(TraceOfTheRun(), "X").size(), 6u);
}

TEST(TraceWriter, WritesSlicesInFull) {
  const std::string expected = SameJson(
      R"({"ph":"X","cat":"segment","pid":1,"tid":2,"ts":20.0,"dur":5.0,"name":"net/fc",
          "args":{"request":1,"tenant":"bob","segment":1,"units":1}})");
  const std::vector<TraceEvent> slices = EventsOf(TraceOfTheRun(), "X");
  EXPECT_NE(std::ranges::find(slices, expected, &TraceEvent::text), slices.end());
}

TEST(TraceWriter, WritesASliceForEachHandOverInsideTheSegments) {
  HandOverCosts hand_overs(2);
  hand_overs.SetMove(KindId{0}, KindId{1}, {.fixed = Duration{4'000}});
  std::ostringstream out;
  TraceWriter writer(out);
  TestRun run({.listener = &writer, .hand_overs = hand_overs});
  writer.Open(run.state());
  run.Run();
  writer.Close();
  const std::string expected = SameJson(
      R"({"ph":"X","cat":"hand_over","pid":1,"tid":2,"ts":10.0,"dur":4.0,"name":"move",
          "args":{"moved_bytes":0,"move_us":4.0,"take_over_us":0.0}})");
  const std::vector<TraceEvent> slices = EventsOf(out.str(), "X");
  EXPECT_EQ(slices.size(), 6u + 3u);
  EXPECT_NE(std::ranges::find(slices, expected, &TraceEvent::text), slices.end());
}

TEST(TraceWriter, SlicesOfAnAcceleratorDoNotOverlap) { EXPECT_EQ(Overlaps(TraceOfTheRun()), 0); }

TEST(TraceWriter, AFlowBeginsOnceForEachRequest) {
  std::vector<std::int64_t> ids;
  for (const TraceEvent& event : EventsOf(TraceOfTheRun(), "s")) ids.push_back(event.id);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(TraceWriter, AFlowEndsOnceForEachRequest) {
  std::vector<std::int64_t> ids;
  for (const TraceEvent& event : EventsOf(TraceOfTheRun(), "f")) ids.push_back(event.id);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(TraceWriter, FlowsEndInTheSliceTheyMean) {
  const std::string expected = SameJson(
      R"({"ph":"f","cat":"flow","name":"request","id":1,"pid":1,"tid":2,"ts":20.0,"bp":"e"})");
  EXPECT_EQ(EventsOf(TraceOfTheRun(), "f")[1].text, expected);
}

TEST(TraceWriter, WritesABarForEachRequest) {
  const std::string expected = SameJson(
      R"({"ph":"b","cat":"request","id":1,"pid":2,"tid":2,"name":"bob/net","ts":1.0,
          "args":{"request":1,"deadline_us":20.0,"outcome":"miss","reason":"none"}})");
  EXPECT_EQ(EventsOf(TraceOfTheRun(), "b")[1].text, expected);
}

TEST(TraceWriter, EndsTheBarsOfRequests) { EXPECT_EQ(EventsOf(TraceOfTheRun(), "e")[1].ts, 25.0); }

// The accelerator "front" is away from 4 to 6 us: conv of request 0 is done twice.
std::string TraceOfALoss() {
  return TraceOf({{AtNanoseconds(4'000), AcceleratorLoss{AcceleratorId{0}}},
                  {AtNanoseconds(6'000), AcceleratorReturn{AcceleratorId{0}}}});
}

TEST(TraceWriter, EveryFlowEventStandsWhereASliceBegins) {
  // Only a request that goes back to an accelerator has a step between its first and its last.
  const std::string trace = TraceOfALoss();
  const std::vector<TraceEvent> slices = EventsOf(trace, "X");
  for (const char* phase : {"s", "t", "f"}) {
    const std::vector<TraceEvent> events = EventsOf(trace, phase);
    EXPECT_FALSE(events.empty()) << phase;
    for (const TraceEvent& event : events) {
      EXPECT_TRUE(std::ranges::any_of(slices, [&event](const TraceEvent& slice) {
        return slice.tid == event.tid && slice.ts == event.ts && slice.request == event.id;
      })) << event.text;
    }
  }
}

TEST(TraceWriter, ShowsWhatWasAborted) {
  EXPECT_EQ(EventsOf(TraceOfALoss(), "X").front().dur, 4.0);
}

TEST(TraceWriter, LinksWhatWasAborted) { EXPECT_EQ(EventsOf(TraceOfALoss(), "t").front().ts, 6.0); }

// A request that its client gives up while its first segment runs.
TEST(TraceWriter, ShowsWhatStillRunsOfADroppedRequest) {
  const std::string trace = TraceOf({{AtNanoseconds(4'000), Cancellation{{JobId{0}, 1}}}});
  EXPECT_EQ(EventsOf(trace, "X").front().dur, 10.0);
}

TEST(TraceWriter, EndsTheBarOfADroppedRequestWhenItIsDropped) {
  const std::string trace = TraceOf({{AtNanoseconds(4'000), Cancellation{{JobId{0}, 1}}}});
  EXPECT_EQ(EventsOf(trace, "e").front().ts, 4.0);
}

// An accelerator of three units, driven by hand.
class TraceByHand : public testing::Test {
 protected:
  TraceByHand() {
    platform_.AddKind("gpu", 1, 3);
    networks_.push_back(NetworkGraph::Chain("a \"b\"", 4));
    state_.platform = &platform_;
    state_.networks = networks_;
    costs_.emplace(networks_, platform_);
    state_.beliefs = &*costs_;
    state_.tenants = {{.name = "\xff"}};
    state_.accelerators.push_back({.kind = KindId{0}, .units = 3, .free_units = 3});
    state_.jobs.push_back({.serial = 1,
                           .request = 42,
                           .tenant = TenantId{0},
                           .network = NetworkId{0},
                           .segments_taken = 3,
                           .active = true});
    writer_.Open(state_);
  }
  void Start(std::uint32_t slot, std::int64_t at) {
    if (state_.assignments.size() <= slot) state_.assignments.resize(slot + 1);
    const AssignmentId id{slot, ++generation_};
    state_.assignments[slot] = {.id = id,
                                .accelerator = AcceleratorId{0},
                                .network = NetworkId{0},
                                .segment = SegmentId{slot},
                                .jobs = {JobId{0}},
                                .start = AtNanoseconds(at)};
    state_.accelerators[0].running.push_back(id);
  }
  void End(std::uint32_t slot, std::int64_t at) {
    std::erase(state_.accelerators[0].running, state_.assignments[slot].id);
    writer_.SegmentEnded(state_.assignments[slot], AtNanoseconds(at));
  }
  std::string Trace() {
    writer_.Close();
    return out_.str();
  }
  static std::size_t Tracks(const std::string& trace) {
    std::map<std::int64_t, int> slices;
    for (const TraceEvent& slice : EventsOf(trace, "X")) ++slices[slice.tid];
    return slices.size();
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> costs_;
  SystemState state_;
  std::ostringstream out_;
  TraceWriter writer_{out_};
  std::uint32_t generation_ = 0;
};

TEST_F(TraceByHand, EscapesNames) {
  Start(1, 0);
  End(1, 5);
  EXPECT_EQ(EventsOf(Trace(), "X").front().name, "a \"b\"/1");
}

TEST_F(TraceByHand, ShowsWhatTheGuardDoes) {
  writer_.GuardActed(GuardStrike{StrikeCause::kSlowDecision}, AtNanoseconds(5000));
  writer_.GuardActed(GuardFallback{"a \"b\""}, AtNanoseconds(5000));
  writer_.GuardActed(GuardReturn{"edf-h"}, AtNanoseconds(9000));
  const std::vector<TraceEvent> acts = EventsOf(Trace(), "i");
  ASSERT_EQ(acts.size(), 3U);
  EXPECT_EQ(acts[0].name, "strike: slow-decision");
  EXPECT_EQ(acts[1].name, "a \"b\" takes over");
  EXPECT_EQ(acts[2].name, "edf-h is back");
  EXPECT_EQ(acts[2].ts, 9.0);
}

TEST_F(TraceByHand, ReplacesWhatIsNotUtf8) {
  Start(1, 0);
  End(1, 5);
  EXPECT_THAT(EventsOf(Trace(), "X").front().args, HasSubstr("\"tenant\":\"\xef\xbf\xbd\""));
}

TEST_F(TraceByHand, KeepsNanoseconds) {
  Start(0, 1'234'567'890'123);
  End(0, 1'234'567'890'124);
  EXPECT_NE(Trace().find("\"ts\":1234567890.123,\"dur\":0.001,"), std::string::npos);
}

TEST_F(TraceByHand, NamesTheRequestsOfABatch) {
  Start(0, 0);
  state_.jobs.push_back({.serial = 2, .request = 43, .tenant = TenantId{0}, .active = true});
  state_.assignments[0].jobs.push_back(JobId{1});
  End(0, 5);
  EXPECT_THAT(EventsOf(Trace(), "X").front().args, HasSubstr("\"batch\":[42,43]"));
}

// What outlasts two others that take turns must not need a third lane.
void RunSideBySide(const std::function<void(std::uint32_t, std::int64_t)>& start,
                   const std::function<void(std::uint32_t, std::int64_t)>& end) {
  start(0, 0);
  start(1, 4);
  end(0, 5);
  start(2, 5);
  end(1, 6);
  start(1, 6);
  end(1, 8);
  end(2, 20);
}

TEST_F(TraceByHand, SegmentsSideBySideDoNotOverlap) {
  RunSideBySide([this](auto slot, auto at) { Start(slot, at); },
                [this](auto slot, auto at) { End(slot, at); });
  EXPECT_EQ(Overlaps(Trace()), 0);
}

TEST_F(TraceByHand, SegmentsSideBySideTakeNoMoreLanesThanNeeded) {
  RunSideBySide([this](auto slot, auto at) { Start(slot, at); },
                [this](auto slot, auto at) { End(slot, at); });
  EXPECT_EQ(Tracks(Trace()), 2u);
}

TEST_F(TraceByHand, WhatIsLostTogetherDoesNotOverlap) {
  Start(0, 0);
  Start(1, 2);
  Start(2, 3);
  state_.accelerators[0].running.clear();
  for (std::uint32_t slot : {0, 1, 2}) End(slot, 10);
  EXPECT_EQ(Overlaps(Trace()), 0);
}

TEST_F(TraceByHand, FlowsFollowTheOrderOfStarts) {
  Start(0, 0);
  Start(1, 2);
  End(1, 4);
  End(0, 10);
  EXPECT_EQ(EventsOf(Trace(), "s").front().ts, 0.0);
}

TEST_F(TraceByHand, OneSegmentMakesNoFlow) {
  Start(0, 0);
  End(0, 10);
  EXPECT_TRUE(EventsOf(Trace(), "s").empty());
}

TEST_F(TraceByHand, LongTracesAreWrittenAsTheyGrow) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    Start(0, 10 * i);
    End(0, 10 * i + 10);
  }
  EXPECT_GT(out_.str().size(), 100'000u);
}

TEST_F(TraceByHand, LongTracesAreWhole) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    Start(0, 10 * i);
    End(0, 10 * i + 10);
  }
  EXPECT_EQ(EventsOf(Trace(), "X").size(), 1000u);
}

TEST(TraceOfNothing, IsValid) {
  std::ostringstream out;
  {
    const Platform platform;
    SystemState state;
    state.platform = &platform;
    TraceWriter writer(out);
    writer.Open(state);
  }
  EXPECT_EQ(CountEvents(out.str()), 2u);
}

}  // namespace
}  // namespace fairlead
