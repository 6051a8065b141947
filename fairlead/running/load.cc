#include "fairlead/running/load.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/running/run.h"
#include "fairlead/running/seeded_world.h"

namespace fairlead {
namespace {

// Before the first request, so that it is not late.
constexpr Duration kRunUp = std::chrono::milliseconds{20};
// After its deadline a request that has not been answered will not be.
constexpr Duration kPatience = std::chrono::seconds{30};
constexpr std::string_view kAnsweredLate = "answered-late";

double Milliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

void SetLatencies(LoadOutcome& outcome, std::vector<std::int64_t> latencies) {
  const Percentiles latency = NearestRankPercentiles(std::move(latencies));
  outcome.p50_ms = Milliseconds(latency.p50);
  outcome.p99_ms = Milliseconds(latency.p99);
}

// The counts of one agreement while calls are under way.
struct Tally {
  LoadOutcome outcome;
  std::map<std::string, std::uint64_t> reasons;
  std::vector<std::int64_t> latencies;

  void Add(std::string_view result, Duration latency, Duration deadline) {
    constexpr std::array<std::string_view, 5> kRefusals = {"no-capacity", "deadline-unreachable",
                                                           "draining", "starting", "connections"};
    ++outcome.requests;
    if (result == kOkReply) {
      latencies.push_back(latency.count());
      if (latency <= deadline) {
        ++outcome.hits;
        return;
      }
      result = kAnsweredLate;
    }
    ++reasons[std::string(result)];
    if (result == kAnsweredLate || result == "deadline-passed") {
      ++outcome.late;
    } else if (result == "over-contract") {
      ++outcome.uncovered;
    } else if (std::ranges::find(kRefusals, result) != kRefusals.end()) {
      ++outcome.refused;
    } else {
      ++outcome.failed;
    }
  }
};

class Sender {
 public:
  explicit Sender(const LoadSetup& setup)
      : setup_(setup), seeded_(*setup.world, setup.seed, SeededWorld::Order::kAsListed) {}

  Status Prepare() {
    const World& world = *setup_.world;
    for (const ServiceAgreement& agreement : seeded_.agreements()) {
      const std::string& tenant = world.tenants[agreement.tenant.index()].name;
      const auto key = setup_.keys.find(tenant);
      ASSIGN_OR_RETURN(
          const std::size_t target,
          setup_.client->Prepare({.tenant = tenant,
                                  .key = key == setup_.keys.end() ? std::string() : key->second,
                                  .network = world.networks[agreement.network.index()].name()}));
      targets_.push_back(target);
    }
    tallies_.resize(targets_.size());
    return {};
  }

  void Run() {
    const std::stop_callback stopping(setup_.stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    begin_ = setup_.clock->Now() + kRunUp;
    while (const auto request = seeded_.requests()->Next()) {
      if (!WaitUntil(begin_ + (request->arrival - Instant{}))) break;
      Send(*request);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return under_way_ == 0; });
    seconds_ = static_cast<double>((setup_.clock->Now() - begin_).count()) / 1e9;
  }

  LoadFigures Figures() {
    const World& world = *setup_.world;
    LoadFigures figures{.scenario = world.scenario.name,
                        .seed = setup_.seed,
                        .seconds = seconds_,
                        .connections = setup_.client->most_connections(),
                        .interrupted = setup_.stop.stop_requested()};
    const Percentiles lag = NearestRankPercentiles(std::move(lags_));
    figures.lag_p99_ms = Milliseconds(lag.p99);
    figures.lag_max_ms = Milliseconds(lag.max);
    for (std::size_t a = 0; a < tallies_.size(); ++a) {
      const ServiceAgreement& agreement = seeded_.agreements()[a];
      SetLatencies(tallies_[a].outcome, std::move(tallies_[a].latencies));
      figures.rows.push_back({.tenant = world.tenants[agreement.tenant.index()].name,
                              .network = world.networks[agreement.network.index()].name(),
                              .target = agreement.target,
                              .live = tallies_[a].outcome,
                              .reasons = std::move(tallies_[a].reasons)});
    }
    return figures;
  }

 private:
  // False: it is to stop.
  bool WaitUntil(Instant at) {
    std::unique_lock lock(mutex_);
    while (!setup_.stop.stop_requested() && setup_.clock->Now() < at)
      setup_.clock->WaitUntil(changed_, lock, at);
    return !setup_.stop.stop_requested();
  }

