#include "fairlead/policies/fixed_plan.h"

#include <algorithm>
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

std::unique_ptr<SchedulingPolicy> MakeFixedPlanPolicy(const FixedPlan& plan) {
  return std::make_unique<FixedPlanPolicy>(plan);
}

}  // namespace fairlead
