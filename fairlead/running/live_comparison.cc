#include "fairlead/running/live_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

double InMilliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
double Microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

struct AgreementResult {
  std::uint64_t requests = 0;
  TenantFigures figures;
};

// By agreement, of what arrived after the warm-up.
std::vector<AgreementResult> ResultsOf(std::span<const LoggedJob> jobs, std::size_t agreements,
                                       Instant measured_from) {
  std::vector<AgreementResult> results(agreements);
  std::vector<std::uint64_t> hits(agreements);
  std::vector<std::vector<std::int64_t>> latencies(agreements);
  for (const LoggedJob& job : jobs) {
    if (job.arrival < measured_from) continue;
    const std::size_t a = job.agreement.index();
    ++results[a].requests;
    if (job.outcome == Outcome::kHit) ++hits[a];
    if (job.finished()) latencies[a].push_back((job.finish - job.arrival).count());
  }
  for (std::size_t a = 0; a < agreements; ++a) {
    TenantFigures& figures = results[a].figures;
    if (results[a].requests > 0)
      figures.hit_rate = static_cast<double>(hits[a]) / static_cast<double>(results[a].requests);
    if (latencies[a].empty()) continue;
    const Percentiles latency = NearestRankPercentiles(std::move(latencies[a]));
    figures.p50_ms = InMilliseconds(latency.p50);
    figures.p95_ms = InMilliseconds(latency.p95);
  }
  return results;
}

KindId KindOf(const World& world, AcceleratorId accelerator) {
  return world.platform.accelerators[accelerator.index()].kind;
}

Duration Predicted(const World& world, const LoggedSegment& segment) {
  const KindId kind = KindOf(world, segment.accelerator);
  const SegmentCost* const cost = world.truth->Alone(segment.network, segment.segment, kind);
  return cost == nullptr ? Duration::zero() : cost->latency;
}

// Beside its cost, for coming to run there.
Duration PredictedHandOver(const World& world, const LoggedSegment& segment) {
  const HandOverCosts& costs = world.truth->hand_overs();
  if (costs.None()) return Duration::zero();
  const KindId kind = KindOf(world, segment.accelerator);
  Duration time = segment.alone_there ? Duration::zero() : costs.TakeOver(kind);
  if (segment.passage == Passage::kMoves) {
    const MoveCost& move = costs.Move(KindOf(world, segment.from), kind);
    const NetworkGraph& network = world.networks[segment.network.index()];
    for (const SegmentId before : network.Predecessors(segment.segment))
      time += move.For(world.truth->AliveBytes(segment.network, before));
  }
  return time;
}

std::vector<SegmentComparison> CompareSegments(const World& world,
                                               std::span<const LoggedSegment> segments) {
  struct Group {
    Duration predicted{};
    Duration measured{};
    std::vector<std::int64_t> beyond;  // nanoseconds
  };
  std::map<std::tuple<NetworkId, KindId, Passage>, Group> groups;
  for (const LoggedSegment& segment : segments) {
    Group& group = groups[{segment.network, KindOf(world, segment.accelerator), segment.passage}];
    const Duration predicted = Predicted(world, segment) + PredictedHandOver(world, segment);
    group.predicted += predicted;
    group.measured += segment.time;
    group.beyond.push_back((segment.time - predicted).count());
  }
  std::vector<SegmentComparison> compared;
  for (auto& [key, group] : groups) {
    const auto& [network, kind, passage] = key;
    const std::size_t count = group.beyond.size();
    const auto mean = [&](Duration sum) {
      return Microseconds(sum.count()) / static_cast<double>(count);
    };
    const Percentiles beyond = NearestRankPercentiles(std::move(group.beyond));
    compared.push_back({.network = world.networks[network.index()].name(),
                        .kind = world.platform.kinds[kind.index()].name,
                        .passage = passage,
                        .segments = count,
                        .predicted_us = mean(group.predicted),
                        .measured_us = mean(group.measured),
                        .beyond_p50_us = Microseconds(beyond.p50),
                        .beyond_p95_us = Microseconds(beyond.p95)});
  }
  return compared;
}

