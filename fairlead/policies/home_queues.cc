#include "fairlead/policies/home_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "fairlead/base/csv.h"

namespace fairlead {

namespace {

constexpr double kLargestRatio = 1e9;

// The sum of equal numbers does not depend on who stands where.
double OrderlessSum(std::vector<double> values) {
  std::ranges::sort(values);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of accelerators that are online.
double SumThere(const SystemView& view, std::vector<double> values) {
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (!view.accelerators()[a].online) values[a] = 0;
  }
  return OrderlessSum(std::move(values));
}

bool CanBegin(const SystemView& view, NetworkId network, KindId kind) {
  return view.costs().Alone(network, SegmentId{0}, kind) != nullptr;
}

}  // namespace

Result<AllocationRatios> ParseAllocationRatios(const std::string& file, std::string_view text) {
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse(file, text, {"network", "accelerator", "ratio"}, {}));
  AllocationRatios ratios;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::set<std::string_view> with;
  std::set<std::string_view> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const std::string_view network, table.Name(row, "network"));
    ASSIGN_OR_RETURN(const std::string_view accelerator, table.Name(row, "accelerator"));
    ASSIGN_OR_RETURN(const double ratio, table.Number(row, "ratio", 0, kLargestRatio));
    if (!seen.emplace(network, accelerator).second)
      return FailAt(table.PlaceOf(row, "network"), "'{}' on '{}' stands twice", network,
                    accelerator);
    all.insert(network);
    if (ratio > 0) with.insert(network);
    ratios.rows.push_back({std::string(network), std::string(accelerator), ratio});
  }
  for (const std::string_view network : all) {
    if (!with.contains(network))
      return Fail("{}: no ratio of '{}' is above 0; expected at least one", file, network);
  }
  return ratios;
}

std::string FormatAllocationRatios(const AllocationRatios& ratios) {
  std::string text = "network,accelerator,ratio\n";
  for (const AllocationRatios::Row& row : ratios.rows)
    text += fmt::format("{},{},{}\n", row.network, row.accelerator, row.ratio);
  return text;
}

Duration WholeLatency(const SystemView& view, NetworkId network, KindId kind) {
  Duration whole{};
  for (std::size_t s = 0; s < view.networks()[network.index()].size(); ++s) {
    const SegmentCost* cost = view.costs().Alone(network, SegmentId{s}, kind);
    whole += cost != nullptr ? cost->latency : view.costs().Fastest(network, SegmentId{s});
  }
  return whole;
}

std::vector<double> RatiosOf(const AllocationRatios& ratios, UsualRatios usual,
                             const SystemView& view, NetworkId network) {
  const Platform& platform = view.platform();
  std::vector<double> found(platform.accelerators.size(), 0);
  for (const AllocationRatios::Row& row : ratios.rows) {
    if (row.network != view.networks()[network.index()].name()) continue;
    const AcceleratorId accelerator = platform.FindAccelerator(row.accelerator);
    if (!accelerator.valid()) continue;
    if (CanBegin(view, network, platform.accelerators[accelerator.index()].kind))
      found[accelerator.index()] = row.ratio;
  }
  double sum = SumThere(view, found);
  if (sum <= 0) {
    std::vector<double> of_kind(platform.kinds.size(), 0);
    for (std::size_t k = 0; k < of_kind.size(); ++k) {
      if (!CanBegin(view, network, KindId{k})) continue;
      const auto whole = static_cast<double>(WholeLatency(view, network, KindId{k}).count());
      of_kind[k] = usual == UsualRatios::kEqual ? 1 : 1 / std::max(whole, 1.0);
    }
    for (std::size_t a = 0; a < found.size(); ++a)
      found[a] = of_kind[platform.accelerators[a].kind.index()];
    sum = SumThere(view, found);
    if (sum <= 0) sum = OrderlessSum(found);
  }
  for (double& ratio : found) ratio /= sum;
  return found;
}

void HomeQueues::Begin(const SystemView& view) {
  const auto accelerators = view.accelerators();
  queues_.resize(accelerators.size());
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    if (accelerators[a].online || queues_[a].size() == 0) continue;
    leaving_.clear();
    queues_[a].Walk([&](const QueuedSegment& entry) {
      if (view.IsReady(entry.job, entry.serial, entry.segment)) leaving_.push_back(entry);
      return ReadyQueue::Step::kRemove;
    });
    for (const QueuedSegment& entry : leaving_) Push(view, entry.job, entry.segment, entry.key);
  }
}

AcceleratorId HomeQueues::HomeOf(const SystemView& view, JobId job) const {
  if (job.index() >= homes_.size()) return {};
  const Home& home = homes_[job.index()];
  return home.serial == view.job(job).serial ? home.accelerator : AcceleratorId{};
}

void HomeQueues::SetHome(const SystemView& view, JobId job, AcceleratorId home) {
  if (homes_.size() <= job.index()) homes_.resize(job.index() + 1);
  homes_[job.index()] = {view.job(job).serial, home};
}

AcceleratorId HomeQueues::PlaceFor(const SystemView& view, JobId id, SegmentId segment) const {
  const auto accelerators = view.accelerators();
  const auto latencies = view.costs().LatenciesAlone(view.job(id).network, segment);
  const auto latency = [&](AcceleratorId a) {
    return latencies[accelerators[a.index()].kind.index()];
  };
  const AcceleratorId home = HomeOf(view, id);
  if (home.valid() && accelerators[home.index()].online && latency(home) != CostTable::kCannotRun)
    return home;
  AcceleratorId best;
  AcceleratorId away;
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    const AcceleratorId here{a};
    if (latency(here) == CostTable::kCannotRun) continue;
    if (!accelerators[a].online) {
      if (!away.valid()) away = here;
      continue;
    }
    const auto rank = [&](AcceleratorId one) {
      const AcceleratorState& state = accelerators[one.index()];
      return std::tuple(queues_[one.index()].size(), std::max(state.believed_free, view.now()),
                        latency(one));
    };
    if (!best.valid() || rank(here) < rank(best)) best = here;
  }
  return best.valid() ? best : away;
}

void HomeQueues::Push(const SystemView& view, JobId id, SegmentId segment, std::int64_t key) {
  const Job& job = view.job(id);
  const AcceleratorId where = PlaceFor(view, id, segment);
  queues_[where.index()].Push({key, job.serial, segment, id, job.network, job.covered});
}

void HomeQueues::Serve(const SystemView& view, AcceleratorSlots& slots, AcceleratorSlot& slot,
                       const EarlyDrop& early_drop, SchedulingPlan& plan, Which which) {
  queues_[slot.id.index()].Walk([&](const QueuedSegment& entry) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    if (which == Which::kCovered && !entry.covered) return ReadyQueue::Step::kKeepAndStop;
    const Duration latency = view.costs().Alone(entry.network, entry.segment, slot.kind)->latency;
    const Duration hand_over = slots.HandOver(view, slot, entry.job, entry.segment);
    AddToPlan(slots.Book(slot, latency + hand_over), entry.job, entry.segment, plan);
    return slot.usable ? ReadyQueue::Step::kRemove : ReadyQueue::Step::kRemoveAndStop;
  });
}

}  // namespace fairlead
