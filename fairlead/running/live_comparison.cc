#include "fairlead/running/live_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

// Of a sample that is not empty; the nearest rank.
double RankOf(std::vector<double> sample, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sample.size()));
  const auto place =
      sample.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sample.size() - 1));
  std::ranges::nth_element(sample, place);
  return *place;
}

TenantFigures FiguresOf(std::span<const LoggedJob> jobs, AgreementId agreement, Instant from,
                        std::uint64_t* count = nullptr) {
  TenantFigures figures;
  std::uint64_t all = 0;
  std::uint64_t hits = 0;
  std::vector<double> latencies;
  for (const LoggedJob& job : jobs) {
    if (job.agreement != agreement || job.arrival < from) continue;
    ++all;
    if (job.outcome == Outcome::kHit) ++hits;
    if (job.finished()) latencies.push_back(Seconds(job.finish - job.arrival) * 1e3);
  }
  if (all > 0) figures.hit_rate = static_cast<double>(hits) / static_cast<double>(all);
  if (!latencies.empty()) {
    figures.p50_ms = RankOf(latencies, 0.5);
    figures.p95_ms = RankOf(std::move(latencies), 0.95);
  }
  if (count != nullptr) *count = all;
  return figures;
}

KindId KindOf(const World& world, AcceleratorId accelerator) {
  return world.platform.accelerators[accelerator.index()].kind;
}

double Microseconds(Duration time) { return Seconds(time) * 1e6; }

Duration Predicted(const World& world, const LoggedSegment& segment) {
  const KindId kind = KindOf(world, segment.accelerator);
  const SegmentCost* const cost = world.truth->Alone(segment.network, segment.segment, kind);
  return cost == nullptr ? Duration::zero() : cost->latency;
}

std::vector<SegmentComparison> CompareSegments(const World& world,
                                               std::span<const LoggedSegment> segments) {
  struct Group {
    double predicted = 0;
    double measured = 0;
    std::vector<double> beyond;
  };
  std::map<std::tuple<NetworkId, KindId, Passage>, Group> groups;
  for (const LoggedSegment& segment : segments) {
    Group& group = groups[{segment.network, KindOf(world, segment.accelerator), segment.passage}];
    const double predicted = Microseconds(Predicted(world, segment));
    const double measured = Microseconds(segment.time);
    group.predicted += predicted;
    group.measured += measured;
    group.beyond.push_back(measured - predicted);
  }
  std::vector<SegmentComparison> compared;
  for (auto& [key, group] : groups) {
    const auto& [network, kind, passage] = key;
    const auto count = static_cast<double>(group.beyond.size());
    compared.push_back({.network = world.networks[network.index()].name(),
                        .kind = world.platform.kinds[kind.index()].name,
                        .passage = passage,
                        .segments = group.beyond.size(),
                        .predicted_us = group.predicted / count,
                        .measured_us = group.measured / count,
                        .beyond_p50_us = RankOf(group.beyond, 0.5),
                        .beyond_p95_us = RankOf(group.beyond, 0.95)});
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
  for (std::size_t a = 0; a < world.agreements.size(); ++a) {
    const ServiceAgreement& agreement = world.agreements[a].agreement;
    const AgreementId id{a};
    TenantComparison tenant{.tenant = world.tenants[agreement.tenant.index()].name,
                            .network = world.networks[agreement.network.index()].name(),
                            .simulated = FiguresOf(simulated.jobs, id, live.measured_from),
                            .again = FiguresOf(again.jobs, id, live.measured_from)};
    tenant.live = FiguresOf(live.jobs, id, live.measured_from, &tenant.requests);
    comparison.tenants.push_back(std::move(tenant));
  }
  return comparison;
}

}  // namespace fairlead
