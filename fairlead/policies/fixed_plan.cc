#include "fairlead/policies/fixed_plan.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

class FixedPlanPolicy final : public SchedulingPolicy {
 public:
  explicit FixedPlanPolicy(const FixedPlan& plan) {
    for (const FixedPlanEntry& entry : plan.entries) {
      if (lanes_.size() <= entry.accelerator.index()) lanes_.resize(entry.accelerator.index() + 1);
      lanes_[entry.accelerator.index()].entries.push_back(entry);
      jobs_.emplace(entry.request, JobId{});
    }
    for (Lane& lane : lanes_) std::ranges::sort(lane.entries, {}, &FixedPlanEntry::order);
  }

  std::string_view Name() const override { return "fixed-plan"; }

  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind == EventKind::kJobArrived) {
      jobs_[view.job(event.job).request] = event.job;
    } else if (event.kind == EventKind::kSegmentFailed &&
               event.accelerator.index() < lanes_.size()) {
      Lane& lane = lanes_[event.accelerator.index()];
      if (lane.next > 0) --lane.next;  // it runs again
    }
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    for (std::size_t a = 0; a < lanes_.size(); ++a) {
      Lane& lane = lanes_[a];
      const AcceleratorState& accelerator = view.accelerators()[a];
      if (lane.next == lane.entries.size() || !accelerator.online ||
          accelerator.free_units < accelerator.units)
        continue;
      const FixedPlanEntry& entry = lane.entries[lane.next];
      const JobId job = jobs_[entry.request];
      if (!job.valid() || !MayStart(view, job, entry.segment)) continue;
      plan.Start(AcceleratorId{a}, job, entry.segment);
      ++lane.next;
    }
  }

 private:
  // The plan in a recording has not been checked: its segments may not exist.
  static bool MayStart(const SystemView& view, JobId id, SegmentId segment) {
    const Job& job = view.job(id);
    return job.active && segment.index() < view.networks()[job.network.index()].size() &&
           view.IsReady(id, segment);
  }

  struct Lane {
    std::vector<FixedPlanEntry> entries;  // by order
    std::size_t next = 0;
  };
  std::vector<Lane> lanes_;  // per accelerator
  std::unordered_map<RequestNumber, JobId> jobs_;
};

}  // namespace

Result<FixedPlan> ParseFixedPlan(std::string_view file, std::string_view text,
                                 const Platform& platform) {
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse(file, text, {"request", "layer", "accelerator", "order"}, {}));
  std::vector<std::string_view> names;
  for (const Accelerator& accelerator : platform.accelerators) names.push_back(accelerator.name);
  FixedPlan plan{.file = std::string(file), .text = std::string(text), .entries = {}};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(const std::int64_t request, table.Integer(row, "request", 0, INT64_MAX));
    ASSIGN_OR_RETURN(const std::int64_t layer, table.Integer(row, "layer", 0, UINT32_MAX - 1));
    ASSIGN_OR_RETURN(const std::int64_t order, table.Integer(row, "order", INT64_MIN, INT64_MAX));
    const std::string_view name = table.Text(row, "accelerator");
    const AcceleratorId accelerator = platform.FindAccelerator(name);
    if (!accelerator.valid())
      return FailAt(table.PlaceOf(row, "accelerator"), "unknown accelerator '{}'{}", name,
                    Suggest(name, names));
    plan.entries.push_back({.request = static_cast<RequestNumber>(request),
                            .segment = SegmentId{static_cast<std::size_t>(layer)},
                            .accelerator = accelerator,
                            .order = order,
                            .line = table.PlaceOf(row, "request").line});
  }
  return plan;
}