  void Send(const Request& request) {
    const Instant intended = begin_ + (request.arrival - Instant{});
    const std::size_t a = request.agreement.index();
    const bool counts = request.arrival - Instant{} >= setup_.world->scenario.warm_up;
    {
      const std::lock_guard lock(mutex_);
      ++under_way_;
      lags_.push_back((setup_.clock->Now() - intended).count());
    }
    const LoadCall call{.target = targets_[a],
                        .timeout = request.deadline,
                        .priority = request.priority,
                        .limit = request.deadline + kPatience};
    setup_.client->Call(
        call, [this, a, counts, intended, deadline = request.deadline](std::string_view result) {
          const Duration latency = setup_.clock->Now() - intended;
          const std::lock_guard lock(mutex_);
          if (counts) tallies_[a].Add(result, latency, deadline);
          --under_way_;
          changed_.notify_all();
        });
    if (setup_.progressed && setup_.world->scenario.horizon > Duration::zero())
      setup_.progressed(static_cast<double>((request.arrival - Instant{}).count()) /
                        static_cast<double>(setup_.world->scenario.horizon.count()));
  }

  const LoadSetup& setup_;
  SeededWorld seeded_;
  std::vector<std::size_t> targets_;  // by agreement
  Instant begin_{};
  double seconds_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t under_way_ = 0;
  std::vector<Tally> tallies_;  // by agreement
  std::vector<std::int64_t> lags_;
};

void Count(const LoggedJob& job, LoadOutcome& outcome, std::vector<std::int64_t>& latencies) {
  ++outcome.requests;
  if (job.finished()) latencies.push_back((job.finish - job.arrival).count());
  if (job.outcome == Outcome::kHit) {
    ++outcome.hits;
  } else if (job.outcome == Outcome::kMiss || job.reason == Reason::kLate) {
    ++outcome.late;
  } else if (job.reason == Reason::kUncovered) {
    ++outcome.uncovered;
  } else if (job.reason == Reason::kFailed) {
    ++outcome.failed;
  } else {
    ++outcome.refused;
  }
}

}  // namespace

Result<LoadFigures> RunLoad(const LoadSetup& setup) {
  Sender sender(setup);
  RETURN_IF_ERROR(sender.Prepare());
  sender.Run();
  return sender.Figures();
}

namespace {

// What a simulation makes of the same requests, by agreement.
Result<std::vector<LoadOutcome>> Simulated(const World& world, std::string_view policy,
                                           const LoadFigures& figures) {
  std::vector<LoggedJob> jobs;
  const RunSpec spec{
      .policy = std::string(policy), .seed = figures.seed, .bounds = false, .as_listed = true};
  RETURN_IF_ERROR(RunOnce(world, spec, {.jobs = &jobs}));
  std::vector<LoadOutcome> outcomes(figures.rows.size());
  std::vector<std::vector<std::int64_t>> latencies(figures.rows.size());
  for (const LoggedJob& job : jobs) {
    if (job.arrival < Instant{} + world.scenario.warm_up) continue;
    const std::size_t a = job.agreement.index();
    Count(job, outcomes[a], latencies[a]);
  }
  for (std::size_t a = 0; a < outcomes.size(); ++a)
    SetLatencies(outcomes[a], std::move(latencies[a]));
  return outcomes;
}

World WithCosts(const World& world, double share) {
  World other = world;
  other.truth = world.truth->WithLatencies(world.networks, [&](const CostRow& row) {
    return std::optional(
        Duration{std::llround(static_cast<double>(row.cost.latency.count()) * share)});
  });
  return other;
}

}  // namespace

Status SimulateBeside(const World& world, std::string_view policy, LoadFigures& figures) {
  for (const double share : {1.0, 1 - kCostDoubt, 1 + kCostDoubt}) {
    ASSIGN_OR_RETURN(const std::vector<LoadOutcome> outcomes,
                     share == 1 ? Simulated(world, policy, figures)
                                : Simulated(WithCosts(world, share), policy, figures));
    for (std::size_t a = 0; a < outcomes.size(); ++a) {
      LoadRow& row = figures.rows[a];
      if (share == 1) row.beside = outcomes[a];
      const double rate = outcomes[a].hit_rate().value_or(1);
      row.beside_least = std::min(row.beside_least, rate);
      row.beside_most = std::max(row.beside_most, rate);
    }
  }
  figures.policy = policy;
  return {};
}

}  // namespace fairlead
