// Every registered policy, as it is and with every value of every option (some, where it is a
// number), is recorded and replayed, simulated and live. The registry says what there is: a policy
// that cannot be run here fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/execution/testing/stepping_clock.h"
#include "fairlead/recording/replay.h"
#include "fairlead/running/run.h"
#include "fairlead/scheduling/plan_fields.h"
#include "fairlead/world/policy_registry.h"
#include "tests/support/simulated_run.h"

namespace fairlead {
namespace {

// One accelerator whose units can be divided and two small ones, one of which goes away for a
// while; scarce memory, batches, a network with branches, deadlines that cannot all be met, a
// contract that does not cover everything, and a promise for each of several periods.
constexpr const char* kScenario = R"(
platform:
  bandwidth: 1GB/s
  accelerators: [{kind: wide, units: 4}, {kind: small, count: 2}]
networks: {profile: profile}
requests: requests
changes:
  - {at: 30ms, accelerator: small.0, state: away}
  - {at: 45ms, accelerator: small.0, state: back}
)";

std::string Profile() {
  struct Layer {
    const char* network;
    const char* after;
    int layer;
    int milliseconds;  // on a small accelerator, or two units of the wide one
  };
  constexpr Layer kLayers[] = {{"chain", "", 0, 4},   {"chain", "0", 1, 2}, {"chain", "1", 2, 3},
                               {"fork", "", 0, 2},    {"fork", "0", 1, 3},  {"fork", "0", 2, 5},
                               {"fork", "1 2", 3, 2}, {"single", "", 0, 6}};
  std::string text =
      "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,units,batch\n";
  const auto add = [&](const Layer& layer, const char* kind, int units, int batch, double factor) {
    const double latency = layer.milliseconds * 1e6 * factor * (batch + 1) / 2;
    // Two of most fill the memory, so that some policies start nothing beside them.
    const double bytes_per_ns = std::string_view(layer.network) == "single" ? 0.1 : 0.7;
    text += fmt::format("{},{},{},{:.0f},{:.0f},{},{},{},{}\n", layer.network, layer.layer, kind,
                        latency, latency * bytes_per_ns, 100 * layer.milliseconds, layer.after,
                        units, batch);
  };
  for (const Layer& layer : kLayers) {
    for (int batch : {1, 2, 4}) {
      for (int units : {1, 2, 4}) add(layer, "wide", units, batch, 2.0 / units);
      add(layer, "small", 1, batch, 1);
    }
  }
  return text;
}

std::string Requests() {
  std::string text = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
  for (int i = 0; i < 40; ++i) {
    text +=
        fmt::format("{},{},{},{},{},{}\n", 100 + i, i / 4 * 7'000'000, i % 3 == 0 ? "ann" : "bob",
                    i % 4 == 0   ? "fork"
                    : i % 4 == 1 ? "chain"
                                 : "single",
                    (12 + i * 7 % 30) * 1'000'000, 1 + i % 9);
  }
  return text;
}

// Every layer on some accelerator, in the order of arrival.
std::string PlanFor(const World& world) {
  std::string text = "request,layer,accelerator,order\n";
  for (std::size_t r = 0; r < world.requests.size(); ++r) {
    const Request& request = world.requests[r];
    const ServiceAgreement& agreement = world.agreements[request.agreement.index()].agreement;
    for (std::size_t s = 0; s < world.networks[agreement.network.index()].size(); ++s) {
      const std::size_t where = (r + s) % world.platform.accelerators.size();
      text += fmt::format("{},{},{},{}\n", request.number, s,
                          world.platform.accelerators[where].name, 10 * r + s);
    }
  }
  return text;
}

// The plan is for policies that need one.
const World& SharedWorld() {
  static const World world = [] {
    auto built = testing::WorldOfTexts(kScenario, Profile(), Requests());
    CHECK_MSG(built.has_value(), built.error().message);
    World made = **built;
    auto plan = ParseFixedPlan("plan", PlanFor(made), made.platform);
    CHECK_MSG(plan.has_value(), plan.error().message);
    made.plan = std::move(*plan);
    made.agreements.front().agreement.contract = Contract{.rate = 50'000'000, .burst = 2};
    made.agreements.back().agreement.target = 0.9;
    made.agreements.back().agreement.period = Duration{20'000'000};
    return made;
  }();
  return world;
}

std::vector<std::string> AllSpecs() {
  std::vector<std::string> specs;
  for (const PolicyEntry& entry : Policies()) {
    for (std::string& spec : SampleSpecs(entry)) specs.push_back(std::move(spec));
  }
  return specs;
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

// The recording of a run, having replayed.
std::string RecordAndReplay(const RunSpec& spec, const World& world = SharedWorld()) {
  std::ostringstream file;
  const auto figures = RunOnce(world, spec, {.recording = &file});
  EXPECT_TRUE(figures.has_value()) << figures.error().message;
  if (!figures.has_value()) return "";
  EXPECT_EQ(figures->plan_faults, 0U);
  const auto recording = ReadRecording("run.rec", file.str());
  EXPECT_TRUE(recording.has_value()) << recording.error().message;
  if (!recording.has_value()) return "";
  const auto report = Replay(*recording, &RecordedPolicy);
  EXPECT_TRUE(report.has_value()) << report.error().message;
  if (!report.has_value()) return "";
  EXPECT_TRUE(report->identical()) << ToText(*report);
  EXPECT_GT(report->entries, 0U);
  return file.str();
}

class EveryPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, SimulatedReplays) { RecordAndReplay({.policy = GetParam()}); }

TEST_P(EveryPolicy, LiveReplays) {
  const SteppingClock clock(std::chrono::microseconds(100));
  RecordAndReplay({.policy = GetParam(), .pace = Pace::kSleep, .clock = &clock});
}

INSTANTIATE_TEST_SUITE_P(, EveryPolicy, ::testing::ValuesIn(AllSpecs()), NameOf);

// On this clock every decision takes longer than the guard allows.
TEST(EveryPolicies, LiveReplayUnderAGuard) {
  World world = SharedWorld();
  world.scenario.guard = GuardOptions{.fallback = "edf-share",
                                      .decision = Duration{1},
                                      .strikes = 1,
                                      .back = std::chrono::milliseconds(10)};
  for (const PolicyEntry& policy : Policies()) {
    if (policy.needs.plan) continue;  // it could not come back
    SCOPED_TRACE(policy.name);
    const SteppingClock clock(std::chrono::microseconds(100), Duration{2});
    const std::string text = RecordAndReplay(
        {.policy = std::string(policy.name), .pace = Pace::kSleep, .clock = &clock}, world);
    EXPECT_NE(text.find("\nfallback \"edf-share\"\n"), std::string::npos);
  }
}

// What the runs above are good for: the policies' recordings have every verb, and both verbs that
// may name several jobs do.
TEST(EveryPolicies, RecordingsHaveEveryVerb) {
  std::set<std::string> words;
  for (const std::string& spec : AllSpecs()) {
    std::istringstream lines(RecordAndReplay({.policy = spec}));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('>')) continue;
      const std::string word = line.substr(0, line.find(' '));
      words.insert(word);
      const auto fields = std::ranges::count(line, ' ');
      if (word == NamesOf(Verb::kStart).word && fields > 5) words.insert("start of a batch");
      if (word == NamesOf(Verb::kEnqueue).word && fields > 5) words.insert("enqueue of a batch");
    }
  }
  std::set<std::string> expected = {"start of a batch", "enqueue of a batch"};
  for (const VerbNames& names : kVerbs) expected.emplace(names.word);
  // Which promises are given up, if any, depends on more than this world has.
  for (const Verb verb : {Verb::kSacrifice, Verb::kRestore}) {
    const std::string word(NamesOf(verb).word);
    words.erase(word);
    expected.erase(word);
  }
  EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace fairlead
