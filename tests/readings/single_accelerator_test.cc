// Policies that published code defines exactly on one accelerator, against a naive loop written
// from that definition alone: decide at every layer end, and at an arrival when idle; admit every
// request that has arrived, then choose one layer. No switching cost, no dropping.
//
// In the rules below R is the time left, I the time alone, w the time since the last layer ended
// (or since arrival), N the number of requests in the system, D the deadline, p the priority, t
// now. Every request must start and end at the same nanosecond in both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 400;

struct Layer {
  std::int64_t latency = 0;
  std::vector<std::size_t> after;
};
using Network = std::vector<Layer>;

struct Query {
  std::int64_t arrival = 0;
  std::int64_t deadline = 0;  // absolute
  int priority = 1;
  std::size_t network = 0;
};

struct NaiveWorld {
  std::vector<Network> networks;
  std::vector<Query> queries;  // by arrival
};

// A request that has arrived and is not finished.
struct Active {
  std::size_t number = 0;
  Query query;
  std::int64_t left = 0;         // R
  std::int64_t alone = 0;        // I
  std::int64_t waits_since = 0;  // w = t - waits_since
  std::int64_t first_start = -1;
  double token = 0;
  bool newcomer = true;
  std::vector<bool> done;  // per layer

  bool Ready(const Network& network, std::size_t layer) const {
    return !done[layer] && std::ranges::all_of(network[layer].after,
                                               [this](std::size_t before) { return done[before]; });
  }
};

// What a rule may look at, and what it chooses.
struct Situation {
  std::int64_t t = 0;
  std::vector<Active>& active;  // by arrival
};
struct Choice {
  std::size_t active = 0;  // an index
  std::size_t layer = 0;
};
struct Candidate {
  Active* request = nullptr;
  Choice choice;
  double next_latency = 0;
};
using Rule = std::function<Choice(const Situation&, const std::vector<Candidate>&)>;

double Waiting(const Situation& s, const Active& a) {
  return static_cast<double>(s.t - a.waits_since);
}

// The first candidate with the smallest score.
template <typename Score>
Choice Smallest(const std::vector<Candidate>& candidates, Score score) {
  const Candidate* best = &candidates.front();
  double best_score = score(*best);
  for (const Candidate& candidate : candidates) {
    const double value = score(candidate);
    if (value < best_score) {
      best = &candidate;
      best_score = value;
    }
  }
  return best->choice;
}

Choice ShortestJobFirst(const Situation&, const std::vector<Candidate>& candidates) {
  return Smallest(candidates,
                  [](const Candidate& c) { return static_cast<double>(c.request->left); });
}

// A newcomer gets p tokens and does not count for the maximum; the others get p w / I more.
Choice Prema(const Situation& s, const std::vector<Candidate>& candidates) {
  double most = 0;
  for (Active& a : s.active) {
    if (std::exchange(a.newcomer, false)) {
      a.token = a.query.priority;
    } else {
      a.token += a.query.priority * Waiting(s, a) / static_cast<double>(a.alone);
      most = std::max(most, a.token);
    }
  }
  const double threshold = most >= 9 ? 9 : most >= 3 ? 3 : 1;
  std::vector<Candidate> enough;
  for (const Candidate& c : candidates)
    if (c.request->token >= threshold) enough.push_back(c);
  return ShortestJobFirst(s, enough);
}

// R + 0.01 (max(0, D - t - R) + (w / I) / N), in seconds.
Choice Dysta(const Situation& s, const std::vector<Candidate>& candidates) {
  return Smallest(candidates, [&s](const Candidate& c) {
    const Active& a = *c.request;
    const double left = static_cast<double>(a.left) * 1e-9;
    const double slack = static_cast<double>(a.query.deadline - s.t - a.left) * 1e-9;
    const double waiting = Waiting(s, a) / static_cast<double>(a.alone);
    return left + 0.01 * (std::max(0.0, slack) + waiting / static_cast<double>(s.active.size()));
  });
}

// min(1, R / (D - t)) + w / (latency of the next layer), the largest.
Choice Sdrm3(const Situation& s, const std::vector<Candidate>& candidates) {
  return Smallest(candidates, [&s](const Candidate& c) {
    const Active& a = *c.request;
    const auto slack = static_cast<double>(a.query.deadline - s.t);
    return -(std::min(1.0, static_cast<double>(a.left) / slack) + Waiting(s, a) / c.next_latency);
  });
}

// p / (D - t), the largest.
Choice Planaria(const Situation& s, const std::vector<Candidate>& candidates) {
  return Smallest(candidates, [&s](const Candidate& c) {
    const Query& query = c.request->query;
    return -query.priority / static_cast<double>(query.deadline - s.t);
  });
}