struct SimulatedRun {
  std::vector<LoggedJob> jobs;
  std::uint64_t moves = 0;
};

Result<SimulatedRun> Simulate(const LiveRunSeen& live, const CostTable* truth) {
  RunSpec spec = live.spec;
  spec.pace = Pace::kSimulated;
  spec.networks = nullptr;
  spec.clock = nullptr;
  spec.bounds = false;
  spec.compare = false;
  spec.as_listed = true;
  spec.truth = truth;
  SimulatedRun run;
  SegmentLog segments(SegmentLog::Keep::kCounts);
  ASSIGN_OR_RETURN(const RunFigures figures,
                   RunOnce(live.world, spec, {.jobs = &run.jobs, .segments = &segments}));
  static_cast<void>(figures);
  run.moves = segments.passages()[static_cast<std::size_t>(Passage::kMoves)];
  return run;
}

}  // namespace

CostTable MeasuredCosts(const World& world, std::span<const LoggedSegment> segments) {
  constexpr double kFewest = 3;
  struct Sum {
    double count = 0;
    double predicted = 0;
    double measured = 0;
    double Factor() const { return predicted > 0 ? measured / predicted : 1; }
  };
  std::map<std::tuple<NetworkId, KindId>, Sum> networks;
  std::map<std::tuple<NetworkId, SegmentId, KindId>, Sum> each;
  for (const LoggedSegment& segment : segments) {
    const KindId kind = KindOf(world, segment.accelerator);
    const Duration predicted = Predicted(world, segment);
    for (Sum* sum :
         {&networks[{segment.network, kind}], &each[{segment.network, segment.segment, kind}]}) {
      sum->count += 1;
      sum->predicted += static_cast<double>(predicted.count());
      sum->measured += static_cast<double>(segment.time.count());
    }
  }
  CostTable measured(world.networks, world.platform);
  world.truth->ForEach([&](const CostRow& row) {
    const Sum& own = each[{row.network, row.segment, row.kind}];
    const Sum& all = own.count < kFewest ? networks[{row.network, row.kind}] : own;
    SegmentCost cost = row.cost;
    const double latency = all.Factor() * static_cast<double>(cost.latency.count());
    cost.latency = Duration{std::max<std::int64_t>(std::llround(latency), 1)};
    measured.Set(row.network, row.segment, row.kind, row.configuration, cost);
  });
  measured.Seal(world.networks);
  return measured;
}

Result<LiveComparison> CompareWithSimulated(const LiveRunSeen& live) {
  const World& world = live.world;
  ASSIGN_OR_RETURN(const SimulatedRun simulated, Simulate(live, nullptr));
  const CostTable measured = MeasuredCosts(world, live.segments.segments());
  ASSIGN_OR_RETURN(const SimulatedRun again, Simulate(live, &measured));
  LiveComparison comparison{.segments = CompareSegments(world, live.segments.segments()),
                            .tenants = {},
                            .simulated_moves = simulated.moves};
  const auto results_of = [&](std::span<const LoggedJob> jobs) {
    return ResultsOf(jobs, world.agreements.size(), live.measured_from);
  };
  const auto as_simulated = results_of(simulated.jobs);
  const auto simulated_again = results_of(again.jobs);
  const auto as_live = results_of(live.jobs);
  for (std::size_t a = 0; a < world.agreements.size(); ++a) {
    const ServiceAgreement& agreement = world.agreements[a].agreement;
    comparison.tenants.push_back({.tenant = world.tenants[agreement.tenant.index()].name,
                                  .network = world.networks[agreement.network.index()].name(),
                                  .requests = as_live[a].requests,
                                  .simulated = as_simulated[a].figures,
                                  .live = as_live[a].figures,
                                  .again = simulated_again[a].figures});
  }
  return comparison;
}

}  // namespace fairlead
