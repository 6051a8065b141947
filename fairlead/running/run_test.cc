#include "fairlead/running/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/recording/replay.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

// A short, busy stretch of the shipped platform.
constexpr const char* kScenario = R"(
horizon: 300ms
platform:
  bandwidth: 16GB/s
  accelerators: [{kind: simba, count: 2}, {kind: eyeriss, count: 2}]
load: 0.9
tenants:
  - {count: 8, networks: [alexnet, inception-v3, resnet50, yolo-v3], networks_each: 1}
)";

std::unique_ptr<const World> MakeWorld(double load = 0.9) {
  auto scenario = ParseScenario("test.yaml", kScenario);
  scenario->load = load;
  return std::move(BuildWorld(std::move(*scenario), &ReadFile).value());
}

// The outcomes files of all runs, one after the other.
std::string OutcomesOf(const World& world, const std::vector<RunSpec>& specs, int threads) {
  std::vector<std::ostringstream> files(specs.size());
  RunPlan plan{.specs = specs,
               .threads = threads,
               .open = [&](std::size_t i) -> Result<RunOutputs> {
                 return RunOutputs{.outcomes = &files[i]};
               },
               .close = [](std::size_t) -> Status { return {}; },
               .progressed = [](std::size_t, double) {}};
  EXPECT_TRUE(RunAll(world, plan).has_value());
  std::string all;
  for (const std::ostringstream& file : files) all += file.str();
  return all;
}

TEST(RunAll, GivesTheSameBytesHoweverManyRunBesideIt) {
  const auto world = MakeWorld();
  std::vector<RunSpec> specs;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const char* policy : {"edf-h:drop=early", "random"}) specs.push_back({policy, seed});
  }
  EXPECT_EQ(OutcomesOf(*world, specs, 4), OutcomesOf(*world, specs, 1));
}

TEST(RunAll, SeedsDiffer) {
  const auto world = MakeWorld();
  EXPECT_NE(OutcomesOf(*world, {{"edf-h", 1}}, 1), OutcomesOf(*world, {{"edf-h", 2}}, 1));
}

