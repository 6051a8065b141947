#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fairlead/recording/testing/sample_recording.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {
namespace {

using testing::HasSubstr;

TEST(Recording, KeepsTheHead) {
  const auto recording = ReadRecording("f.rec", Written());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const RecordingHeader expected = Header();
  const RecordingHeader& header = recording->header();
  EXPECT_EQ(header.version, FAIRLEAD_VERSION);
  EXPECT_EQ(header.scenario, expected.scenario);
  EXPECT_EQ(header.seed, expected.seed);
  EXPECT_EQ(header.policy, expected.policy);
  EXPECT_EQ(header.policy_name, expected.policy_name);
  EXPECT_EQ(header.engine.period, expected.engine.period);
  EXPECT_EQ(header.engine.late, expected.engine.late);
  EXPECT_EQ(header.engine.measured_from, expected.engine.measured_from);
  EXPECT_EQ(header.engine.wrong_plan, expected.engine.wrong_plan);
  EXPECT_EQ(header.engine.failure_limit, expected.engine.failure_limit);
  EXPECT_EQ(header.extras, expected.extras);
}

TEST(Recording, KeepsTheWorld) {
  const auto recording = ReadRecording("f.rec", Written());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const RecordedSample expected;
  const RecordedWorld& world = recording->world();
  EXPECT_EQ(world.platform.bandwidth, expected.platform.bandwidth);
  ASSERT_EQ(world.platform.accelerators.size(), 3U);
  EXPECT_EQ(world.platform.accelerators[1].name, "simba.1");
  EXPECT_EQ(world.platform.UnitsOf(AcceleratorId{2}), 8);
  ASSERT_EQ(world.networks.size(), 2U);
  EXPECT_EQ(world.networks[1].SegmentName(SegmentId{3}), "join");
  EXPECT_EQ(world.networks[1].Predecessors(SegmentId{3}).size(), 2U);
  EXPECT_EQ(world.beliefs.Find(NetworkId{0}, SegmentId{1}, KindId{1}, {5, 2})->energy_pj, 9);
  EXPECT_EQ(world.beliefs.Alone(NetworkId{0}, SegmentId{0}, KindId{1}), nullptr);
  EXPECT_EQ(world.beliefs.Switching(KindId{1}).dram_bytes, 1024);
  EXPECT_EQ(world.beliefs.hand_overs(), expected.beliefs.hand_overs());
  EXPECT_EQ(world.beliefs.AliveBytes(NetworkId{0}, SegmentId{0}), 4096);
  EXPECT_EQ(world.beliefs.FastestTotal(NetworkId{1}), Duration{1600});
  EXPECT_EQ(world.tenants[0].name, "alice \"A\"");
  EXPECT_EQ(world.tenants[0].weight, 2.5);
  EXPECT_EQ(world.agreements[0].target, 0.9);
  EXPECT_EQ(world.agreements[0].max_misses, 2);
  EXPECT_FALSE(world.agreements[1].target.has_value());
  EXPECT_FALSE(world.agreements[0].contract.has_value());
  EXPECT_EQ(world.agreements[1].contract, (Contract{.rate = 20'000'000, .burst = 40}));
}

// Whatever a profile may hold can be replayed: whole networks of layers that take days.
TEST(Recording, LatenciesMayBeAsLongAsTheTimeAxis) {
  std::string text = Written();
  const std::string before = "\"costs\":[[0,0,0,1,1,1000,";
  const std::size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, before.size(), "\"costs\":[[0,0,0,1,1,4000000000000000000,");
  const auto recording = ReadRecording("f.rec", text);
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  EXPECT_EQ(recording->world().beliefs.Alone(NetworkId{0}, SegmentId{0}, KindId{0})->latency,
            Duration{4'000'000'000'000'000'000});
}

// Recordings from before there were any.
TEST(Recording, WithoutHandOversTheyCostNothing) {
  std::string text = Written();
  const std::size_t begin = text.find(",\"hand_overs\":");
  ASSERT_NE(begin, std::string::npos);
  text.erase(begin, text.find("]]}", begin) + 3 - begin);
  const auto recording = ReadRecording("f.rec", text, CutOff::kAccept);
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  EXPECT_TRUE(recording->world().beliefs.hand_overs().None());
}