// A rule runs alone on one accelerator: "request outcome first-start..end" for each request.
std::string Simulate(const NaiveWorld& world, const Rule& rule) {
  std::vector<Active> active;
  std::vector<std::string> lines(world.queries.size());
  std::size_t next = 0;
  for (std::int64_t t = 0; next < world.queries.size() || !active.empty();) {
    if (active.empty()) t = std::max(t, world.queries[next].arrival);
    for (; next < world.queries.size() && world.queries[next].arrival <= t; ++next) {
      const Query& query = world.queries[next];
      const Network& network = world.networks[query.network];
      Active a{.number = next, .query = query, .waits_since = query.arrival, .done = {}};
      for (const Layer& layer : network) a.alone += layer.latency;
      a.left = a.alone;
      a.done.resize(network.size());
      active.push_back(a);
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const Network& network = world.networks[active[i].query.network];
      for (std::size_t layer = 0; layer < network.size(); ++layer) {
        if (active[i].Ready(network, layer))
          candidates.push_back(
              {&active[i], {i, layer}, static_cast<double>(network[layer].latency)});
      }
    }
    const Choice choice = rule({t, active}, candidates);
    Active& a = active[choice.active];
    if (a.first_start < 0) a.first_start = t;
    const std::int64_t latency = world.networks[a.query.network][choice.layer].latency;
    t += latency;
    a.left -= latency;
    a.waits_since = t;
    a.done[choice.layer] = true;
    if (!std::ranges::all_of(a.done, std::identity{})) continue;
    lines[a.number] = fmt::format("{} {} {}..{}\n", a.number,
                                  t <= a.query.deadline ? "hit" : "miss", a.first_start, t);
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(choice.active));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

enum class Shape { kChains, kGraphs };

// Times from nanoseconds, with many ties, to milliseconds; from idle to overload.
NaiveWorld DrawNaiveWorld(std::uint64_t seed, Shape shape) {
  RandomStream random(seed, "single accelerator");
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(high - low + 1)));
  };
  static constexpr std::int64_t kScales[] = {1, 37, 1'013, 99'991};
  static constexpr int kPriorities[] = {1, 3, 9};
  const std::int64_t scale = kScales[random.Below(4)];
  NaiveWorld world;
  world.networks.resize(random.Below(4) + 1);
  for (Network& network : world.networks) {
    network.resize(random.Below(8) + 1);
    for (std::size_t i = 0; i < network.size(); ++i) {
      network[i].latency = scale * between(1, 30);
      for (std::size_t before = 0; before < i; ++before) {
        const bool waits = shape == Shape::kChains ? before + 1 == i : random.Below(3) == 0;
        if (waits) network[i].after.push_back(before);
      }
      // Every layer but the first waits for one, so that "no list" never means a chain by chance.
      if (i > 0 && network[i].after.empty()) network[i].after.push_back(i - 1);
    }
  }
  const std::int64_t gap = scale * between(10, 300);
  std::int64_t arrival = 0;
  for (std::uint64_t i = random.Below(60) + 2; i > 0; --i) {
    arrival += random.Below(5) == 0 ? 0 : between(0, gap);
    world.queries.push_back({.arrival = arrival,
                             .deadline = arrival + scale * between(5, 1'500),
                             .priority = kPriorities[random.Below(3)],
                             .network = random.Below(world.networks.size())});
  }
  return world;
}

std::string ProfileOf(const NaiveWorld& world) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after\n";
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    for (std::size_t i = 0; i < world.networks[n].size(); ++i) {
      const Layer& layer = world.networks[n][i];
      text +=
          fmt::format("n{},{},npu,{},0,0,{}\n", n, i, layer.latency, fmt::join(layer.after, " "));
    }
  }
  return text;
}

std::string RequestsOf(const NaiveWorld& world) {
  std::string text = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
  for (std::size_t i = 0; i < world.queries.size(); ++i) {
    const Query& query = world.queries[i];
    text += fmt::format("{},{},t{},n{},{},{}\n", i, query.arrival, i % 3, query.network,
                        query.deadline - query.arrival, query.priority);
  }
  return text;
}

struct Reading {
  std::string policy;
  Rule rule;
  std::vector<Shape> shapes = {Shape::kChains, Shape::kGraphs};
};

class SingleAcceleratorTest : public ::testing::TestWithParam<Reading> {};

TEST_P(SingleAcceleratorTest, EveryRequestEndsAsReadFromTheSource) {
  for (const Shape shape : GetParam().shapes) {
    for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
      const NaiveWorld naive = DrawNaiveWorld(seed, shape);
      const auto world = BareWorldOfTexts(ProfileOf(naive), RequestsOf(naive), "");
      ASSERT_TRUE(world.has_value()) << world.error().message;
      SimulatedRun run(**world, GetParam().policy, seed);
      ASSERT_TRUE(run.Run().has_value());
      ASSERT_EQ(run.Outcomes(), Simulate(naive, GetParam().rule))
          << "in world " << seed << "\n"
          << ProfileOf(naive) << RequestsOf(naive);
    }
  }
}

std::vector<Reading> Readings() {
  return {
      // What is left of a graph is its longest path for sjf: only chains have one reading.
      {.policy = "sjf", .rule = ShortestJobFirst, .shapes = {Shape::kChains}},
      {.policy = "prema-h:tokens=since-last-run", .rule = Prema},
      {.policy = "dysta", .rule = Dysta},
      {.policy = "sdrm3", .rule = Sdrm3},
      {.policy = "planaria", .rule = Planaria},
  };
}

INSTANTIATE_TEST_SUITE_P(, SingleAcceleratorTest, ::testing::ValuesIn(Readings()),
                         [](const auto& test) {
                           std::string name = test.param.policy;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace fairlead::testing
