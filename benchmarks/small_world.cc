#include "benchmarks/small_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fairlead/base/random.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

constexpr std::size_t kKinds = 2;
constexpr int kLongestSegment = 9;  // ticks
constexpr double kCannotRunShare = 0.15;
// The work, where it is fastest, over what the accelerators could do while jobs arrive.
constexpr double kLeastLoad = 1.5;
constexpr double kMostLoad = 3.0;
// Deadlines, in times that the network takes where it is fastest.
constexpr double kTightest = 1.2;
constexpr double kLoosest = 2.3;

class Draw {
 public:
  Draw(std::uint64_t seed, std::optional<int> jobs)
      : random_(seed, "small-world"), world_{.seed = seed} {
    DrawPlatform();
    DrawNetworks();
    DrawJobs(jobs.has_value() ? *jobs : Between(kFewestJobs, kMostJobs));
  }

  SmallWorld world() && { return std::move(world_); }

 private:
  int Between(int low, int high) {
    const int values = high - low + 1;
    return low + static_cast<int>(random_.Below(static_cast<std::uint64_t>(values)));
  }
  double Between(double low, double high) { return low + (high - low) * random_.Uniform(); }

  void DrawPlatform() {
    world_.accelerators.assign(kKinds, 1);
    if (random_.Uniform() < 0.5) ++world_.accelerators[random_.Below(kKinds)];
  }

  // The latencies of a segment have nothing to do with each other.
  void DrawNetworks() {
    world_.networks.resize(static_cast<std::size_t>(Between(2, 4)));
    for (SmallNetwork& network : world_.networks) {
      network.resize(static_cast<std::size_t>(Between(1, 3)));
      for (SmallSegment& segment : network) {
        const std::size_t home = random_.Below(kKinds);
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
          const bool can_run = kind == home || random_.Uniform() >= kCannotRunShare;
          segment.push_back(can_run ? Between(1, kLongestSegment) : kCannotRun);
        }
      }
    }
    // Every kind runs something, or the profile would not know it.
    for (int& ticks : world_.networks.front().front()) ticks = std::max(ticks, 1);
  }

  static int FastestTotal(const SmallNetwork& network) {
    int sum = 0;
    for (const SmallSegment& segment : network) {
      int fastest = kLongestSegment;
      for (int ticks : segment) {
        if (ticks != kCannotRun) fastest = std::min(fastest, ticks);
      }
      sum += fastest;
    }
    return sum;
  }

  void DrawJobs(int count) {
    world_.tenants = static_cast<std::size_t>(std::min(Between(3, 4), count));
    world_.jobs.resize(static_cast<std::size_t>(count));
    int work = 0;
    for (std::size_t j = 0; j < world_.jobs.size(); ++j) {
      SmallJob& job = world_.jobs[j];
      job.tenant = j < world_.tenants ? j : random_.Below(world_.tenants);
      job.network = random_.Below(world_.networks.size());
      work += FastestTotal(world_.NetworkOf(job));
    }
    const int accelerators =
        std::accumulate(world_.accelerators.begin(), world_.accelerators.end(), 0);
    const int last_arrival =
        static_cast<int>(std::lround(work / (accelerators * Between(kLeastLoad, kMostLoad))));
    for (SmallJob& job : world_.jobs) {
      job.arrival = Between(0, last_arrival);
      const double factor = Between(kTightest, kLoosest);
      job.deadline =
          job.arrival + static_cast<int>(std::lround(factor * FastestTotal(world_.NetworkOf(job))));
    }
    std::ranges::stable_sort(world_.jobs, {}, &SmallJob::arrival);
  }

  RandomStream random_;
  SmallWorld world_;
};

std::string ScenarioText(const SmallWorld& world) {
  std::string text =
      fmt::format("name: small-{}\nseed: {}\nplatform:\n  sharing: none\n  accelerators:\n",
                  world.seed, world.seed);
  for (std::size_t kind = 0; kind < world.accelerators.size(); ++kind)
    text += fmt::format("    - {{kind: k{}, count: {}}}\n", kind, world.accelerators[kind]);
  return text + "networks: {profile: profile.csv}\nrequests: requests.csv\n";
}

std::string ProfileText(const SmallWorld& world) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n";
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    for (std::size_t s = 0; s < world.networks[n].size(); ++s) {
      for (std::size_t kind = 0; kind < world.accelerators.size(); ++kind) {
        const int ticks = world.networks[n][s][kind];
        if (ticks != kCannotRun)
          text += fmt::format("n{},{},k{},{},0,0\n", n, s, kind, Nanoseconds(ticks * kTick));
      }
    }
  }
  return text;
}

std::string RequestsText(const SmallWorld& world, std::span<const std::size_t> jobs) {
  std::string text = "request,arrival_ns,tenant,network,deadline_ns\n";
  for (std::size_t j : jobs) {
    const SmallJob& job = world.jobs[j];
    text += fmt::format("{},{},t{},n{},{}\n", j, Nanoseconds(job.arrival * kTick), job.tenant,
                        job.network, Nanoseconds((job.deadline - job.arrival) * kTick));
  }
  return text;
}

}  // namespace

std::vector<int> SmallWorld::JobsByTenant() const {
  std::vector<int> count(tenants, 0);
  for (const SmallJob& job : jobs) ++count[job.tenant];
  return count;
}

SmallWorld DrawSmallWorld(std::uint64_t seed, std::optional<int> jobs) {
  return Draw(seed, jobs).world();
}

std::string Describe(const SmallWorld& world) {
  std::vector<std::size_t> all(world.jobs.size());
  std::iota(all.begin(), all.end(), 0);
  return fmt::format("== scenario.yaml\n{}== profile.csv\n{}== requests.csv\n{}",
                     ScenarioText(world), ProfileText(world), RequestsText(world, all));
}

Result<std::unique_ptr<const World>> BuildSmallWorld(const SmallWorld& world,
                                                     std::span<const std::size_t> jobs) {
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario("scenario.yaml", ScenarioText(world)));
  return BuildWorld(std::move(scenario), [&](const std::string& path) -> Result<std::string> {
    if (path == "profile.csv") return ProfileText(world);
    if (path == "requests.csv") return RequestsText(world, jobs);
    return Fail("no file {}", path);
  });
}

}  // namespace fairlead
