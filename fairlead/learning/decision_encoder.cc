#include "fairlead/learning/decision_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

constexpr float kFar = 3;  // the largest number that is shown
// Where the columns of a row's kinds begin, and what each has.
constexpr std::size_t kKindColumns = 11;
constexpr std::size_t kPerKind = 4;
static_assert(kKindColumns + kPerKind * kMostKinds == kSegmentFeatures);

constexpr double kSegmentsOfUnit = 32;  // a usual segment against the mean network
constexpr double kUsualReady = 16;
constexpr double kUsualIdle = 4;
// Indicators as columns: differences of a hundredth are seen, most of all around the target.
constexpr double kUsualShare = 0.8;
constexpr double kShareScale = 10;
constexpr double kDeficitScale = 40;

float Clamp(double x) { return std::clamp(static_cast<float>(x), -kFar, kFar); }

// From all numbers to (-2, 2), steepest around 0.
float Soft(double x) { return static_cast<float>(2 * x / (1 + std::abs(x))); }

// Back from there.
double Unsoftened(float y) {
  const double x = std::clamp(static_cast<double>(y), -1.999, 1.999);
  return x / (2 - std::abs(x));
}

// Logarithms are not the same to the last bit in all libraries; these are, but for a rare tie.
double Log2(double x) {
  constexpr double kSteps = 256;
  return std::round(std::log2(std::max(x, 1e-12)) * kSteps) / kSteps;
}

double Count(Duration d) { return static_cast<double>(Nanoseconds(d)); }
double Positive(Duration d) { return std::max(Count(d), 1.0); }

}  // namespace

double DecisionEncoder::WorkLeft(std::span<const float> row) {
  return static_cast<double>(row[10]);
}
double DecisionEncoder::Done(std::span<const float> row) {
  return std::clamp((1 - static_cast<double>(row[4])) / 2, 0.0, 1.0);
}
double DecisionEncoder::Spare(std::span<const float> row) { return Unsoftened(row[8]); }
double DecisionEncoder::Deficit(std::span<const float> row) {
  return Unsoftened(row[kSegmentFeatures + 1]) / kDeficitScale;
}

void DecisionEncoder::Take(const SystemView& view) {
  const auto queue = [&](const ReadySegment& ready, const Job& job) {
    const Duration tail = view.costs().ShortestTail(job.network, ready.segment);
    queue_.Push({.key = Nanoseconds(job.deadline - tail),
                 .serial = job.serial,
                 .segment = ready.segment,
                 .job = ready.job,
                 .network = job.network,
                 .covered = job.covered});
  };
  if (!learned_ || costs_version_ != view.costs_version()) {
    Learn(view);
    queue_.Clear();
    for (const ReadySegment& ready : view.ready()) queue(ready, view.job(ready.job));
    return;
  }
  VisitNewlyReady(view, queue);
  if (WorthSweeping(queue_.size(), view.ready().size()))
    queue_.Sweep([&](const QueuedSegment& entry) {
      return !view.IsReady(entry.job, entry.serial, entry.segment);
    });
}

void DecisionEncoder::Learn(const SystemView& view) {
  learned_ = true;
  costs_version_ = view.costs_version();
  LearnKinds(view);
  std::int64_t total = 0;
  std::size_t segments = 0;
  for (std::size_t n = 0; n < view.networks().size(); ++n) {
    total += Nanoseconds(view.costs().FastestTotal(NetworkId{n})) /
             static_cast<std::int64_t>(view.networks().size());
    segments += view.networks()[n].size();
  }
  unit_ns_ = std::max(static_cast<double>(total), 1.0);
  static_rows_.assign(segments * kSegmentFeatures, 0);
  ranked_.assign(segments, {});
  for (std::size_t n = 0; n < view.networks().size(); ++n) {
    for (std::size_t s = 0; s < view.networks()[n].size(); ++s)
      LearnSegment(view, NetworkId{n}, SegmentId{s});
  }
}

