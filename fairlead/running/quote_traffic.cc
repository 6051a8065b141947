#include "fairlead/running/quote_traffic.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <span>

#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/token_bucket.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/running/worker_threads.h"
#include "fairlead/workload/fluid_bound.h"

namespace fairlead {
namespace {

// What the program rounds is far less.
constexpr double kCertainlyBelowOne = 1 - 1e-5;

FluidSystem SystemOf(const World& world) {
  return {world.platform, world.networks, *world.truth, world.platform.bandwidth};
}

// By agreement, at the loosest level. What was recorded has deadlines of its own.
std::vector<Duration> LoosestDeadlines(const World& world) {
  const double level = std::ranges::max(world.scenario.levels.factors);
  std::vector<Duration> loosest;
  for (const PlannedAgreement& planned : world.agreements) {
    const double deadline =
        static_cast<double>(planned.agreement.deadline.count()) * (planned.levelled ? level : 1);
    loosest.emplace_back(static_cast<std::int64_t>(std::min(std::ceil(deadline), 4e18)));
  }
  for (const Request& request : world.requests) {
    Duration& deadline = loosest[request.agreement.index()];
    deadline = std::max(deadline, request.deadline);
  }
  return loosest;
}

// The part of the machine that one request per second takes, by agreement; 0 for those that are
// promised nothing, and where no request can be served in time.
std::vector<double> PromisedWork(const World& world) {
  std::vector<RequestRate> alone;
  for (std::size_t n = 0; n < world.networks.size(); ++n) alone.push_back({NetworkId{n}, {}, 1});
  const std::vector<Duration> loosest = LoosestDeadlines(world);
  for (std::size_t a = 0; a < loosest.size(); ++a) {
    Duration& deadline = alone[world.agreements[a].agreement.network.index()].deadline;
    deadline = std::max(deadline, loosest[a]);
  }
  std::vector<double> cost;
  for (const RequestRate& rate : alone) {
    const auto largest = FindLargestLoad(SystemOf(world), std::span(&rate, 1));
    cost.push_back(largest.has_value() && largest->multiple > 0 ? 1 / largest->multiple : 0);
  }
  std::vector<double> work;
  for (const PlannedAgreement& planned : world.agreements)
    work.push_back(PromisedShare(planned.agreement) * cost[planned.agreement.network.index()]);
  return work;
}

std::vector<std::int64_t> CountCovered(const World& world, std::uint64_t seed) {
  std::vector<std::int64_t> counts(world.agreements.size());
  std::vector<std::optional<TokenBucket>> buckets;
  for (const PlannedAgreement& planned : world.agreements) {
    buckets.emplace_back();
    if (planned.agreement.contract.has_value()) buckets.back().emplace(*planned.agreement.contract);
  }
  const Instant measured_from = Instant{} + world.scenario.warm_up;
  const auto requests = DrawRequests(world, seed);
  while (const auto request = requests->Next()) {
    std::optional<TokenBucket>& bucket = buckets[request->agreement.index()];
    const bool covered = !bucket.has_value() || bucket->Take(request->arrival);
    if (covered && request->arrival >= measured_from) ++counts[request->agreement.index()];
  }
  return counts;
}

bool CannotServe(const World& world, std::span<const ArrivalCount> needed) {
  Duration longest{};
  for (const ArrivalCount& count : needed) longest = std::max(longest, count.deadline);
  const Duration useful = world.scenario.horizon - world.scenario.warm_up + longest;
  const auto bounds = FindFluidBounds(SystemOf(world), needed, useful);
  return bounds.has_value() && bounds->worst_agreement < kCertainlyBelowOne;
}

ArrivalCount MustHit(const World& world, const Traffic& traffic, std::size_t a,
                     const std::vector<Duration>& loosest) {
  const ServiceAgreement& agreement = world.agreements[a].agreement;
  const double needed = PromisedShare(agreement) * static_cast<double>(traffic.counts[a]);
  return {.agreement = AgreementId{a},
          .network = agreement.network,
          .deadline = loosest[a],
          .count = static_cast<std::int64_t>(std::floor(needed))};
}

}  // namespace

std::vector<Traffic> DrawTraffic(const World& world, const TrafficDraw& draw) {
  const std::vector<double> work = PromisedWork(world);
  const double measured = Seconds(world.scenario.horizon - world.scenario.warm_up);
  std::vector<Traffic> drawn(static_cast<std::size_t>(draw.draws));
  std::atomic<std::size_t> next = 0;
  const auto draw_some = [&] {
    for (std::size_t i = next++; i < drawn.size(); i = next++) {
      const std::uint64_t seed = draw.first_seed + i;
      drawn[i] = {.seed = seed, .counts = CountCovered(world, seed)};
      for (std::size_t a = 0; a < work.size(); ++a)
        drawn[i].weight += work[a] * static_cast<double>(drawn[i].counts[a]) / measured;
    }
  };
  WorkOnThreads(draw.threads, draw_some);
  return drawn;
}

bool ProvablyNot(const World& world, const Traffic& traffic) {
  const std::vector<Duration> loosest = LoosestDeadlines(world);
  std::vector<ArrivalCount> needed;
  for (std::size_t a = 0; a < world.agreements.size(); ++a)
    needed.push_back(MustHit(world, traffic, a, loosest));
  std::erase_if(needed, [](const ArrivalCount& count) { return count.count == 0; });
  return CannotServe(world, needed);
}

bool ProvablyNotAlone(const World& world, const Traffic& traffic, std::size_t agreement) {
  const ArrivalCount needed = MustHit(world, traffic, agreement, LoosestDeadlines(world));
  return needed.count > 0 && CannotServe(world, std::span(&needed, 1));
}

}  // namespace fairlead
