// Laws of the guard, under every policy in random worlds: one that has nothing to complain of
// changes nothing, and whatever one does replays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "fairlead/recording/replay.h"
#include "fairlead/running/run.h"
#include "tests/conformance/policy_specs.h"
#include "tests/conformance/random_world.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kSeeds = 12;

std::unique_ptr<const World> WorldWith(std::uint64_t seed, std::string_view more) {
  RandomWorldTexts texts = DrawWorld(seed);
  texts.scenario += more;
  return BuildRandomWorld(texts);
}

struct RecordedRun {
  RunFigures figures;
  std::string recording;

  // What happened, without the world that it happened in.
  std::string Body() const {
    return recording.substr(recording.find('\n', recording.find('\n') + 1) + 1);
  }
};

RecordedRun RunAndRecord(const World& world, const std::string& policy) {
  std::ostringstream file;
  auto figures =
      RunOnce(world, {.policy = policy, .seed = 1, .bounds = false}, {.recording = &file});
  EXPECT_TRUE(figures.has_value()) << figures.error().message;
  return {figures.value_or(RunFigures{}), file.str()};
}

class Guarded : public ::testing::TestWithParam<std::string> {};

TEST_P(Guarded, AGuardThatHasNothingToComplainOfChangesNothing) {
  int left_alone = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto guarded = WorldWith(seed, "guard: {idle: 50ns, strikes: 1}\n");
    const RecordedRun with = RunAndRecord(*guarded, GetParam());
    ASSERT_TRUE(with.figures.guard.has_value());
    if (with.figures.guard->strikes() > 0) continue;  // it waits for longer, on purpose
    ++left_alone;
    const RecordedRun without = RunAndRecord(*WorldWith(seed, ""), GetParam());
    EXPECT_EQ(with.Body(), without.Body()) << "seed " << seed;
  }
  EXPECT_GT(left_alone, static_cast<int>(kSeeds) / 2);
}

TEST_P(Guarded, WhateverTheGuardDoesReplays) {
  std::uint64_t fallbacks = 0;
  std::uint64_t returns = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    World world = *WorldWith(
        seed, "guard: {policy: random, decision: 2ns, idle: 5ns, strikes: 2, back: 40ns}\n");
    world.charge.per_ready = Duration{1};
    const RecordedRun run = RunAndRecord(world, GetParam());
    EXPECT_EQ(run.figures.counts.ended(), static_cast<std::int64_t>(world.requests.size()));
    fallbacks += run.figures.guard->fallbacks;
    returns += run.figures.guard->returns;
    const auto recording = ReadRecording("run.rec", run.recording);
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    const auto report = Replay(*recording, &RecordedPolicy);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->identical()) << "seed " << seed << "\n" << ToText(*report);
  }
  EXPECT_GT(fallbacks, 0U);
  EXPECT_GT(returns, 0U);
}

INSTANTIATE_TEST_SUITE_P(, Guarded, ::testing::ValuesIn(PolicySpecs()),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace fairlead::testing
