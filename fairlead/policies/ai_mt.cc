#include "fairlead/policies/ai_mt.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/ordered_chunks.h"

namespace fairlead {
namespace {

// In order of arrival.
struct Waiter {
  std::uint64_t serial = 0;
  JobId job;
  SegmentId segment;
  double demand = 0;

  friend bool operator<(const Waiter& a, const Waiter& b) {
    return std::tie(a.serial, a.segment) < std::tie(b.serial, b.segment);
  }
};

double DemandOn(const SystemView& view, NetworkId network, SegmentId segment, KindId kind) {
  const SegmentCost* cost = view.costs().Alone(network, segment, kind);
  return cost == nullptr ? 0 : static_cast<double>(DemandOf(cost->dram_bytes, cost->latency));
}

double DemandWhereFastest(const SystemView& view, NetworkId network, SegmentId segment) {
  return DemandOn(view, network, segment, view.costs().FastestKind(network, segment));
}

class AiMt final : public SchedulingPolicy {
 public:
  AiMt(std::string name, const AiMtOptions& options, RandomStream random)
      : name_(std::move(name)),
        lookahead_(options.lookahead),
        dispatch_(options.list.drop, MemoryLimit(options.list.memory),
                  MakePlacement(options.list.placement, random)) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    covered_.clear();
    uncovered_.clear();
    for (const ReadySegment& ready : view.ready()) {
      const Job& job = view.job(ready.job);
      if (dispatch_.early_drop().GivenUp(ready.job, job.serial)) continue;
      (job.covered ? covered_ : uncovered_)
          .push_back({.serial = job.serial, .job = ready.job, .segment = ready.segment});
    }
    room_ = Room(view);
    for (std::vector<Waiter>* waiting : {&covered_, &uncovered_}) {
      if (dispatch_.Exhausted()) return;
      VisitInOrder(*waiting, lookahead_, [&](std::span<Waiter> earliest) {
        Balance(view, earliest, plan);
        return dispatch_.Exhausted() ? ChunkStep::kStop : ChunkStep::kOn;
      });
    }
  }

 private:
  // What is left of the bandwidth, in units of Demand; below zero if too much runs.
  static double Room(const SystemView& view) {
    double room = static_cast<double>(view.platform().bandwidth) * (1 << kDemandBits);
    for (const AcceleratorState& accelerator : view.accelerators()) {
      for (AssignmentId id : accelerator.running) {
        const Assignment& running = view.assignment(id);
        room -= DemandOn(view, running.network, running.segment, accelerator.kind);
      }
    }
    return room;
  }

  // Offers these segments, each time the one that suits what runs by then.
  void Balance(const SystemView& view, std::span<Waiter> segments, SchedulingPlan& plan) {
    const bool limited = view.platform().bandwidth > 0;
    window_.assign(segments.begin(), segments.end());
    for (Waiter& waiter : window_) {
      waiter.demand =
          limited ? DemandWhereFastest(view, view.job(waiter.job).network, waiter.segment) : 0;
    }
    // Ascending, and among equals the earliest arrival last: whichever group is chosen, its last.
    std::ranges::sort(window_, [](const Waiter& a, const Waiter& b) {
      return a.demand != b.demand ? a.demand < b.demand : b < a;
    });
    while (!window_.empty() && !dispatch_.Exhausted()) {
      const double wanted = std::max(room_, window_.front().demand);
      const auto next = std::prev(std::ranges::upper_bound(window_, wanted, {}, &Waiter::demand));
      const PlacementChoice choice = dispatch_.Offer(view, next->job, next->segment, plan);
      if (choice.action != PlacementChoice::Action::kWait) {
        room_ -= DemandOn(view, view.job(next->job).network, next->segment,
                          view.accelerators()[choice.accelerator.index()].kind);
      }
      window_.erase(next);
    }
  }

  std::string name_;
  std::size_t lookahead_;
  Dispatch dispatch_;
  double room_ = 0;
  std::vector<Waiter> covered_;    // of this decision
  std::vector<Waiter> uncovered_;  // likewise: what no contract covers
  std::vector<Waiter> window_;     // of them those that are looked at
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeAiMt(std::string name, const AiMtOptions& options,
                                           RandomStream random) {
  return std::make_unique<AiMt>(std::move(name), options, random);
}

}  // namespace fairlead
