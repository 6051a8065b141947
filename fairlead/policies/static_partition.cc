#include "fairlead/policies/static_partition.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/unit_costs.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

namespace {

struct Row {
  std::vector<AcceleratorId> accelerators;
  std::int64_t units = 0;
};

// Positions of accelerators in the order of a row: one of each kind in turn.
std::vector<Row> RowsOf(const Platform& platform, const std::vector<bool>& there, CutBy by) {
  struct Position {
    std::size_t in_kind;
    KindId kind;
    AcceleratorId id;
    auto operator<=>(const Position&) const = default;
  };
  std::vector<std::size_t> seen(platform.kinds.size());
  std::vector<Position> positions;
  for (std::size_t a = 0; a < platform.accelerators.size(); ++a) {
    if (!there[a]) continue;
    const KindId kind = platform.accelerators[a].kind;
    positions.push_back({seen[kind.index()]++, kind, AcceleratorId{a}});
  }
  std::ranges::sort(positions);
  std::vector<Row> rows(by == CutBy::kUnits ? 1 : platform.kinds.size());
  for (const Position& position : positions) {
    Row& row = rows[by == CutBy::kUnits ? 0 : position.kind.index()];
    row.accelerators.push_back(position.id);
    row.units += platform.UnitsOf(position.id);
  }
  std::erase_if(rows, [](const Row& row) { return row.units == 0; });  // a kind without any
  return rows;
}

std::vector<std::size_t> LargestFirst(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t which) { return values[which]; });
  return order;
}

// The partition of each tenant: its own, or packed by load.
std::vector<std::size_t> Assign(std::span<const PartitionTenant> tenants, std::size_t partitions) {
  std::vector<std::size_t> of_tenant(tenants.size());
  std::iota(of_tenant.begin(), of_tenant.end(), std::size_t{0});
  if (tenants.size() == partitions) return of_tenant;
  std::vector<double> loads;
  for (const PartitionTenant& tenant : tenants) loads.push_back(tenant.load);
  std::vector<double> packed(partitions, 0);
  for (std::size_t tenant : LargestFirst(loads)) {
    const auto least = std::ranges::min_element(packed);
    *least += loads[tenant];
    of_tenant[tenant] = static_cast<std::size_t>(least - packed.begin());
  }
  return of_tenant;
}

// One unit each, the others by weight.
std::vector<std::int64_t> Shares(std::span<const double> weights, std::int64_t units) {
  const std::int64_t others = units - std::ssize(weights);
  const double all_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::int64_t> shares;
  std::vector<double> remainders;
  std::int64_t left = others;
  for (double weight : weights) {
    const double part = static_cast<double>(others) * weight / all_weights;
    const auto whole = static_cast<std::int64_t>(std::floor(part));
    shares.push_back(1 + whole);
    remainders.push_back(part - std::floor(part));
    left -= whole;
  }
  const std::vector<std::size_t> order = LargestFirst(remainders);
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++shares[order[i]];
  return shares;
}

}  // namespace

Partitions CutPlatform(const Platform& platform, const std::vector<bool>& there,
                       std::span<const PartitionTenant> tenants, CutBy by) {
  if (tenants.empty()) return {};
  const std::vector<Row> rows = RowsOf(platform, there, by);
  auto most = std::ssize(tenants);
  for (const Row& row : rows) most = std::min<std::ptrdiff_t>(most, row.units);
  Partitions partitions;
  partitions.slices.resize(static_cast<std::size_t>(most));
  partitions.of_tenant = Assign(tenants, partitions.slices.size());
  std::vector<double> weights(partitions.slices.size(), 0);
  for (std::size_t t = 0; t < tenants.size(); ++t)
    weights[partitions.of_tenant[t]] += tenants[t].weight;
  for (const Row& row : rows) {
    std::vector<std::int64_t> shares = Shares(weights, row.units);
    std::size_t partition = 0;
    for (AcceleratorId accelerator : row.accelerators) {
      for (std::int64_t left = platform.UnitsOf(accelerator); left > 0;) {
        const std::int64_t taken = std::min(left, shares[partition]);
        partitions.slices[partition].push_back({accelerator, static_cast<int>(taken)});
        left -= taken;
        shares[partition] -= taken;
        if (shares[partition] == 0) ++partition;
      }
    }
  }
  return partitions;
}