TEST(Recording, WritesBackWhatItRead) {
  const std::string text = Written();
  const auto again = Rewritten(text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, text);
}

TEST(Recording, IsReadableText) {
  EXPECT_THAT(Written(), HasSubstr("\n@ 50\n"
                                   "a 18446744073709551615 1 40 1000000 -3\n"
                                   "cancel 0 1\n"
                                   "expire\n"
                                   "f 7 3\n"
                                   "fail 8 4\n"
                                   "lose 2\n"
                                   "return 2\n"
                                   "join {\"name\":\"new\\nline\",\"weight\":0.1}\n"
                                   "leave 0\n"
                                   "agree {\"tenant\":2,"));
  EXPECT_THAT(Written(),
              HasSubstr("\nunload 0\n"
                        "load 0\n"
                        "network {\"name\":\"new \\\"net\\\"\",\"segments\":[{\"costs\":["));
  EXPECT_THAT(Written(), HasSubstr("}],\"alive_bytes\":0}]}\n"
                                   "believe 0 1 1 4 2 501\n"
                                   "policy \"sjf:\\\"x\\\"\"\n"
                                   "guard {\"policy\":\"edf-share\",\"decision\":1000000,"
                                   "\"idle\":10000000,\"strikes\":3,\"within\":10000000000,"
                                   "\"clock\":\"real\"}\n"
                                   "strike slow-decision\n"
                                   "fallback \"edf-share\"\n"
                                   "back \"sjf:\\\"x\\\"\"\n"
                                   "reserve 1 12\n"
                                   "release 1\n"
                                   "?\n"
                                   "> 0 1 0 0 5\n"
                                   "> 2 0 4 1000 3 1\n"
                                   ">> 1 3 1 0 2\n"
                                   ">> 2 0 0 0 3 1\n"
                                   ">resize 4 9 2\n"
                                   ">drop 6 hopeless\n"
                                   ">reject 7 overload\n"
                                   ">wake 99\n"
                                   ">sacrifice 0\n"
                                   ">restore 0\n"
                                   "@ 60\n"
                                   "!\n"
                                   "?\n"
                                   "!\n"
                                   ". 2\n"));
}

// What had no contract is written as it was before there were any.
TEST(Recording, NamesPeriodsFloorsAndContractsOnlyWhereThereAre) {
  EXPECT_THAT(Written(), HasSubstr("\"price\":0.1,\"penalty\":3.0},"));
  EXPECT_THAT(Written(),
              HasSubstr("\"period\":3600000000000,\"period_kind\":\"sliding\",\"contract\":{"));
  EXPECT_THAT(Written(), HasSubstr("\"floor\":0.25,\"contract\":{\"per_million_seconds\":20000000,"
                                   "\"burst\":40,\"over\":\"serve\"}}]"));
}

TEST(Recording, NoticesEveryCut) {
  const std::string text = Written();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(Rewritten(text.substr(0, length)).has_value()) << "after " << length;
}

// The plan that was cut may have gone on: its decision is left out.
TEST(Recording, AcceptsACutWhenAsked) {
  const std::string text = Written();
  const std::string cut = text.substr(0, text.find("\n>drop") + 5);
  EXPECT_THAT(Rewritten(cut).error().message, HasSubstr("cut off"));
  const auto rest = Rewritten(cut, CutOff::kAccept);
  ASSERT_TRUE(rest.has_value()) << rest.error().message;
  EXPECT_EQ(*rest, text.substr(0, text.find("\n?") + 1) + ". 0\n");
}

// The sample has every input and every verb, so that what is added is written and read in a test.
TEST(Recording, TheSampleHasEverything) {
  std::set<std::size_t> inputs;
  for (const Input& input : AllInputs()) inputs.insert(input.index());
  EXPECT_EQ(inputs.size(), std::variant_size_v<Input>);
  std::set<Verb> verbs;
  const SchedulingPlan plan = FullPlan();
  for (const PlanEntry& entry : plan.entries()) verbs.insert(entry.verb);
  EXPECT_EQ(verbs.size(), kVerbs.size());
}

}  // namespace
}  // namespace fairlead
