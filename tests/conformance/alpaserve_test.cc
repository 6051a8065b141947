// AlpaServe's admission, request by request, against a naive loop in hundreds of random worlds.
//
// The loop is written from the published rule alone, and from what docs/policies/alpaserve.md adds
// to it by default: it knows nothing of engines and queues. Whole networks are one segment, so
// accelerators are groups of one stage.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
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
  bool drawn_kinds = false;       // some can do equally much: their order is drawn

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
    ArrangeKinds(accelerators);
    std::int64_t now = 0;
    for (std::size_t r = 0; r < 60; ++r) {
      now += Milliseconds(random.Below(20));  // several may arrive at once
      requests.push_back({now, static_cast<std::int64_t>(random.Below(latency.size())),
                          Milliseconds(5 + random.Below(120))});
    }
  }
  // Ties go to the kind that can do least: that runs fewer networks, and takes longer for them.
  // Here those stand first.
  void ArrangeKinds(std::size_t accelerators) {
    std::vector<std::vector<std::int64_t>> columns(accelerators);
    for (std::size_t a = 0; a < accelerators; ++a) {
      for (const auto& row : latency) columns[a].push_back(row[a]);
    }
    const auto ability = [](const std::vector<std::int64_t>& column) {
      return std::pair(column.size() - static_cast<std::size_t>(std::ranges::count(column, 0)),
                       -std::accumulate(column.begin(), column.end(), std::int64_t{0}));
    };
    std::ranges::sort(columns, {}, ability);
    drawn_kinds = std::ranges::adjacent_find(columns, {}, ability) != columns.end();
    for (std::size_t a = 0; a < accelerators; ++a) {
      for (std::size_t n = 0; n < latency.size(); ++n) latency[n][a] = columns[a][n];
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

enum class Rule : std::uint8_t { kPublished, kOurs };

// Who may be offered the request: by the published rule all that can run it; by ours only those
// that would meet its deadline if they were idle, while there are any.
std::vector<std::size_t> Holders(const std::vector<std::int64_t>& latency, Rule rule,
                                 std::int64_t longest) {
  std::vector<std::size_t> able;
  std::vector<std::size_t> in_time;
  for (std::size_t a = 0; a < latency.size(); ++a) {
    if (latency[a] > 0) able.push_back(a);
    if (latency[a] > 0 && latency[a] <= longest) in_time.push_back(a);
  }
  return rule == Rule::kPublished || in_time.empty() ? able : in_time;
}

// "3 k1 100..200" for each request that is admitted, "3 rejected" for each that is not.
std::vector<std::string> Reference(const Drawn& world, Rule rule, std::int64_t overhead) {
  std::vector<std::string> lines;
  std::vector<std::int64_t> clock(world.latency[0].size(), 0);
  for (std::size_t r = 0; r < world.requests.size(); ++r) {
    const auto& [arrival, network, deadline] = world.requests[r];
    const auto& latency = world.latency[static_cast<std::size_t>(network)];
    // A corrected clock is never behind.
    const auto offered_by = [&, now = arrival](std::size_t a) {
      const std::int64_t free = rule == Rule::kOurs ? std::max(now, clock[a]) : clock[a];
      return std::tuple(free, latency[a], a);
    };
    const std::size_t group =
        std::ranges::min(Holders(latency, rule, deadline - overhead), {}, offered_by);
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
  const auto rejections = [](const std::vector<std::string>& lines) {
    return std::ranges::count_if(
        lines, [](const std::string& line) { return line.ends_with("rejected"); });
  };
  std::ptrdiff_t published = 0;
  std::ptrdiff_t ours = 0;
  int worlds = 0;
  for (std::uint64_t seed = 0; worlds < 400; ++seed) {
    const Drawn world(seed);
    if (world.drawn_kinds) continue;
    ++worlds;
    const auto expected = Reference(world, Rule::kPublished, 11'000'000);
    ASSERT_EQ(Simulated(world, "alpaserve:overhead=11ms;replicas=anywhere;clocks=predicted"),
              expected)
        << "in world " << seed;
    ASSERT_EQ(Simulated(world, "alpaserve:overhead=11ms"),
              Reference(world, Rule::kOurs, 11'000'000))
        << "in world " << seed;
    const auto expected_of_ours = Reference(world, Rule::kOurs, 0);
    ASSERT_EQ(Simulated(world, "alpaserve"), expected_of_ours) << "in world " << seed;
    published += rejections(expected);
    ours += rejections(expected_of_ours);
  }
  EXPECT_GT(published, 4000);
  EXPECT_LT(published, 20'000);
  EXPECT_GT(ours, 1000);
  EXPECT_LT(ours, published);
}

}  // namespace
}  // namespace fairlead::testing
