#include "fairlead/policies/goal_directed.h"

#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/policies/accelerator_slots.h"
#include "fairlead/policies/home_queues.h"
#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

// What a network owes its accelerators.
struct NetworkDebts {
  std::vector<double> ratios;           // by accelerator; empty: not asked for yet
  std::vector<std::uint64_t> consumed;  // requests, by accelerator
  std::uint64_t routed = 0;             // their sum
};

// How much an accelerator is owed: the larger, the sooner.
struct OwedScore {
  double score = -1;  // ratio / consumed part; below 0: nothing
  double ratio = 0;
  Duration latency{};

  bool Exceeds(const OwedScore& other) const {
    if (score != other.score) return score > other.score;
    if (ratio != other.ratio) return ratio > other.ratio;
    return latency < other.latency;
  }
};

class GoalDirected final : public SchedulingPolicy {
 public:
  GoalDirected(std::string name, const GoalDirectedOptions& options, AllocationRatios ratios)
      : name_(std::move(name)),
        options_(options),
        ratios_(std::move(ratios)),
        early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (debts_.size() < view.networks().size()) {
      debts_.resize(view.networks().size());
      waiting_.resize(view.networks().size());
    }
    homes_.Begin(view);
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) {
      TakeIn(view, ready, job);
      early_drop_.Watch(view, ready);
    });
    early_drop_.GiveUp(view, plan);
    slots_.Begin(view);
    if (slots_.NoneUsable()) return;
    if (options_.route == RouteAt::kIdle) {
      ServeHomes(view, HomeQueues::Which::kCovered, plan);
      ServeIdle(view, HomeQueues::Which::kCovered, plan);
    }
    ServeHomes(view, HomeQueues::Which::kAll, plan);
    if (options_.route == RouteAt::kIdle) ServeIdle(view, HomeQueues::Which::kAll, plan);
  }

 private:
  void ServeHomes(const SystemView& view, HomeQueues::Which which, SchedulingPlan& plan) {
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (slot.usable) homes_.Serve(view, slots_, slot, early_drop_, plan, which);
    }
  }

  // A job that has begun goes on where it is, whoever began it.
  void TakeIn(const SystemView& view, const ReadySegment& ready, const Job& job) {
    const std::int64_t key = Nanoseconds(job.deadline);
    const bool routed = homes_.HomeOf(view, ready.job).valid() || job.started();
    if (!routed && options_.route == RouteAt::kIdle) {
      waiting_[job.network.index()].Push(
          {key, job.serial, ready.segment, ready.job, job.network, job.covered});
      return;
    }
    if (!routed) Route(view, ready.job, ready.segment);
    homes_.Push(view, ready.job, ready.segment, key);
  }

  NetworkDebts& DebtsOf(const SystemView& view, NetworkId network) {
    NetworkDebts& debts = debts_[network.index()];
    if (debts.ratios.empty()) {
      debts.ratios = RatiosOf(ratios_, options_.usual, view, network);
      debts.consumed.assign(debts.ratios.size(), 0);
    }
    return debts;
  }

  // What a segment may be given: accelerators that are there, can run it and have a ratio; where
  // none has, `any` lets all in.
  OwedScore ScoreOf(const SystemView& view, const NetworkDebts& debts, NetworkId network,
                    SegmentId segment, std::size_t a, bool any) const {
    const AcceleratorState& state = view.accelerators()[a];
    const Duration latency = view.costs().LatenciesAlone(network, segment)[state.kind.index()];
    const double ratio = debts.ratios[a];
    if (!state.online || latency == CostTable::kCannotRun || (ratio <= 0 && !any)) return {};
    const auto consumed = static_cast<double>(debts.consumed[a]);
    const auto routed = static_cast<double>(debts.routed);
    const double score = debts.consumed[a] > 0 ? ratio * routed / consumed
                         : ratio > 0           ? std::numeric_limits<double>::infinity()
                                               : 0;
    return {score, ratio, latency};
  }

  void Consume(NetworkDebts& debts, AcceleratorId accelerator) {
    ++debts.consumed[accelerator.index()];
    ++debts.routed;
  }

  // Without any accelerator that is there, the job has no home, and waits where it could run.
  void Route(const SystemView& view, JobId id, SegmentId segment) {
    const NetworkId network = view.job(id).network;
    NetworkDebts& debts = DebtsOf(view, network);
    for (const bool any : {false, true}) {
      OwedScore best;
      AcceleratorId where;
      for (std::size_t a = 0; a < debts.ratios.size(); ++a) {
        const OwedScore score = ScoreOf(view, debts, network, segment, a, any);
        if (score.score < 0 || (where.valid() && !score.Exceeds(best))) continue;
        best = score;
        where = AcceleratorId{a};
      }
      if (!where.valid()) continue;
      Consume(debts, where);
      return homes_.SetHome(view, id, where);
    }
  }

  struct IdlePair {
    OwedScore score{};
    std::size_t network = 0;
    AcceleratorSlot* slot = nullptr;  // null: none
    std::int64_t key = 0;             // of who waits first
    std::uint64_t serial = 0;

    bool Before(const IdlePair& other) const {
      if (score.Exceeds(other.score)) return true;
      return !other.score.Exceeds(score) &&
             std::tie(key, serial) < std::tie(other.key, other.serial);
    }
  };

  const QueuedSegment* FirstWaiting(const SystemView& view, std::size_t network) {
    const QueuedSegment* first = nullptr;
    waiting_[network].Walk([&](const QueuedSegment& entry) {
      if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
          early_drop_.GivenUp(entry.job, entry.serial))
        return ReadyQueue::Step::kRemove;
      first_ = entry;
      first = &first_;
      return ReadyQueue::Step::kKeepAndStop;
    });
    return first;
  }

  IdlePair BestSlot(const SystemView& view, std::size_t network, HomeQueues::Which which) {
    IdlePair best{.network = network};
    const QueuedSegment* const first = FirstWaiting(view, network);
    if (first == nullptr || (which == HomeQueues::Which::kCovered && !first->covered)) return best;
    best.key = first->key;
    best.serial = first->serial;
    const NetworkDebts& debts = DebtsOf(view, NetworkId{network});
    bool there = false;  // somebody with a ratio
    for (std::size_t a = 0; a < debts.ratios.size() && !there; ++a)
      there = ScoreOf(view, debts, NetworkId{network}, first->segment, a, false).score >= 0;
    for (AcceleratorSlot& slot : slots_.slots()) {
      if (!slot.usable) continue;
      const OwedScore score =
          ScoreOf(view, debts, NetworkId{network}, first->segment, slot.id.index(), !there);
      if (score.score < 0 || (best.slot != nullptr && !score.Exceeds(best.score))) continue;
      best.score = score;
      best.slot = &slot;
    }
    return best;
  }

  void ServeIdle(const SystemView& view, HomeQueues::Which which, SchedulingPlan& plan) {
    pairs_.clear();
    for (std::size_t n = 0; n < waiting_.size(); ++n) {
      if (waiting_[n].size() == 0) continue;
      const IdlePair pair = BestSlot(view, n, which);
      if (pair.slot != nullptr) pairs_.push_back(pair);
    }
    while (!pairs_.empty() && !slots_.NoneUsable()) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < pairs_.size(); ++i) {
        if (pairs_[i].Before(pairs_[best])) best = i;
      }
      AcceleratorSlot& slot = *pairs_[best].slot;
      StartFirst(view, pairs_[best].network, slot, plan);
      const std::size_t served = pairs_[best].network;
      std::erase_if(pairs_, [&](IdlePair& pair) {
        if (pair.network == served || !pair.slot->usable)
          pair = BestSlot(view, pair.network, which);
        return pair.slot == nullptr;
      });
    }
  }

  void StartFirst(const SystemView& view, std::size_t network, AcceleratorSlot& slot,
                  SchedulingPlan& plan) {
    const QueuedSegment entry = *FirstWaiting(view, network);
    waiting_[network].Walk([](const QueuedSegment&) { return ReadyQueue::Step::kRemoveAndStop; });
    if (!homes_.HomeOf(view, entry.job).valid()) {
      homes_.SetHome(view, entry.job, slot.id);
      Consume(debts_[network], slot.id);
    }
    const Duration latency = view.costs().Alone(entry.network, entry.segment, slot.kind)->latency;
    const Duration hand_over = slots_.HandOver(view, slot, entry.job, entry.segment);
    AddToPlan(slots_.Book(slot, latency + hand_over), entry.job, entry.segment, plan);
  }

  std::string name_;
  GoalDirectedOptions options_;
  AllocationRatios ratios_;
  std::vector<NetworkDebts> debts_;  // per network
  std::vector<ReadyQueue> waiting_;  // per network; route=idle
  std::vector<IdlePair> pairs_;      // scratch
  QueuedSegment first_;              // scratch
  HomeQueues homes_;
  AcceleratorSlots slots_;
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeGoalDirected(std::string name,
                                                   const GoalDirectedOptions& options,
                                                   AllocationRatios ratios) {
  return std::make_unique<GoalDirected>(std::move(name), options, std::move(ratios));
}

}  // namespace fairlead
