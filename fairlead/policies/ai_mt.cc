#include "fairlead/policies/ai_mt.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/policies/dispatch.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

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

// Demands count in these parts of the bandwidth. Many segments are bound by the memory and ask for
// all of it; were finer differences to count, errors of beliefs would put the same ones first for
// ever.
constexpr double kParts = 32;

double DemandOn(const SystemView& view, NetworkId network, SegmentId segment, KindId kind) {
  const SegmentCost* cost = view.costs().Alone(network, segment, kind);
  if (cost == nullptr || view.platform().bandwidth == 0) return 0;
  const double bandwidth = static_cast<double>(view.platform().bandwidth) * (1 << kDemandBits);
  return std::round(kParts * static_cast<double>(DemandOf(cost->dram_bytes, cost->latency)) /
                    bandwidth);
}

double DemandWhereFastest(const SystemView& view, NetworkId network, SegmentId segment) {
  return DemandOn(view, network, segment, view.costs().FastestKind(network, segment));
}

class AiMt final : public SchedulingPolicy {
 public:
  AiMt(std::string name, const AiMtOptions& options, RandomStream random)
      : name_(std::move(name)),
        lookahead_(options.lookahead),
        dispatch_(MakeDispatch(options.list, random)) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    Take(view);
    dispatch_.Begin(view, plan);
    if (dispatch_.Exhausted()) return;
    room_ = Room(view);
    ReadyQueue::Cursor cursor;
    last_ = {};
    while (!dispatch_.Exhausted() && FillWindow(view, cursor)) Balance(view, plan);
    waiting_.Close(cursor);
  }

 private:
  void Take(const SystemView& view) {
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
      waiting_.Push({0, job.serial, ready.segment, ready.job, job.network, job.covered});
    });
    if (WorthSweeping(waiting_.size(), view.ready().size())) {
      waiting_.Sweep([&](const QueuedSegment& entry) {
        return !view.IsReady(entry.job, entry.serial, entry.segment);
      });
    }
  }

  // The next `lookahead` that are there, all covered by contracts or none; false: there is none.
  bool FillWindow(const SystemView& view, ReadyQueue::Cursor& cursor) {
    window_.clear();
    for (const QueuedSegment* entry = waiting_.At(cursor);
         entry != nullptr && window_.size() < lookahead_; entry = waiting_.At(cursor)) {
      // A start that was taken back has shown its segment anew while it may still stand here.
      const bool twice = entry->serial == last_.serial && entry->segment == last_.segment;
      if (twice || !view.IsReady(entry->job, entry->serial, entry->segment) ||
          dispatch_.early_drop().GivenUp(entry->job, entry->serial)) {
        ReadyQueue::Remove(cursor);
        continue;
      }
      if (!window_.empty() && entry->covered != last_.covered) break;
      last_ = *entry;
      window_.push_back({.serial = entry->serial,
                         .job = entry->job,
                         .segment = entry->segment,
                         .demand = DemandWhereFastest(view, entry->network, entry->segment)});
      waiting_.Keep(cursor);
    }
    return !window_.empty();
  }

  // Parts of the bandwidth that are left; below zero if too much runs.
  static double Room(const SystemView& view) {
    double room = kParts;
    for (const AcceleratorState& accelerator : view.accelerators()) {
      for (AssignmentId id : accelerator.running) {
        const Assignment& running = view.assignment(id);
        room -= DemandOn(view, running.network, running.segment, accelerator.kind);
      }
    }
    return room;
  }

  // Offers the segments of the window, each time the one that suits what runs by then.
  void Balance(const SystemView& view, SchedulingPlan& plan) {
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
  ReadyQueue waiting_;  // in order of arrival
  QueuedSegment last_;  // that this decision looked at
  std::vector<Waiter> window_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeAiMt(std::string name, const AiMtOptions& options,
                                           RandomStream random) {
  return std::make_unique<AiMt>(std::move(name), options, random);
}

}  // namespace fairlead