Status CheckFixedPlan(const FixedPlan& plan, std::span<const PlannedRequest> requests,
                      std::span<const NetworkGraph> networks, const Platform& platform,
                      const CostTable& costs) {
  const auto place = [&](const FixedPlanEntry& entry) { return Place{plan.file, entry.line, 1}; };
  struct Planned {
    NetworkId network;
    std::size_t first_node;
  };
  std::unordered_map<RequestNumber, Planned> by_request;
  std::size_t nodes = 0;
  for (const PlannedRequest& request : requests) {
    by_request[request.request] = {request.network, nodes};
    nodes += networks[request.network.index()].size();
  }

  // Each segment of each request is a node; an entry fills it.
  std::vector<const FixedPlanEntry*> entry_of(nodes, nullptr);
  std::vector<std::size_t> node_of_entry;
  for (const FixedPlanEntry& entry : plan.entries) {
    const auto found = by_request.find(entry.request);
    if (found == by_request.end())
      return FailAt(place(entry), "request {} does not exist", entry.request);
    const auto [network, first_node] = found->second;
    if (entry.segment.index() >= networks[network.index()].size())
      return FailAt(place(entry), "request {} ({}) has no layer {}", entry.request,
                    networks[network.index()].name(), entry.segment.value);
    const Accelerator& accelerator = platform.accelerators[entry.accelerator.index()];
    if (costs.Alone(network, entry.segment, accelerator.kind) == nullptr)
      return FailAt(place(entry), "layer {} of {} cannot run on {}", entry.segment.value,
                    networks[network.index()].name(), accelerator.name);
    const std::size_t node = first_node + entry.segment.index();
    if (entry_of[node] != nullptr)
      return FailAt(place(entry), "layer {} of request {} stands in line {} already",
                    entry.segment.value, entry.request, entry_of[node]->line);
    entry_of[node] = &entry;
    node_of_entry.push_back(node);
  }
  for (const PlannedRequest& request : requests) {
    const Planned& planned = by_request[request.request];
    for (std::size_t s = 0; s < networks[request.network.index()].size(); ++s) {
      if (entry_of[planned.first_node + s] == nullptr)
        return FailAt({plan.file, 0, 0}, "layer {} of request {} is missing", s, request.request);
    }
  }

  // Dependencies and the orders of the accelerators together must be free of cycles.
  std::vector<std::size_t> sorted(plan.entries.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::ranges::sort(sorted, [&](std::size_t a, std::size_t b) {
    return std::tie(plan.entries[a].accelerator, plan.entries[a].order, plan.entries[a].line) <
           std::tie(plan.entries[b].accelerator, plan.entries[b].order, plan.entries[b].line);
  });
  std::vector<std::size_t> next_in_lane(nodes, nodes);
  std::vector<std::size_t> pending(nodes, 0);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const FixedPlanEntry& before = plan.entries[sorted[i - 1]];
    const FixedPlanEntry& after = plan.entries[sorted[i]];
    if (before.accelerator != after.accelerator) continue;
    if (before.order == after.order)
      return FailAt(place(after), "order {} on {} stands in line {} already", after.order,
                    platform.accelerators[after.accelerator.index()].name, before.line);
    next_in_lane[node_of_entry[sorted[i - 1]]] = node_of_entry[sorted[i]];
    ++pending[node_of_entry[sorted[i]]];
  }
  std::vector<std::size_t> free;
  for (std::size_t node = 0; node < nodes; ++node) {
    const FixedPlanEntry& entry = *entry_of[node];
    const NetworkGraph& graph = networks[by_request[entry.request].network.index()];
    pending[node] += graph.Predecessors(entry.segment).size();
    if (pending[node] == 0) free.push_back(node);
  }
  std::size_t done = 0;
  while (!free.empty()) {
    const std::size_t node = free.back();
    free.pop_back();
    ++done;
    const auto release = [&](std::size_t next) {
      if (--pending[next] == 0) free.push_back(next);
    };
    if (next_in_lane[node] < nodes) release(next_in_lane[node]);
    const FixedPlanEntry& entry = *entry_of[node];
    const Planned& planned = by_request[entry.request];
    for (SegmentId next : networks[planned.network.index()].Successors(entry.segment))
      release(planned.first_node + next.index());
  }
  if (done == nodes) return {};
  for (std::size_t node = 0; node < nodes; ++node) {
    if (pending[node] > 0)
      return FailAt(place(*entry_of[node]),
                    "layer {} of request {} never starts: the orders contradict the dependencies",
                    entry_of[node]->segment.value, entry_of[node]->request);
  }
  return {};
}

std::unique_ptr<SchedulingPolicy> MakeFixedPlanPolicy(const FixedPlan& plan) {
  return std::make_unique<FixedPlanPolicy>(plan);
}

}  // namespace fairlead