// Files that a policy was made of are in the recording: they need not be there any more.
TEST(RunOnce, ARecordingCarriesWhatItsPolicyRead) {
  const std::string weights = testing::TempDir() + "run_test.weights";
  std::filesystem::copy_file("data/learning/rl-baseline.gru", weights,
                             std::filesystem::copy_options::overwrite_existing);
  const auto world = MakeWorld();
  const std::string policy = "rl-baseline:weights=" + weights;
  std::ostringstream file;
  const auto run = RunOnce(*world, {policy, 3}, {.recording = &file});
  ASSERT_TRUE(run.has_value()) << run.error().message;
  std::filesystem::remove(weights);
  const auto recording = ReadRecording("run.rec", file.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const auto report = Replay(*recording, &RecordedPolicy);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
}

TEST(RunOnce, RecordsWhatReplaysIdentically) {
  const auto world = MakeWorld();
  std::ostringstream file;
  ASSERT_TRUE(RunOnce(*world, {"least-laxity", 3}, {.recording = &file}).has_value());
  const auto recording = ReadRecording("run.rec", file.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const auto report = Replay(*recording, &RecordedPolicy);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
}

TEST(RunOnce, RunsAPolicyOfTheCallersOwnUnderItsName) {
  const auto world = MakeWorld();
  RunSpec own{"mine", 3};
  std::uint64_t seed_seen = 0;
  own.own = [&](std::uint64_t seed) {
    seed_seen = seed;
    return std::move(MakePolicy("edf-h", {.seed = seed, .platform = &world->platform}).value());
  };
  const auto mine = RunOnce(*world, own, {});
  ASSERT_TRUE(mine.has_value()) << mine.error().message;
  EXPECT_EQ(mine->policy, "mine");
  EXPECT_EQ(seed_seen, 3U);
  EXPECT_EQ(mine->counts.hits(), RunOnce(*world, {"edf-h", 3}, {})->counts.hits());
}

std::vector<KeptAgreement> BooksAfter(const World& world, const RunSpec& spec,
                                      std::ostream* recording = nullptr) {
  std::ostringstream books;
  EXPECT_TRUE(RunOnce(world, spec, {.recording = recording, .books = &books}).has_value());
  return std::move(ParseBooks("books.json", books.str()).value());
}

TEST(RunOnce, GoesOnFromTheBooksOfAnother) {
  const auto world = MakeWorld(/*load=*/1.2);
  const auto alone = BooksAfter(*world, {"edf-share", 2});
  const auto before = BooksAfter(*world, {"edf-share", 1});
  ASSERT_EQ(before.size(), 8U);
  RunSpec spec{"edf-share", 2};
  spec.books = before;
  std::ostringstream file;
  const auto after = BooksAfter(*world, spec, &file);
  for (std::size_t a = 0; a < before.size(); ++a) {
    EXPECT_EQ(after[a].tenant, before[a].tenant);
    EXPECT_EQ(after[a].history.lifetime.ended(),
              before[a].history.lifetime.ended() + alone[a].history.lifetime.ended());
    EXPECT_GT(after[a].history.time, before[a].history.time + world->scenario.horizon / 2);
  }
  const auto recording = ReadRecording("run.rec", file.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const auto report = Replay(*recording, &RecordedPolicy);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
}

TEST(RunOnce, CountsItsOwnRequestsAlone) {
  const auto world = MakeWorld(/*load=*/1.2);
  const auto books = BooksAfter(*world, {"edf-h", 1});
  RunSpec spec{"edf-h", 2};
  const auto fresh = RunOnce(*world, spec, {});
  spec.books = books;
  const auto going_on = RunOnce(*world, spec, {});
  EXPECT_EQ(going_on->counts, fresh->counts);
  EXPECT_EQ(going_on->hit_rate, fresh->hit_rate);
  EXPECT_GT(going_on->per_agreement.front().counts.ended(),
            fresh->per_agreement.front().counts.ended());
}

// Whoever was served badly yesterday is served first today.
TEST(RunOnce, WhatIsOwedIsRemembered) {
  const auto world = MakeWorld(/*load=*/1.5);
  auto books = BooksAfter(*world, {"edf-share", 1});
  const auto hits_of_first = [&](const std::vector<KeptAgreement>& from) {
    RunSpec spec{"edf-share", 2};
    spec.books = from;
    return BooksAfter(*world, spec).front().history.lifetime.hits() -
           (from.empty() ? 0 : from.front().history.lifetime.hits());
  };
  const std::int64_t fresh = hits_of_first({});
  books.front().history = {};
  books.front().history.lifetime.by_outcome = {0, 50, 0, 0};
  EXPECT_GT(hits_of_first(books), fresh);
}

TEST(RunOnce, ALiveRunReplaysIdentically) {
  const auto world = MakeWorld();
  std::ostringstream file;
  ASSERT_TRUE(RunOnce(*world, {"edf-h", 1, Pace::kSleep}, {.recording = &file}).has_value());
  const auto recording = ReadRecording("live.rec", file.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const auto report = Replay(*recording, &RecordedPolicy);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical());
}

// A plan that asks for a layer where it cannot run, and then where it can.
World WorldWithAWrongPlan() {
  const auto texts = [](const std::string& path) -> Result<std::string> {
    if (path == "profile")
      return "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
             "one,0,x,1000,0,0\n"
             "one,1,x,1000,0,0\n"
             "one,1,y,1000,0,0\n";
    if (path == "requests")
      return "request,arrival_ns,tenant,network,deadline_ns\n7,0,ann,one,1000000\n";
    return "request,layer,accelerator,order\n7,0,x,0\n7,1,x,1\n";
  };
  World world =
      *BuildBareWorld({.profile = "profile", .requests = "requests", .plan = "plan"}, texts)
           .value();
  world.plan =
      ParseFixedPlan("plan", "request,layer,accelerator,order\n7,0,y,0\n7,0,x,0\n7,1,x,1\n",
                     world.platform)
          .value();
  return world;
}

TEST(RunOnce, AWrongPlanStopsASimulatedRun) {
  const auto figures = RunOnce(WorldWithAWrongPlan(), {"fixed-plan", 1}, {});
  ASSERT_FALSE(figures.has_value());
  EXPECT_NE(figures.error().message.find("made a wrong plan"), std::string::npos)
      << figures.error().message;
}

TEST(RunOnce, AWrongPlanDoesNotStopALiveRun) {
  const World world = WorldWithAWrongPlan();
  std::ostringstream file;
  const auto figures = RunOnce(world, {"fixed-plan", 1, Pace::kSleep}, {.recording = &file});
  ASSERT_TRUE(figures.has_value()) << figures.error().message;
  EXPECT_EQ(figures->plan_faults, 1U);
  EXPECT_EQ(figures->segments, 2U);
  const auto recording = ReadRecording("live.rec", file.str());
  ASSERT_TRUE(recording.has_value()) << recording.error().message;
  const auto report = Replay(*recording, &RecordedPolicy);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical() && report->stopped.empty()) << ToText(*report);
}

// In an overload, where the bounds are below what a perfect run would reach. Policies that come
// near them would be over, were the bounds a half too small.
TEST(RunOnce, NoPolicyBeatsTheFluidBound) {
  const auto world = MakeWorld(/*load=*/2);
  double best_hit_rate = 0;
  for (const char* policy : {"edf-h:drop=early", "sjf:drop=early", "fcfs-h:drop=early"}) {
    const auto figures = RunOnce(*world, {policy, 1}, {});
    ASSERT_TRUE(figures.has_value());
    ASSERT_LT(figures->bounds->hit_rate, 0.9) << policy;
    ASSERT_LT(figures->bounds->worst_agreement, 0.9) << policy;
    EXPECT_LE(*figures->hit_rate, figures->bounds->hit_rate + 1e-9) << policy;
    EXPECT_LE(figures->agreements.rates.min, figures->bounds->worst_agreement + 1e-9) << policy;
    best_hit_rate = std::max(best_hit_rate, *figures->hit_rate / figures->bounds->hit_rate);
  }
  EXPECT_GT(best_hit_rate, 0.5);
}

// Two tenants of equal traffic; a contract covers a tenth of what the first sends.
std::unique_ptr<const World> MakeWorldWithContract(const char* over) {
  const std::string text = fmt::format(R"(
horizon: 300ms
platform:
  bandwidth: 16GB/s
  accelerators: [{{kind: simba, count: 2}}, {{kind: eyeriss, count: 2}}]
arrivals: {{process: poisson}}
tenants:
  - {{name: loud, networks: [alexnet], rate: 1000/s, target: 90%, price: 3, penalty: 2,
     contract: {{rate: 100/s, burst: 5, over: {}}}}}
  - {{name: calm, networks: [resnet50], rate: 40/s, target: 90%}}
)",
                                       over);
  return std::move(
      BuildWorld(std::move(ParseScenario("test.yaml", text).value()), &ReadFile).value());
}

TEST(RunOnce, ContractsHoldSimulatedAndReplay) {
  for (const char* over : {"serve", "refuse"}) {
    const auto world = MakeWorldWithContract(over);
    std::ostringstream file;
    const auto figures = RunOnce(*world, {"edf-h:drop=early", 1}, {.recording = &file});
    ASSERT_TRUE(figures.has_value()) << figures.error().message;
    const AgreementFigures& loud = figures->per_agreement[0];
    EXPECT_GE(loud.counts.ended(), 30);
    EXPECT_LE(loud.counts.ended(), 5 + 30);
    EXPECT_GT(loud.uncovered.ended(), 200);
    EXPECT_EQ(figures->per_agreement[1].uncovered.ended(), 0);
    EXPECT_EQ(figures->counts.ended(), loud.counts.ended() + loud.uncovered.ended() +
                                           figures->per_agreement[1].counts.ended());
    if (std::string_view(over) == "refuse") {
      EXPECT_EQ(loud.uncovered.Of(Outcome::kRejected), loud.uncovered.ended());
    }
    EXPECT_DOUBLE_EQ(figures->revenue,
                     3 * static_cast<double>(loud.counts.hits() + loud.uncovered.hits()) -
                         2 * static_cast<double>(loud.counts.failures()));
    const auto recording = ReadRecording("run.rec", file.str());
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_TRUE(Replay(*recording, &RecordedPolicy)->identical()) << over;
  }
}

// Agreements are bounded by what is covered, all together by what is let in.
TEST(RunOnce, BoundsKnowContracts) {
  const auto serve = RunOnce(*MakeWorldWithContract("serve"), {"edf-h:drop=early", 1}, {});
  const auto refuse = RunOnce(*MakeWorldWithContract("refuse"), {"edf-h:drop=early", 1}, {});
  ASSERT_TRUE(serve.has_value() && refuse.has_value());
  EXPECT_LT(serve->bounds->hit_rate, 0.9);
  EXPECT_EQ(serve->bounds->worst_agreement, refuse->bounds->worst_agreement);
  EXPECT_GT(serve->bounds->worst_agreement, 0.99);
  EXPECT_LE(*serve->hit_rate, serve->bounds->hit_rate);
  EXPECT_LE(*refuse->hit_rate, refuse->bounds->hit_rate);
  EXPECT_LT(refuse->bounds->hit_rate, serve->bounds->hit_rate);
}

}  // namespace
}  // namespace fairlead
