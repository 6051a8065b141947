#include "fairlead/policies/fixed_plan.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {

// Whether a fixed plan can be carried out: every segment stands in it once, where it can run, and
// the orders do not contradict the dependencies.

namespace {

// Each segment of each request is a node; an entry of the plan fills it.
class PlanCheck {
 public:
  PlanCheck(const FixedPlan& plan, std::span<const PlannedRequest> requests,
            std::span<const NetworkGraph> networks, const Platform& platform,
            const CostTable& costs)
      : plan_(plan), requests_(requests), networks_(networks), platform_(platform), costs_(costs) {}

  Status Run() {
    NumberNodes();
    for (const FixedPlanEntry& entry : plan_.entries) RETURN_IF_ERROR(Fill(entry));
    RETURN_IF_ERROR(FindMissing());
    RETURN_IF_ERROR(OrderLanes());
    return FindCycle();
  }

 private:
  struct Planned {
    NetworkId network;
    std::size_t first_node;
  };

  Place PlaceOf(const FixedPlanEntry& entry) const { return {plan_.file, entry.line, 1}; }

  void NumberNodes() {
    std::size_t nodes = 0;
    for (const PlannedRequest& request : requests_) {
      by_request_[request.request] = {request.network, nodes};
      nodes += networks_[request.network.index()].size();
    }
    entry_of_.assign(nodes, nullptr);
  }

  Status Fill(const FixedPlanEntry& entry) {
    const auto found = by_request_.find(entry.request);
    if (found == by_request_.end())
      return FailAt(PlaceOf(entry), "request {} does not exist", entry.request);
    const auto [network, first_node] = found->second;
    const NetworkGraph& graph = networks_[network.index()];
    if (entry.segment.index() >= graph.size())
      return FailAt(PlaceOf(entry), "request {} ({}) has no layer {}", entry.request, graph.name(),
                    entry.segment.value);
    const Accelerator& accelerator = platform_.accelerators[entry.accelerator.index()];
    if (costs_.Alone(network, entry.segment, accelerator.kind) == nullptr)
      return FailAt(PlaceOf(entry), "layer {} of {} cannot run on {}", entry.segment.value,
                    graph.name(), accelerator.name);
    const std::size_t node = first_node + entry.segment.index();
    if (entry_of_[node] != nullptr)
      return FailAt(PlaceOf(entry), "layer {} of request {} stands in line {} already",
                    entry.segment.value, entry.request, entry_of_[node]->line);
    entry_of_[node] = &entry;
    node_of_entry_.push_back(node);
    return {};
  }

  Status FindMissing() const {
    for (const PlannedRequest& request : requests_) {
      const std::size_t first = by_request_.at(request.request).first_node;
      for (std::size_t s = 0; s < networks_[request.network.index()].size(); ++s) {
        if (entry_of_[first + s] == nullptr)
          return FailAt({plan_.file, 0, 0}, "layer {} of request {} is missing", s,
                        request.request);
      }
    }
    return {};
  }

  // What follows each node on its accelerator.
  Status OrderLanes() {
    const auto& entries = plan_.entries;
    std::vector<std::size_t> sorted(entries.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::ranges::sort(sorted, [&](std::size_t a, std::size_t b) {
      return std::tie(entries[a].accelerator, entries[a].order, entries[a].line) <
             std::tie(entries[b].accelerator, entries[b].order, entries[b].line);
    });
    next_in_lane_.assign(entry_of_.size(), entry_of_.size());
    pending_.assign(entry_of_.size(), 0);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const FixedPlanEntry& before = entries[sorted[i - 1]];
      const FixedPlanEntry& after = entries[sorted[i]];
      if (before.accelerator != after.accelerator) continue;
      if (before.order == after.order)
        return FailAt(PlaceOf(after), "order {} on {} stands in line {} already", after.order,
                      platform_.accelerators[after.accelerator.index()].name, before.line);
      next_in_lane_[node_of_entry_[sorted[i - 1]]] = node_of_entry_[sorted[i]];
      ++pending_[node_of_entry_[sorted[i]]];
    }
    return {};
  }

  // Dependencies and the orders of the accelerators together must be free of cycles.
  Status FindCycle() {
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < entry_of_.size(); ++node) {
      pending_[node] += GraphOf(node).Predecessors(entry_of_[node]->segment).size();
      if (pending_[node] == 0) free.push_back(node);
    }
    while (!free.empty()) {
      const std::size_t node = free.back();
      free.pop_back();
      const auto release = [&](std::size_t next) {
        if (--pending_[next] == 0) free.push_back(next);
      };
      if (next_in_lane_[node] < entry_of_.size()) release(next_in_lane_[node]);
      const FixedPlanEntry& entry = *entry_of_[node];
      for (SegmentId next : GraphOf(node).Successors(entry.segment))
        release(by_request_[entry.request].first_node + next.index());
    }
    for (std::size_t node = 0; node < entry_of_.size(); ++node) {
      if (pending_[node] > 0)
        return FailAt(PlaceOf(*entry_of_[node]),
                      "layer {} of request {} never starts: the orders contradict the dependencies",
                      entry_of_[node]->segment.value, entry_of_[node]->request);
    }
    return {};
  }

  const NetworkGraph& GraphOf(std::size_t node) {
    return networks_[by_request_[entry_of_[node]->request].network.index()];
  }

  const FixedPlan& plan_;
  std::span<const PlannedRequest> requests_;
  std::span<const NetworkGraph> networks_;
  const Platform& platform_;
  const CostTable& costs_;
  std::unordered_map<RequestNumber, Planned> by_request_;
  std::vector<const FixedPlanEntry*> entry_of_;  // per node
  std::vector<std::size_t> node_of_entry_;
  std::vector<std::size_t> next_in_lane_;  // per node; the number of nodes: it is the last
  std::vector<std::size_t> pending_;       // per node: what it still waits for
};

}  // namespace

Status CheckFixedPlan(const FixedPlan& plan, std::span<const PlannedRequest> requests,
                      std::span<const NetworkGraph> networks, const Platform& platform,
                      const CostTable& costs) {
  return PlanCheck(plan, requests, networks, platform, costs).Run();
}

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

std::unique_ptr<SchedulingPolicy> MakeFixedPlanPolicy(const FixedPlan& plan) {
  return std::make_unique<FixedPlanPolicy>(plan);
}

}  // namespace fairlead
