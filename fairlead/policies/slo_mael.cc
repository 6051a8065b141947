#include "fairlead/policies/slo_mael.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/home_queues.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

constexpr double kCountless = 1e18;  // nanoseconds: sums end here

class SloMael final : public SchedulingPolicy {
 public:
  SloMael(std::string name, const SloMaelOptions& options)
      : name_(std::move(name)), options_(options), early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    homes_.Begin(view);
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
      if (!job.started() && !homes_.HomeOf(view, ready.job).valid()) Route(view, ready);
      homes_.Push(view, ready.job, ready.segment, KeyOf(job));
      early_drop_.Watch(view, ready);
    });
    early_drop_.GiveUp(view, plan);
    slots_.Begin(view);
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable) homes_.Serve(view, slots_, slot, early_drop_, plan);
    }
  }

 private:
  std::int64_t KeyOf(const Job& job) const {
    return Nanoseconds(options_.order == MaelOrder::kDeadline ? job.deadline : job.arrival);
  }

  // How long what is left of a job takes on a kind, in nanoseconds: its part of the whole.
  double Left(const SystemView& view, const Job& job, KindId kind) {
    const std::size_t kinds = view.costs().kinds();
    if (wholes_.empty() || costs_version_ != view.costs_version()) {
      costs_version_ = view.costs_version();
      wholes_.assign(view.networks().size() * kinds, std::nullopt);
    }
    std::optional<double>& whole = wholes_[job.network.index() * kinds + kind.index()];
    if (!whole.has_value())
      whole = static_cast<double>(WholeLatency(view, job.network, kind).count());
    const auto segments = static_cast<double>(view.networks()[job.network.index()].size());
    return *whole * (static_cast<double>(job.segments_left) / segments);
  }

  // When an accelerator is done with those whom it has begun, from now on.
  double Busy(const SystemView& view, const AcceleratorState& state) {
    double busy =
        static_cast<double>(std::max(state.believed_free - view.now(), Duration::zero()).count());
    for (const AssignmentId id : state.running) {
      for (const JobId job : view.assignment(id).jobs) {
        const Job& running = view.job(job);
        if (!running.active || running.segments_left <= running.segments_taken) continue;
        const auto left = static_cast<double>(running.segments_left);
        const auto taken = static_cast<double>(running.segments_taken);
        busy += Left(view, running, state.kind) * (left - taken) / left;
      }
    }
    return busy;
  }

  struct Expected {
    bool late = false;
    double added = 0;   // to the latencies of all that wait
    double finish = 0;  // from now on
    friend bool operator<(const Expected& a, const Expected& b) {
      return std::tie(a.late, a.added, a.finish) < std::tie(b.late, b.added, b.finish);
    }
  };

  Expected Try(const SystemView& view, const ReadySegment& ready, AcceleratorId where) {
    const Job& job = view.job(ready.job);
    const AcceleratorState& state = view.accelerators()[where.index()];
    const QueuedSegment one{KeyOf(job), job.serial,  ready.segment,
                            ready.job,  job.network, job.covered};
    const double own = Left(view, job, state.kind);
    double finish = Busy(view, state) + own +
                    static_cast<double>(view.HandOverCost(ready.job, ready.segment, where).count());
    double behind = 0;
    homes_.ForEach(where, [&](const QueuedSegment& entry) {
      if (!view.IsReady(entry.job, entry.serial, entry.segment)) return;
      if (entry < one) {
        finish += Left(view, view.job(entry.job), state.kind);
      } else {
        behind += own;
      }
    });
    finish = std::min(finish, kCountless);
    const Instant done = view.now() + Duration{static_cast<std::int64_t>(finish)};
    return {done > job.deadline, finish + behind, finish};
  }

  // Without any accelerator that is there the job has no home yet, and waits where it could run.
  void Route(const SystemView& view, const ReadySegment& ready) {
    const auto latencies = view.costs().LatenciesAlone(view.job(ready.job).network, ready.segment);
    AcceleratorId best;
    Expected least;
    for (std::size_t a = 0; a < view.accelerators().size(); ++a) {
      const AcceleratorState& state = view.accelerators()[a];
      if (!state.online || latencies[state.kind.index()] == CostTable::kCannotRun) continue;
      const Expected expected = Try(view, ready, AcceleratorId{a});
      if (best.valid() && !(expected < least)) continue;
      best = AcceleratorId{a};
      least = expected;
    }
    if (best.valid()) homes_.SetHome(view, ready.job, best);
  }

  std::string name_;
  SloMaelOptions options_;
  std::uint64_t costs_version_ = 0;
  std::vector<std::optional<double>> wholes_;  // by network and kind, in nanoseconds
  HomeQueues homes_;
  AcceleratorSlots slots_;
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeSloMael(std::string name, const SloMaelOptions& options) {
  return std::make_unique<SloMael>(std::move(name), options);
}

}  // namespace fairlead
