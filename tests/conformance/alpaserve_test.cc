// AlpaServe's admission, request by request, against a naive loop in hundreds of random worlds.
//
// The loop is written from the published rule alone: it knows nothing of engines and queues. Whole
// networks are one segment, so accelerators are groups of one stage.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

struct Drawn {
  std::vector<std::vector<std::int64_t>> latency;  // by network and accelerator; 0: cannot run
  struct Request {
    std::int64_t arrival, network, deadline;
  };
  std::vector<Request> requests;  // by arrival

  explicit Drawn(std::uint64_t seed) {
    RandomStream random(seed, "alpaserve");
    const std::size_t accelerators = 1 + random.Below(6);
    latency.resize(1 + random.Below(4));
    for (auto& row : latency) {
      for (std::size_t a = 0; a < accelerators; ++a)
        row.push_back(random.Below(5) == 0 ? 0 : Milliseconds(1 + random.Below(40)));
      row[random.Below(accelerators)] = Milliseconds(1 + random.Below(40));
    }
    latency[0].assign(accelerators, Milliseconds(7));  // so that every accelerator has a row
    std::int64_t now = 0;
    for (std::size_t r = 0; r < 60; ++r) {
      now += Milliseconds(random.Below(20));  // several may arrive at once
      requests.push_back({now, static_cast<std::int64_t>(random.Below(latency.size())),
                          Milliseconds(5 + random.Below(120))});
    }
  }
  static std::int64_t Milliseconds(std::uint64_t value) {
    return static_cast<std::int64_t>(value * 1000000);
  }

  std::string Profile() const {
    std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
    for (std::size_t n = 0; n < latency.size(); ++n) {
      for (std::size_t a = 0; a < latency[n].size(); ++a) {
        if (latency[n][a] > 0) text += fmt::format("n{},0,k{},{},0,0\n", n, a, latency[n][a]);
      }
    }
    return text;
  }
  std::string Requests() const {
    std::string text = "request,arrival_ns,tenant,network,deadline_ns\n";
    for (std::size_t r = 0; r < requests.size(); ++r)
      text += fmt::format("{},{},t,n{},{}\n", r, requests[r].arrival, requests[r].network,
                          requests[r].deadline);
    return text;
  }
};

// "3 k1 100..200" for each request that is admitted, "3 rejected" for each that is not.
std::vector<std::string> Reference(const Drawn& world, std::int64_t overhead) {
  std::vector<std::string> lines;
  std::vector<std::int64_t> clock(world.latency[0].size(), 0);
  for (std::size_t r = 0; r < world.requests.size(); ++r) {
    const auto& [arrival, network, deadline] = world.requests[r];
    const auto& latency = world.latency[static_cast<std::size_t>(network)];
    std::size_t group = clock.size();
    for (std::size_t a = 0; a < clock.size(); ++a) {
      if (latency[a] > 0 && (group == clock.size() || clock[a] < clock[group])) group = a;
    }
    const std::int64_t start = std::max(arrival, clock[group]);
    const std::int64_t finish = start + latency[group];
    if (finish + overhead > arrival + deadline) {
      lines.push_back(fmt::format("{} rejected", r));
      continue;
    }
    clock[group] = finish;
    lines.push_back(fmt::format("{} k{} {}..{}", r, group, start, finish));
  }
  return lines;
}

std::vector<std::string> Simulated(const Drawn& drawn, std::string_view policy) {
  const auto world = BareWorldOfTexts(drawn.Profile(), drawn.Requests(), "");
  EXPECT_TRUE(world.has_value()) << world.error().message;
  SimulatedRun run(**world, policy, 1);
  EXPECT_TRUE(run.Run().has_value());
  std::map<RequestNumber, std::string> lines;
  for (const End& end : run.ends()) {
    if (end.outcome == Outcome::kRejected && end.reason == Reason::kOverload)
      lines[end.request] = fmt::format("{} rejected", end.request);
  }
  for (const Stay& stay : run.stays()) {
    lines[stay.requests.front()] =
        fmt::format("{} {} {}..{}", stay.requests.front(),
                    (*world)->platform.accelerators[stay.accelerator.index()].name,
                    Nanoseconds(stay.start), Nanoseconds(stay.end));
  }
  std::vector<std::string> sorted;
  for (const auto& [request, line] : lines) sorted.push_back(line);
  return sorted;
}

TEST(AlpaServe, AgreesWithTheRuleRequestByRequest) {
  std::size_t rejected = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Drawn world(seed);
    const auto expected = Reference(world, 11'000'000);
    ASSERT_EQ(Simulated(world, "alpaserve"), expected) << "in world " << seed;
    ASSERT_EQ(Simulated(world, "alpaserve:overhead=none"), Reference(world, 0))
        << "in world " << seed;
    rejected += static_cast<std::size_t>(std::ranges::count_if(
        expected, [](const std::string& line) { return line.ends_with("rejected"); }));
  }
  EXPECT_GT(rejected, 4000U);
  EXPECT_LT(rejected, 20'000U);
}

}  // namespace
}  // namespace fairlead::testing