void DecisionEncoder::LearnKinds(const SystemView& view) {
  const std::size_t kinds = view.costs().kinds();
  loads_.assign(kinds, {});
  for (const AcceleratorState& accelerator : view.accelerators())
    loads_[accelerator.kind.index()].online += accelerator.online ? 1 : 0;
  // Seconds: sums of nanoseconds over thousands of segments might not fit.
  std::vector<std::int64_t> sums(kinds, 0);
  for (std::size_t n = 0; n < view.networks().size(); ++n) {
    for (std::size_t s = 0; s < view.networks()[n].size(); ++s) {
      const auto latencies = view.costs().LatenciesAlone(NetworkId{n}, SegmentId{s});
      for (std::size_t k = 0; k < kinds; ++k) {
        constexpr std::int64_t kMost = std::int64_t{1} << 40;  // 18 minutes
        sums[k] += std::min(Nanoseconds(latencies[k]), kMost);
      }
    }
  }
  by_speed_.clear();
  for (std::size_t k = 0; k < kinds; ++k) {
    if (loads_[k].online > 0) by_speed_.emplace_back(k);
  }
  std::ranges::sort(by_speed_, {}, [&](KindId kind) {
    return std::tuple(sums[kind.index()], -loads_[kind.index()].online, kind);
  });
}

float DecisionEncoder::Demand(const SystemView& view, NetworkId network, SegmentId segment,
                              KindId kind) const {
  const SegmentCost* const cost = view.costs().Alone(network, segment, kind);
  if (cost == nullptr || view.platform().bandwidth <= 0) return 0;
  return Clamp(static_cast<double>(cost->dram_bytes) * 1e9 / Positive(cost->latency) /
               static_cast<double>(view.platform().bandwidth));
}

void DecisionEncoder::LearnSegment(const SystemView& view, NetworkId network, SegmentId segment) {
  const CostTable& costs = view.costs();
  const std::size_t number = costs.SegmentNumber(network, segment);
  const std::size_t size = view.networks()[network.index()].size();
  const double total = Positive(costs.FastestTotal(network));
  const double fastest = Positive(costs.Fastest(network, segment));

  double traffic = 0;
  for (std::size_t s = 0; s < size; ++s) {
    const SegmentCost* const cost =
        costs.Alone(network, SegmentId{s}, costs.FastestKind(network, SegmentId{s}));
    if (cost != nullptr) traffic += static_cast<double>(cost->dram_bytes);
  }
  const auto bandwidth = static_cast<double>(view.platform().bandwidth);
  float* const row = &static_rows_[number * kSegmentFeatures];
  row[0] = Clamp(Log2(total / unit_ns_) / 2);
  row[1] = bandwidth > 0 ? Clamp(traffic * 1e9 / total / bandwidth) : 0;
  row[2] = Clamp(Log2(static_cast<double>(size)) / 2 - 2);
  row[3] = Clamp(2 * static_cast<double>(segment.index() + 1) / static_cast<double>(size) - 1);
  row[4] = Clamp(2 * Count(costs.ShortestTail(network, segment)) / total - 1);
  row[5] = Clamp(Log2(fastest * kSegmentsOfUnit / unit_ns_) / 3);

  row[10] = Clamp(Log2(Positive(costs.ShortestTail(network, segment)) / unit_ns_) / 3);

  // Of equally fast kinds the one that is faster in general.
  const auto latencies = costs.LatenciesAlone(network, segment);
  std::vector<KindId> kinds;
  for (const KindId kind : by_speed_) {
    if (latencies[kind.index()] != CostTable::kCannotRun) kinds.push_back(kind);
  }
  std::ranges::stable_sort(kinds, {}, [&](KindId kind) { return latencies[kind.index()]; });
  for (std::size_t k = 0; k < kMostKinds; ++k) {
    float* const columns = row + kKindColumns + kPerKind * k;
    if (k >= kinds.size()) {
      columns[0] = kFar;
      columns[2] = 2;
      columns[3] = -1;
      continue;
    }
    ranked_[number][k] = kinds[k];
    columns[0] = Clamp(Log2(Positive(latencies[kinds[k].index()]) / fastest));
    columns[1] = Demand(view, network, segment, kinds[k]);
  }
}

