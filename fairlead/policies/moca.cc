#include "fairlead/policies/moca.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/lane_numbers.h"
#include "fairlead/policies/lane_rule.h"
#include "fairlead/policies/scored_lanes.h"

namespace fairlead {
namespace {

// Percents of the memory's bandwidth.
constexpr double kThreshold = 150;
constexpr double kFloor = 25;
// A late job's slack: ten cycles of the source's accelerators.
constexpr Duration kLeastSlack{10};

// Priority plus wait over isolated latency, largest first.
//
// Lanes: one for each network and priority, by arrival.
class PriorityPlusWait final : public ScoringRule, public LaneRule {
 public:
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    Prepare(view);
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      segment.score = ScoreOf(view, job.arrival, job.priority, isolated_[job.network.index()]);
    }
  }

  LaneRule* lanes() override { return this; }
  Spot SpotOf(const SystemView& /*view*/, const Job& job, SegmentId /*segment*/) override {
    const std::size_t lane =
        numbers_.Of(job.network.index() << 32U | static_cast<std::uint32_t>(job.priority));
    if (alike_.size() <= lane) alike_.resize(lane + 1);
    alike_[lane] = {job.network, job.priority};
    return {lane, Nanoseconds(job.arrival)};
  }
  Standing Best(const SystemView& view, std::size_t lane, std::int64_t key) override {
    Prepare(view);
    const auto& [network, priority] = alike_[lane];
    return {.score = ScoreOf(view, AtNanoseconds(key), priority, isolated_[network.index()])};
  }

 private:
  void Prepare(const SystemView& view) {
    if (!isolated_.empty() && costs_version_ == view.costs_version()) return;
    costs_version_ = view.costs_version();
    isolated_.clear();
    for (std::size_t n = 0; n < view.networks().size(); ++n) {
      Duration longest{};
      for (SegmentId source : view.networks()[n].Sources())
        longest = std::max(longest, view.costs().ShortestTail(NetworkId{n}, source));
      isolated_.push_back(Divisor(longest));
    }
  }

  static double ScoreOf(const SystemView& view, Instant arrival, int priority, double isolated) {
    return -(priority + static_cast<double>((view.now() - arrival).count()) / isolated);
  }

  // What the segments of a lane share.
  struct Alike {
    NetworkId network;
    int priority = 0;
  };
  std::vector<double> isolated_;  // per network: nanoseconds
  std::uint64_t costs_version_ = 0;
  LaneNumbers numbers_;
  std::vector<Alike> alike_;  // per lane
};

class Moca final : public SchedulingPolicy {
 public:
  Moca(std::string name, const MocaOptions& options)
      : name_(std::move(name)),
        cut_(options.cut),
        dispatch_(options.drop, MemoryLimit(options.memory),
                  MakePlacement({}, RandomStream(0, "unused"))) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    ready_.Take(view, order_);
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    starts_.clear();
    ready_.Walk(view, dispatch_.early_drop(), order_, order_, [&](const ScoredSegment& entry) {
      const PlacementChoice choice =
          dispatch_.Place(view, {entry.job, view.job(entry.job).network, entry.segment});
      if (choice.action != PlacementChoice::Action::kWait) starts_.push_back({entry, choice, {}});
      return !dispatch_.Exhausted();
    });
    if (!starts_.empty()) StartAll(view, plan);
  }

 private:
  // What asks for the memory.
  struct Contender {
    double demand = 0;  // percent
    double weight = 0;
  };
  struct PlannedStart {
    ScoredSegment what;
    PlacementChoice where;
    Contender contender;
  };
  // Sums over all that runs and starts and has traffic.
  struct Contention {
    double demand = 0;
    double weight = 0;
    int contenders = 0;
    void Add(const Contender& contender) {
      if (contender.demand <= 0) return;
      demand += contender.demand;
      weight += contender.weight;
      ++contenders;
    }
  };

  void StartAll(const SystemView& view, SchedulingPlan& plan) {
    Contention all;
    const bool limited = view.platform().bandwidth > 0;
    if (limited) all = Contend(view);
    for (const PlannedStart& start : starts_) {
      const double demand = start.contender.demand;
      const double cut = all.demand > kThreshold ? Cut(start.contender, all) : 0;
      const double granted = std::max(demand - cut, kFloor);
      StartOptions options;
      if (limited && granted < demand) {
        const double cap = granted / 100 * static_cast<double>(view.platform().bandwidth);
        options.bandwidth_cap = std::max<std::int64_t>(std::llround(cap), 1);
      }
      AddToPlan(start.where, start.what.job, start.what.segment, plan, options);
    }
  }

  Contention Contend(const SystemView& view) {
    Contention all;
    const CostTable& costs = view.costs();
    for (const AcceleratorState& accelerator : view.accelerators()) {
      for (AssignmentId id : accelerator.running) {
        const Assignment& running = view.assignment(id);
        const SegmentCost* cost =
            costs.Find(running.network, running.segment, accelerator.kind, running.configuration());
        all.Add(ContenderOf(view, running.jobs.front(), running.segment, *cost,
                            running.BelievedLeft(view.now())));
      }
    }
    for (PlannedStart& start : starts_) {
      const SegmentCost* cost =
          costs.Alone(view.job(start.what.job).network, start.what.segment,
                      view.accelerators()[start.where.accelerator.index()].kind);
      start.contender = ContenderOf(view, start.what.job, start.what.segment, *cost, cost->latency);
      all.Add(start.contender);
    }
    return all;
  }

  // `left` is what the segment itself still takes.
  static Contender ContenderOf(const SystemView& view, JobId id, SegmentId segment,
                               const SegmentCost& cost, Duration left) {
    if (cost.dram_bytes == 0) return {};
    const Job& job = view.job(id);
    const Duration rest = view.costs().ShortestTail(job.network, segment) -
                          view.costs().Fastest(job.network, segment);
    const Duration slack = std::max(job.deadline - view.now(), kLeastSlack);
    const auto levels = (1 + job.priority) / 4;  // in whole numbers, as published
    const double urgency =
        static_cast<double>(levels) + std::round(10 * Seconds(left + rest) / Seconds(slack));
    const double bytes_per_second = static_cast<double>(cost.dram_bytes) / Seconds(cost.latency);
    const double demand = 100 * bytes_per_second / static_cast<double>(view.platform().bandwidth);
    return {demand, urgency * demand};
  }

  double Cut(const Contender& contender, const Contention& all) const {
    if (contender.demand <= 0 || all.contenders < 2) return 0;
    // Where nobody is urgent, demands alone are weights.
    const double others = all.weight > 0 ? (all.weight - contender.weight) / all.weight
                                         : (all.demand - contender.demand) / all.demand;
    const double cut = (all.demand - kThreshold) * others;
    return cut_ == CutRule::kNormalised ? cut / (all.contenders - 1) : cut;
  }

  std::string name_;
  CutRule cut_;
  Dispatch dispatch_;
  PriorityPlusWait order_;
  ScoredLanes ready_;
  std::vector<PlannedStart> starts_;  // scratch
};

}  // namespace

std::unique_ptr<ScoringRule> MakePriorityPlusWait() { return std::make_unique<PriorityPlusWait>(); }

std::unique_ptr<SchedulingPolicy> MakeMoca(std::string name, const MocaOptions& options) {
  return std::make_unique<Moca>(std::move(name), options);
}

}  // namespace fairlead
