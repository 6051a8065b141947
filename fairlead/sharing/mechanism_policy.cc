#include "fairlead/sharing/mechanism_policy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "fairlead/policies/ready_queue.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

constexpr int kPatience = 20;  // rounds
constexpr Duration kShortestRound = std::chrono::microseconds(100);

std::int64_t WholeWeight(double weight, bool whole) {
  const double scaled = whole ? weight : 1000 * weight;
  return std::llround(std::clamp(scaled, 1.0, static_cast<double>(Market::kMostWeight)));
}

class MechanismPolicy final : public SchedulingPolicy {
 public:
  MechanismPolicy(std::string name, MechanismMaker make, const MechanismPolicyOptions& options)
      : name_(std::move(name)),
        make_(std::move(make)),
        options_(options),
        early_drop_(options.drop) {
    options_.round = std::max(options_.round, kShortestRound);
  }

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    own_.resize(view.tenants().size());
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) { Queue(ready, job); });
    early_drop_.Begin(view, plan);
    if (Changed(view)) Restart(view);
    if (view.ready().empty()) return;
    if (view.now() >= round_end_) BeginRound(view);
    idle_.clear();
    for (std::size_t a = 0; a < view.accelerators().size(); ++a) {
      const AcceleratorState& state = view.accelerators()[a];
      if (state.online && state.running.empty() && state.queue.empty())
        idle_.push_back(AcceleratorId{a});
    }
    if (idle_.empty()) return;
    started_.clear();
    Serve(view, Cover::kCovered, plan);
    const bool lends = options_.lend == MechanismPolicyOptions::Lend::kYes;
    if (lends || !CoveredWaits(view)) Serve(view, Cover::kAny, plan);
    const bool waits = !idle_.empty() && view.ready().size() > started_.size();
    if (waits && !lends) plan.Wake(round_end_);
  }

 private:
  enum class Cover { kCovered, kAny };

  struct Started {
    JobId job;
    SegmentId segment;
    bool operator==(const Started&) const = default;
  };

  void Queue(const ReadySegment& ready, const Job& job) {
    QueuedSegment entry{
        Nanoseconds(job.deadline), job.serial, ready.segment, ready.job, job.network, job.covered};
    own_[job.tenant.index()].Push(entry);
    if (options_.lend == MechanismPolicyOptions::Lend::kNo) {
      entry.key = Nanoseconds(ready.since);
      entry.covered = true;  // by waiting alone
    }
    others_.Push(entry);
  }

  bool Changed(const SystemView& view) const {
    if (tenants_ != view.tenants().size() || online_.size() != view.accelerators().size())
      return true;
    for (std::size_t a = 0; a < online_.size(); ++a) {
      if (online_[a] != view.accelerators()[a].online) return true;
    }
    return false;
  }

  void Restart(const SystemView& view) {
    tenants_ = view.tenants().size();
    online_.clear();
    slots_.clear();
    kinds_.clear();
    std::vector<AcceleratorGroup> groups;
    for (std::size_t a = 0; a < view.accelerators().size(); ++a) {
      const AcceleratorState& state = view.accelerators()[a];
      online_.push_back(state.online);
      if (!state.online) continue;
      auto kind = std::ranges::find(kinds_, state.kind);
      if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), state.kind);
      groups.push_back({.kind = static_cast<int>(kind - kinds_.begin()), .count = 1});
      slots_.push_back(a);
    }
    holder_.assign(view.accelerators().size(), Allocation::kNobody);
    mechanism_.reset();
    market_.reset();
    round_end_ = Instant{};
    if (tenants_ == 0 || groups.empty()) return;
    const bool whole = std::ranges::all_of(view.tenants(), [](const Tenant& tenant) {
      return tenant.weight == std::floor(tenant.weight);
    });
    std::vector<SharingAgent> agents;
    for (std::size_t t = 0; t < tenants_; ++t)
      agents.push_back(
          {.name = std::to_string(t), .weight = WholeWeight(view.tenants()[t].weight, whole)});
    auto market = Market::Make(std::move(agents), groups);
    if (!market.has_value()) return;
    market_ = std::make_unique<Market>(std::move(*market));
    mechanism_ = make_(*market_);
  }

  // Rounds begin at multiples of their length; those in which nobody asked are passed over.
  void BeginRound(const SystemView& view) {
    const std::int64_t length = options_.round.count();
    round_end_ = AtNanoseconds((Nanoseconds(view.now()) / length + 1) * length);
    if (mechanism_ == nullptr) return;
    Report(view);
    ReportBandwidths(view);
    mechanism_->Allocate(reports_, allocation_);
    for (std::size_t i = 0; i < slots_.size(); ++i) holder_[slots_[i]] = allocation_.holder[i];
  }

  // What waits, each job once, with the speeds of its first segment that is ready.
  void Report(const SystemView& view) {
    const std::size_t kinds = kinds_.size();
    work_.assign(tenants_, 0);
    by_kind_.assign(tenants_ * kinds, 0);
    bytes_.assign(tenants_ * kinds, 0);
    counted_.clear();
    for (const ReadySegment& ready : view.ready()) {
      if (ready.job.index() >= counted_.size()) counted_.resize(ready.job.index() + 1, false);
      if (counted_[ready.job.index()]) continue;
      counted_[ready.job.index()] = true;
      const Job& job = view.job(ready.job);
      const std::size_t t = job.tenant.index();
      const double left = Seconds(job.work_left);
      const double fastest = Seconds(view.costs().Fastest(job.network, ready.segment));
      const auto latencies = view.costs().LatenciesAlone(job.network, ready.segment);
      work_[t] += left;
      for (std::size_t k = 0; k < kinds; ++k) {
        const Duration latency = latencies[kinds_[k].index()];
        if (latency == CostTable::kCannotRun) continue;
        const double seconds = Seconds(latency);
        by_kind_[t * kinds + k] += left * (seconds > fastest ? fastest / seconds : 1);
        const SegmentCost* cost = view.costs().Alone(job.network, ready.segment, kinds_[k]);
        if (seconds > 0 && cost != nullptr)
          bytes_[t * kinds + k] += left * static_cast<double>(cost->dram_bytes) / seconds;
      }
    }
    const double round = Seconds(options_.round);
    constexpr double kBelowOne = 1 - 1e-9;
    reports_.utilities.clear();
    for (std::size_t t = 0; t < tenants_; ++t) {
      const double filled = work_[t] > 0 ? std::min(1.0, work_[t] / round) / work_[t] : 0;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto kind = static_cast<std::size_t>(market_->group(static_cast<int>(i)).kind);
        reports_.utilities.push_back(std::min(kBelowOne, filled * by_kind_[t * kinds + kind]));
      }
    }
  }

  // The part of the memory's bandwidth that a tenant's waiting work takes on an accelerator of a
  // kind, the first segment of each job standing for the rest.
  void ReportBandwidths(const SystemView& view) {
    reports_.bandwidths.clear();
    const auto bandwidth = static_cast<double>(view.platform().bandwidth);
    if (bandwidth <= 0) return;
    const std::size_t kinds = kinds_.size();
    for (std::size_t t = 0; t < tenants_; ++t) {
      for (std::size_t k = 0; k < kinds; ++k)
        reports_.bandwidths.push_back(work_[t] > 0 ? bytes_[t * kinds + k] / work_[t] / bandwidth
                                                   : 0);
    }
  }

  // True: it starts on one of the idle accelerators that `may` allows.
  template <typename May>
  bool Start(const SystemView& view, const QueuedSegment& entry, SchedulingPlan& plan, May&& may) {
    const auto latencies = view.costs().LatenciesAlone(entry.network, entry.segment);
    auto best = idle_.end();
    Duration least = CostTable::kCannotRun;
    for (auto at = idle_.begin(); at != idle_.end(); ++at) {
      if (!may(*at)) continue;
      Duration latency = latencies[view.accelerators()[at->index()].kind.index()];
      if (latency == CostTable::kCannotRun) continue;
      latency += view.HandOverCost(entry.job, entry.segment, *at);
      if (latency >= least) continue;
      least = latency;
      best = at;
    }
    if (best == idle_.end()) return false;
    plan.Start(*best, entry.job, entry.segment);
    idle_.erase(best);
    started_.push_back({entry.job, entry.segment});
    return true;
  }

  bool Gone(const SystemView& view, const QueuedSegment& entry) const {
    return !view.IsReady(entry.job, entry.serial, entry.segment) ||
           early_drop_.GivenUp(entry.job, entry.serial);
  }

  // One that was lent an accelerator and failed there stands in its tenant's queue twice.
  bool HasStarted(const QueuedSegment& entry) const {
    return std::ranges::find(started_, Started{entry.job, entry.segment}) != started_.end();
  }

  // What no contract covers waits for all that is covered, whoever holds the accelerator.
  void Serve(const SystemView& view, Cover cover, SchedulingPlan& plan) {
    for (std::size_t t = 0; t < own_.size(); ++t) ServeTenant(view, t, cover, plan);
    ServeOthers(view, cover, plan);
  }
  bool CoveredWaits(const SystemView& view) const {
    return std::ranges::any_of(view.ready(), [&](const ReadySegment& ready) {
      return view.job(ready.job).covered && !early_drop_.GivenUp(ready.job, ready.serial) &&
             std::ranges::find(started_, Started{ready.job, ready.segment}) == started_.end();
    });
  }

  void ServeTenant(const SystemView& view, std::size_t tenant, Cover cover, SchedulingPlan& plan) {
    const auto holds = [&](AcceleratorId id) {
      return holder_[id.index()] == static_cast<int>(tenant);
    };
    if (own_[tenant].size() == 0 || std::ranges::none_of(idle_, holds)) return;
    own_[tenant].Walk([&](const QueuedSegment& entry) {
      if (cover == Cover::kCovered && !entry.covered) return ReadyQueue::Step::kKeepAndStop;
      if (Gone(view, entry) || HasStarted(entry)) return ReadyQueue::Step::kRemove;
      if (!Start(view, entry, plan, holds)) return ReadyQueue::Step::kKeep;
      return std::ranges::any_of(idle_, holds) ? ReadyQueue::Step::kRemove
                                               : ReadyQueue::Step::kRemoveAndStop;
    });
  }

  void ServeOthers(const SystemView& view, Cover cover, SchedulingPlan& plan) {
    if (idle_.empty()) return;
    const std::int64_t latest = Nanoseconds(view.now() - kPatience * options_.round);
    const bool lends = options_.lend == MechanismPolicyOptions::Lend::kYes;
    others_.Walk([&](const QueuedSegment& entry) {
      if (Gone(view, entry) || HasStarted(entry)) return ReadyQueue::Step::kRemove;
      if (!lends && entry.key > latest) return ReadyQueue::Step::kKeepAndStop;
      if (cover == Cover::kCovered && !view.job(entry.job).covered) return ReadyQueue::Step::kKeep;
      if (!Start(view, entry, plan, [](AcceleratorId) { return true; }))
        return ReadyQueue::Step::kKeep;
      return idle_.empty() ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
    });
  }

  std::string name_;
  MechanismMaker make_;
  MechanismPolicyOptions options_;
  EarlyDrop early_drop_;
  std::vector<ReadyQueue> own_;  // of each tenant, by deadline
  ReadyQueue others_;            // everybody's: by deadline, or by waiting where nothing is lent
  std::size_t tenants_ = 0;
  std::vector<bool> online_;        // of each accelerator, as the market has it
  std::vector<std::size_t> slots_;  // the accelerator of each of the market's
  std::vector<KindId> kinds_;       // of each of the market's
  std::unique_ptr<Market> market_;
  std::unique_ptr<SharingMechanism> mechanism_;
  Instant round_end_{};
  Reports reports_;
  Allocation allocation_;
  std::vector<int> holder_;  // of each accelerator
  std::vector<AcceleratorId> idle_;
  std::vector<Started> started_;  // in this decision
  std::vector<bool> counted_;     // jobs, in a report
  std::vector<double> work_;      // of each tenant, in a report: seconds, where it is fastest
  std::vector<double> by_kind_;   // tenants x kinds: what of it a kind does in that time
  std::vector<double> bytes_;     // likewise: seconds of work, each times its bytes in a second
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeMechanismPolicy(std::string name, MechanismMaker make,
                                                      const MechanismPolicyOptions& options) {
  return std::make_unique<MechanismPolicy>(std::move(name), std::move(make), options);
}

}  // namespace fairlead