void DecisionEncoder::LookAround(const SystemView& view, std::vector<float>& system) {
  for (KindLoad& load : loads_) load = {};
  double demand = 0;
  int online = 0;
  int busy = 0;
  for (const AcceleratorState& accelerator : view.accelerators()) {
    if (!accelerator.online) continue;
    ++online;
    KindLoad& load = loads_[accelerator.kind.index()];
    ++load.online;
    const Instant free = std::max(accelerator.believed_free, view.now());
    load.first_free = std::min(load.first_free, free);
    if (accelerator.free_units == accelerator.units) {
      ++load.idle;
      continue;
    }
    ++busy;
    load.left += free - view.now();
    for (const AssignmentId id : accelerator.running) {
      const Assignment& running = view.assignment(id);
      demand +=
          static_cast<double>(Demand(view, running.network, running.segment, accelerator.kind));
    }
  }
  system.assign(kSystemFeatures, 0);
  system[0] = Soft(static_cast<double>(view.ready().size()) / kUsualReady);
  system[1] = Clamp(demand);
  system[2] = online > 0 ? 2 * static_cast<float>(busy) / static_cast<float>(online) - 1 : 0;
  for (std::size_t k = 0; k < kMostKinds; ++k) {
    float* const columns = &system[3 + 3 * k];
    if (k >= by_speed_.size()) {
      columns[0] = -1;
      continue;
    }
    const KindLoad& load = loads_[by_speed_[k].index()];
    if (load.online == 0) continue;
    columns[0] = 2 * static_cast<float>(load.idle) / static_cast<float>(load.online) - 1;
    columns[1] = Soft(Count(load.first_free - view.now()) * kSegmentsOfUnit / unit_ns_);
    columns[2] = Soft(Count(load.left) * kSegmentsOfUnit / unit_ns_ / load.online);
  }
}

void DecisionEncoder::AddRow(const SystemView& view, const QueuedSegment& entry,
                             DecisionFeatures& features) {
  const CostTable& costs = view.costs();
  const Job& job = view.job(entry.job);
  const std::size_t number = costs.SegmentNumber(entry.network, entry.segment);
  const std::size_t begin = features.rows.size();
  features.rows.resize(begin + features.width);
  float* const row = &features.rows[begin];
  std::copy_n(&static_rows_[number * kSegmentFeatures], kSegmentFeatures, row);
  const double per_unit = 1 / unit_ns_;
  const Duration left = job.deadline - view.now();
  const Duration tail = costs.ShortestTail(entry.network, entry.segment);
  row[6] =
      Clamp(Count(job.deadline - job.arrival) / Positive(costs.FastestTotal(entry.network)) / 4);
  row[7] = Soft(Count(left) * per_unit);
  row[8] = Soft(Count(left - tail) / Positive(tail));
  row[9] = Soft(Count(view.now() - job.arrival) * per_unit);
  const RankedKinds& kinds = ranked_[number];
  const double per_latency = 1 / Positive(costs.Fastest(entry.network, entry.segment));
  for (std::size_t k = 0; k < kMostKinds && kinds[k].valid(); ++k) {
    const KindLoad& load = loads_[kinds[k].index()];
    float* const columns = row + kKindColumns + kPerKind * k;
    columns[2] = Soft(Count(load.first_free - view.now()) * per_latency);
    columns[3] = Clamp(load.idle / kUsualIdle);
  }
  if (options_.awareness == Awareness::kIndicators) {
    const double current = view.ledger().Indicator(job.agreement);
    row[kSegmentFeatures] = Clamp(kShareScale * (current - kUsualShare));
    row[kSegmentFeatures + 1] =
        Soft(kDeficitScale * (view.ledger().TargetRate(job.agreement) - current));
  }
  features.segments.push_back({.job = entry.job, .segment = entry.segment, .serial = entry.serial});
  features.kinds.push_back(kinds);
  features.covered.push_back(entry.covered);
}

void DecisionEncoder::Encode(const SystemView& view, const EarlyDrop& early_drop,
                             DecisionFeatures& features) {
  features.Begin();
  features.now = view.now();
  features.costs_version = costs_version_;
  features.width = Width(options_.awareness);
  LookAround(view, features.system);
  queue_.Walk([&](const QueuedSegment& entry) {
    using Step = ReadyQueue::Step;
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop.GivenUp(entry.job, entry.serial))
      return Step::kRemove;
    AddRow(view, entry, features);
    return features.size() == options_.limit ? Step::kKeepAndStop : Step::kKeep;
  });
}

void DecisionEncoder::Forget(const std::vector<bool>& started) {
  if (started.empty()) return;
  std::size_t row = 0;
  queue_.Walk([&](const QueuedSegment& /*entry*/) {
    using Step = ReadyQueue::Step;
    const bool gone = started[row++];
    if (row == started.size()) return gone ? Step::kRemoveAndStop : Step::kKeepAndStop;
    return gone ? Step::kRemove : Step::kKeep;
  });
}

}  // namespace fairlead