namespace {

class StaticPartition final : public SchedulingPolicy {
 public:
  StaticPartition(std::string name, const StaticPartitionOptions& options)
      : name_(std::move(name)), cut_(options.cut), early_drop_(options.drop) {}
  StaticPartition(std::string name, const PartiesOptions& options)
      : name_(std::move(name)),
        cut_(options.cut),
        feedback_(Feedback{.interval = options.interval, .tight = options.tight}),
        early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  // What leaves has been there, even if nobody has decided since; but for what is away from the
  // very start.
  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind == EventKind::kJobFinished && feedback_.has_value()) return Judge(view, event);
    if (event.kind != EventKind::kAcceleratorLeft || view.now() == Instant{}) return;
    known_.resize(view.accelerators().size());
    Know(event.accelerator);
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    costs_.Follow(view);
    if (FoundOthers(view) || of_tenant_.size() != view.tenants().size()) {
      Cut(view);
      for (const ReadySegment& ready : view.ready()) Queue(view, ready);
    } else {
      VisitNewlyReady(view,
                      [&](const ReadySegment& ready, const Job& /*job*/) { Queue(view, ready); });
    }
    if (feedback_.has_value() && view.now() >= feedback_->next) Adjust(view);
    early_drop_.Begin(view, plan);
    LookAround(view);
    for (Partition& partition : partitions_) {
      if (partition.usable == 0 || partition.queue.size() == 0) continue;
      partition.queue.Walk(
          [&](const QueuedSegment& entry) { return Serve(view, partition, entry, plan); });
    }
    if (std::ranges::any_of(free_units_, [](int units) { return units > 0; }))
      guests_.Walk([&](const QueuedSegment& entry) { return Invite(view, entry, plan); });
  }

 private:
  // A partition's part of one accelerator.
  struct Slice {
    AcceleratorId accelerator;
    KindId kind;
    int units = 0;
    bool whole = false;   // all units of its accelerator
    Instant available{};  // when it is believed to be done with what it has
    bool idle = false;
    bool usable = false;
  };
  struct Partition {
    std::vector<Slice> slices;
    int usable = 0;
    ReadyQueue queue;               // by deadline
    std::vector<double> took{};     // by those that ended in this interval, of their time
    std::optional<double> slack{};  // at its end; none: nothing ended
  };
  // Moves units.
  struct Feedback {
    Duration interval{};
    double tight = 0;
    Instant next{};
  };

  struct SlicePlace {
    std::size_t partition = 0;
    std::size_t slice = 0;  // in it
  };

  void Judge(const SystemView& view, const Event& event) {
    const Job& job = view.job(event.job);
    if (job.tenant.index() >= of_tenant_.size()) return;
    const double time = Seconds(job.deadline - job.arrival);
    const double took = Seconds(view.now() - job.arrival);
    const bool given_up = event.outcome != Outcome::kHit && event.outcome != Outcome::kMiss;
    PartitionOf(job).took.push_back(time > 0 && !given_up ? took / time : 1);
  }

  void Adjust(const SystemView& view) {
    feedback_->next = view.now() + feedback_->interval;
    for (Partition& partition : partitions_) {
      partition.slack.reset();
      if (partition.took.empty()) continue;
      const std::size_t allowed = partition.took.size() / 100;
      const auto worst = partition.took.begin() + static_cast<std::ptrdiff_t>(allowed);
      std::ranges::nth_element(partition.took, worst, std::greater<>{});
      partition.slack = 1 - *worst;
      partition.took.clear();
    }
    Partition* needy = nullptr;
    for (Partition& partition : partitions_) {
      if (partition.slack.has_value() && *partition.slack < feedback_->tight &&
          (needy == nullptr || *partition.slack < *needy->slack))
        needy = &partition;
    }
    if (needy != nullptr) GiveOneUnit(*needy);
  }

  // Of whoever has most slack; who had no requests has all of it.
  void GiveOneUnit(Partition& needy) {
    const auto slack_of = [](const Partition& one) { return one.slack.value_or(1); };
    Partition* giver = nullptr;
    Slice* from = nullptr;
    Slice* to = nullptr;
    for (Partition& partition : partitions_) {
      if (&partition == &needy || slack_of(partition) < feedback_->tight) continue;
      if (giver != nullptr && slack_of(partition) <= slack_of(*giver)) continue;
      for (Slice& slice : partition.slices) {
        const auto shared = std::ranges::find(needy.slices, slice.accelerator, &Slice::accelerator);
        if (slice.units < 2 || shared == needy.slices.end()) continue;
        giver = &partition;
        from = &slice;
        to = &*shared;
        break;
      }
    }
    if (giver == nullptr) return;
    --from->units;
    ++to->units;
  }

  // Some accelerator is there that never was; one that has gone keeps its place.
  bool FoundOthers(const SystemView& view) {
    known_.resize(view.accelerators().size());
    for (std::size_t a = 0; a < known_.size(); ++a) {
      if (view.accelerators()[a].online) Know(AcceleratorId{a});
    }
    return std::exchange(found_, false);
  }
  void Know(AcceleratorId accelerator) {
    found_ = found_ || !known_[accelerator.index()];
    known_[accelerator.index()] = true;
  }

  void Cut(const SystemView& view) {
    std::vector<PartitionTenant> tenants;
    for (const Tenant& tenant : view.tenants())
      tenants.push_back({.weight = tenant.weight, .load = 0});
    for (std::size_t a = 0; a < view.ledger().size(); ++a) {
      const ServiceAgreement& promise = view.ledger().Promise(AgreementId{a});
      if (view.ledger().IsOpen(AgreementId{a}))
        tenants[promise.tenant.index()].load += Seconds(view.costs().FastestTotal(promise.network));
    }
    Partitions cut = CutPlatform(view.platform(), known_, tenants, cut_);
    of_tenant_ = std::move(cut.of_tenant);
    partitions_.assign(cut.slices.size(), {});
    slices_on_.assign(view.accelerators().size(), {});
    guests_.Clear();
    for (std::size_t p = 0; p < cut.slices.size(); ++p) {
      for (const PartitionSlice& slice : cut.slices[p]) {
        const AcceleratorState& accelerator = view.accelerators()[slice.accelerator.index()];
        slices_on_[slice.accelerator.index()].push_back({p, partitions_[p].slices.size()});
        partitions_[p].slices.push_back({.accelerator = slice.accelerator,
                                         .kind = accelerator.kind,
                                         .units = slice.units,
                                         .whole = slice.units == accelerator.units});
      }
    }
  }

  Partition& PartitionOf(const Job& job) { return partitions_[of_tenant_[job.tenant.index()]]; }
  Duration LatencyOn(const Job& job, SegmentId segment, KindId kind, int units) const {
    return costs_.Of(job.network, segment, kind)[static_cast<std::size_t>(units) - 1].own;
  }

  void Queue(const SystemView& view, const ReadySegment& ready) {
    const Job& job = view.job(ready.job);
    const QueuedSegment entry{
        Nanoseconds(job.deadline), job.serial, ready.segment, ready.job, job.network, job.covered};
    Partition& partition = PartitionOf(job);
    const bool at_home = std::ranges::any_of(partition.slices, [&](const Slice& slice) {
      return LatencyOn(job, ready.segment, slice.kind, slice.units) != UnitCost::kImpossible;
    });
    (at_home ? partition.queue : guests_).Push(entry);
  }

  void LookAround(const SystemView& view) {
    const auto accelerators = view.accelerators();
    free_units_.resize(accelerators.size());
    for (Partition& partition : partitions_) {
      for (Slice& slice : partition.slices) {
        slice.available = accelerators[slice.accelerator.index()].online ? view.now() : kNever;
        slice.idle = slice.available != kNever;
      }
    }
    for (std::size_t a = 0; a < accelerators.size(); ++a) {
      const bool open = accelerators[a].online && accelerators[a].queue.empty();
      free_units_[a] = open ? accelerators[a].free_units : 0;
      for (AssignmentId id : accelerators[a].running) Occupy(view, view.assignment(id));
      for (AssignmentId id : accelerators[a].queue) Occupy(view, view.assignment(id));
    }
    for (Partition& partition : partitions_) {
      partition.usable = 0;
      for (Slice& slice : partition.slices) {
        // A guest may still be there.
        if (slice.idle && free_units_[slice.accelerator.index()] < slice.units) {
          slice.idle = false;
          slice.available = std::max(accelerators[slice.accelerator.index()].believed_free,
                                     view.now() + Duration{1});
        }
        slice.usable = slice.idle || MayEnqueue(view, slice);
        if (slice.usable) ++partition.usable;
      }
    }
  }
  // Marks the slice that something runs on; guests are on none.
  void Occupy(const SystemView& view, const Assignment& assignment) {
    const auto& slices = slices_on_[assignment.accelerator.index()];
    const std::size_t own = of_tenant_[view.job(assignment.jobs.front()).tenant.index()];
    const auto found = std::ranges::find(slices, own, &SlicePlace::partition);
    if (found == slices.end()) return;
    Slice* const slice = &partitions_[own].slices[found->slice];
    slice->idle = false;
    slice->available = assignment.state == Assignment::State::kRunning
                           ? std::max({slice->available, view.now() + Duration{1},
                                       view.now() + assignment.BelievedLeft(view.now())})
                           : slice->available + assignment.believed_latency;
  }
  // Behind others that share the accelerator a queue would hold up everybody.
  static bool MayEnqueue(const SystemView& view, const Slice& slice) {
    return slice.whole && view.period() > Duration::zero() && slice.available < view.next_epoch();
  }

  ReadyQueue::Step Serve(const SystemView& view, Partition& partition, const QueuedSegment& entry,
                         SchedulingPlan& plan) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    const Job& job = view.job(entry.job);
    Slice* best = nullptr;
    Instant best_finish = kNever;
    for (Slice& slice : partition.slices) {
      const Duration latency = LatencyOn(job, entry.segment, slice.kind, slice.units);
      if (latency == UnitCost::kImpossible || slice.available == kNever) continue;
      const Instant finish = slice.available + latency +
                             view.HandOverCost(entry.job, entry.segment, slice.accelerator);
      if (finish < best_finish) {
        best = &slice;
        best_finish = finish;
      }
    }
    if (best == nullptr) return ReadyQueue::Step::kKeep;
    best->available = best_finish;
    if (!best->usable) return ReadyQueue::Step::kKeep;
    if (best->idle && free_units_[best->accelerator.index()] < best->units) {
      // A guest left room for one of two slices, and the other one took it.
      best->usable = best->idle = false;
      return --partition.usable == 0 ? ReadyQueue::Step::kKeepAndStop : ReadyQueue::Step::kKeep;
    }
    if (best->idle) {
      plan.Start(best->accelerator, entry.job, entry.segment, {.units = best->units});
      free_units_[best->accelerator.index()] -= best->units;
    } else {
      plan.Enqueue(best->accelerator, entry.job, entry.segment);
      free_units_[best->accelerator.index()] = 0;  // nothing overtakes a queue
    }
    best->idle = false;
    best->usable = MayEnqueue(view, *best);
    if (!best->usable) --partition.usable;
    return partition.usable == 0 ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  // On all units that are free where it is believed to finish first.
  ReadyQueue::Step Invite(const SystemView& view, const QueuedSegment& entry,
                          SchedulingPlan& plan) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    AcceleratorId best;
    Duration best_latency = UnitCost::kImpossible;
    for (std::size_t a = 0; a < free_units_.size(); ++a) {
      if (free_units_[a] == 0) continue;
      Duration latency = LatencyOn(view.job(entry.job), entry.segment, view.accelerators()[a].kind,
                                   free_units_[a]);
      if (latency == UnitCost::kImpossible) continue;
      latency += view.HandOverCost(entry.job, entry.segment, AcceleratorId{a});
      if (latency >= best_latency) continue;
      best = AcceleratorId{a};
      best_latency = latency;
    }
    if (!best.valid()) return ReadyQueue::Step::kKeep;
    plan.Start(best, entry.job, entry.segment,
               {.units = std::exchange(free_units_[best.index()], 0)});
    return ReadyQueue::Step::kRemove;
  }

  std::string name_;
  CutBy cut_;
  std::optional<Feedback> feedback_;
  UnitCosts costs_;
  std::vector<bool> known_;             // per accelerator: it has been there
  bool found_ = false;                  // and was not, when the cut was made
  std::vector<std::size_t> of_tenant_;  // the partition of each
  std::vector<Partition> partitions_;
  std::vector<std::vector<SlicePlace>> slices_on_;  // per accelerator
  ReadyQueue guests_;                               // by deadline
  std::vector<int> free_units_;  // per accelerator, at this point of the decision
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeStaticPartition(std::string name,
                                                      const StaticPartitionOptions& options) {
  return std::make_unique<StaticPartition>(std::move(name), options);
}

std::unique_ptr<SchedulingPolicy> MakeParties(std::string name, const PartiesOptions& options) {
  return std::make_unique<StaticPartition>(std::move(name), options);
}

}  // namespace fairlead
