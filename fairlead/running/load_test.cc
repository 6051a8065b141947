#include "fairlead/running/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "fairlead/execution/testing/stepping_clock.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Pair;

constexpr const char* kScenario = R"(
name: small
horizon: 2s
warm_up: 100ms
platform: {accelerators: [{kind: simba, count: 2}]}
networks: {segments: whole}
policies: [edf-h]
tenants:
  - {name: a, networks: [alexnet], rate: 100/s, deadline: 30ms, target: 90%}
  - {name: b, networks: [squeezenet1-1], rate: 50/s, arrivals: {process: pareto}, deadline: 20ms}
)";

std::unique_ptr<const World> MakeWorld() {
  return std::move(BuildWorld(ParseScenario("test.yaml", kScenario).value(), &ReadFile).value());
}

// Answers at once with what it is told to, and remembers who called.
class Answerer final : public LoadClient {
 public:
  explicit Answerer(std::function<std::string(std::size_t call)> say) : say_(std::move(say)) {}

  Result<std::size_t> Prepare(const LoadTarget& target) override {
    targets.push_back(target.tenant + " " + target.key + " " + target.network);
    return targets.size() - 1;
  }
  void Call(const LoadCall& call, LoadReply reply) override {
    calls.push_back(call);
    reply(say_(calls.size() - 1));
  }
  std::size_t most_connections() const override { return 3; }

  std::vector<std::string> targets;
  std::vector<LoadCall> calls;

 private:
  std::function<std::string(std::size_t)> say_;
};

LoadFigures Load(const World& world, Answerer& client, Duration look = {}) {
  const SteppingClock clock(milliseconds{1}, look);
  auto figures = RunLoad(
      {.world = &world, .seed = 5, .keys = {{"b", "key"}}, .client = &client, .clock = &clock});
  EXPECT_TRUE(figures.has_value());
  return std::move(*figures);
}

TEST(Load, SendsTheRequestsOfTheSimulation) {
  const auto world = MakeWorld();
  Answerer client([](std::size_t) { return "ok"; });
  LoadFigures figures = Load(*world, client);
  EXPECT_THAT(client.targets, ElementsAre("a  alexnet", "b key squeezenet1-1"));
  const auto drawn = DrawRequests(*world, 5);
  std::vector<std::uint64_t> counted(2);
  for (const LoadCall& call : client.calls) {
    const auto request = drawn->Next();
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(call.target, request->agreement.index());
    EXPECT_EQ(call.timeout, request->deadline);
    if (request->arrival >= Instant{} + milliseconds{100}) ++counted[call.target];
  }
  EXPECT_FALSE(drawn->Next().has_value());
  ASSERT_EQ(figures.rows.size(), 2U);
  EXPECT_EQ(figures.rows[0].live.requests, counted[0]);
  EXPECT_EQ(figures.rows[0].live.hits, counted[0]);
  EXPECT_EQ(figures.rows[0].target, 0.9);
  EXPECT_EQ(figures.connections, 3U);
  ASSERT_TRUE(SimulateBeside(*world, "edf-h", figures).has_value());
  EXPECT_EQ(figures.policy, "edf-h");
  EXPECT_EQ(figures.rows[0].beside->requests, counted[0]);
  EXPECT_EQ(figures.rows[1].beside->requests, counted[1]);
  EXPECT_GT(figures.rows[1].beside->p50_ms, 0);
  for (const LoadRow& row : figures.rows) {
    EXPECT_LE(row.beside_least, row.beside->hit_rate());
    EXPECT_GE(row.beside_most, row.beside->hit_rate());
  }
}

TEST(Load, TellsWhyRequestsWereNoHits) {
  const auto world = MakeWorld();
  const std::vector<std::string> words = {"ok",          "deadline-passed", "over-contract",
                                          "no-capacity", "no-reply",        "deadline-unreachable"};
  Answerer client([&](std::size_t call) { return words[call % words.size()]; });
  const LoadFigures figures = Load(*world, client);
  for (const LoadRow& row : figures.rows) {
    const LoadOutcome& live = row.live;
    EXPECT_EQ(live.hits + live.late + live.refused + live.uncovered + live.failed, live.requests);
    EXPECT_EQ(row.reasons.at("deadline-passed"), live.late);
    EXPECT_EQ(row.reasons.at("over-contract"), live.uncovered);
    EXPECT_EQ(row.reasons.at("no-reply"), live.failed);
    EXPECT_EQ(row.reasons.at("no-capacity") + row.reasons.at("deadline-unreachable"), live.refused);
  }
}

// On this clock every look takes longer than any deadline, so that whoever sends is late himself.
TEST(Load, CountsFromWhenARequestShouldHaveBeenSent) {
  const auto world = MakeWorld();
  Answerer client([](std::size_t) { return "ok"; });
  const LoadFigures figures = Load(*world, client, milliseconds{40});
  EXPECT_EQ(figures.rows[0].live.hits, 0U);
  EXPECT_THAT(figures.rows[0].reasons,
              ElementsAre(Pair("answered-late", figures.rows[0].live.requests)));
  EXPECT_GT(figures.rows[0].live.p50_ms, 40);
  EXPECT_GT(figures.lag_p99_ms, 40);
}

TEST(Load, StopsWhenItIsAskedTo) {
  const auto world = MakeWorld();
  std::stop_source stop;
  Answerer client([&](std::size_t call) {
    if (call == 9) stop.request_stop();
    return "ok";
  });
  const SteppingClock clock(milliseconds{1});
  const auto figures =
      RunLoad({.world = world.get(), .client = &client, .clock = &clock, .stop = stop.get_token()});
  EXPECT_TRUE(figures->interrupted);
  EXPECT_EQ(client.calls.size(), 10U);
}

}  // namespace
}  // namespace fairlead
