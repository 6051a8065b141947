#include "fairlead/policies/veltair.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/policies/ready_queue.h"
#include "fairlead/policies/unit_costs.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {
namespace {

// Which version of a network is fastest under the pressure that was seen lately.
//
// Profiles say what a segment takes alone, and beside a press that reads memory without pause. How
// far finished segments were on the way from the one to the other is the pressure, from 0 to 1.

// A mean in which what is new counts more: a weight of `memory` halves what was there.
class RecentMean {
 public:
  void Add(double value, double weight, double memory) {
    const double kept = memory / (memory + weight);
    sum_ = kept * sum_ + value * weight;
    weights_ = kept * weights_ + weight;
  }
  double Or(double otherwise) const { return weights_ > 0 ? sum_ / weights_ : otherwise; }

 private:
  double sum_ = 0;
  double weights_ = 0;
};

class VersionChoice {
 public:
  // Once, before anything is asked.
  void Prepare(const SystemView& view);
  // A segment has finished, so much slower than alone.
  void Learn(const SystemView& view, const Assignment& done, double slowdown, Duration memory);
  // For all segments of a job on so many units.
  int For(NetworkId network, KindId kind, int units) const;

 private:
  // All segments together, on a number of units.
  struct Total {
    double alone = 0;
    double pressed = 0;
  };
  using ByUnits = std::vector<Total>;
  std::vector<std::vector<std::vector<ByUnits>>> totals_;  // by network, kind and version
  RecentMean pressure_;
};

void VersionChoice::Prepare(const SystemView& view) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  const CostTable& costs = view.costs();
  totals_.resize(view.networks().size());
  for (std::size_t n = 0; n < totals_.size(); ++n) {
    totals_[n].resize(costs.kinds());
    for (std::size_t k = 0; k < costs.kinds(); ++k) {
      const int versions = costs.Versions(NetworkId{n}, SegmentId{std::size_t{0}}, KindId{k});
      if (versions < 2) continue;  // nothing to choose
      totals_[n][k].resize(static_cast<std::size_t>(versions));
      for (int version = 0; version < versions; ++version) {
        for (int units = 1; units <= view.platform().kinds[k].units; ++units) {
          Total& total = totals_[n][k][static_cast<std::size_t>(version)].emplace_back();
          for (std::size_t s = 0; s < view.networks()[n].size(); ++s) {
            const SegmentCost* const cost =
                costs.Find(NetworkId{n}, SegmentId{s}, KindId{k}, {units, 1, version});
            total.alone += cost != nullptr ? Seconds(cost->latency) : kForEver;
            total.pressed += cost != nullptr ? Seconds(cost->Pressed()) : kForEver;
          }
        }
      }
    }
  }
}

void VersionChoice::Learn(const SystemView& view, const Assignment& done, double slowdown,
                          Duration memory) {
  const KindId kind = view.accelerators()[done.accelerator.index()].kind;
  const SegmentCost* const cost =
      view.costs().Find(done.network, done.segment, kind, done.configuration());
  if (cost == nullptr) return;
  const double alone = static_cast<double>(cost->latency.count());
  const double most = static_cast<double>(cost->Pressed().count()) - alone;
  if (most > 0)
    pressure_.Add(std::clamp((slowdown - 1) * alone / most, 0.0, 1.0), most,
                  static_cast<double>(memory.count()));
}

int VersionChoice::For(NetworkId network, KindId kind, int units) const {
  const auto& totals = totals_[network.index()][kind.index()];
  const double pressure = pressure_.Or(0);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t version = 0; version < totals.size(); ++version) {
    const Total& total = totals[version][static_cast<std::size_t>(units) - 1];
    const double time = total.alone + pressure * (total.pressed - total.alone);
    if (!(time < least)) continue;  // also where it takes for ever
    least = time;
    best = static_cast<int>(version);
  }
  return best;
}

constexpr double kAboutAsFast = 1.05;   // as with any number of units
constexpr double kMostSlowedDown = 10;  // that is believed of co-runners
constexpr std::int64_t kHopeless = std::numeric_limits<std::int64_t>::max();

double AsNumber(Duration time) { return static_cast<double>(time.count()); }

class Veltair final : public SchedulingPolicy {
 public:
  Veltair(std::string name, const VeltairOptions& options)
      : name_(std::move(name)), options_(options), early_drop_(options.drop) {}

  std::string_view Name() const override { return name_; }

  void Observe(const SystemView& view, const Event& event) override {
    if (event.kind != EventKind::kSegmentFinished) return;
    const Assignment& done = view.assignment(event.assignment);
    const double alone = AsNumber(done.believed_latency);
    if (alone <= 0) return;
    const double slowdown = AsNumber(view.now() - done.start) / alone;
    slowdown_.Add(slowdown, alone, AsNumber(options_.memory));
    versions_.Learn(view, done, slowdown, options_.memory);
  }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    costs_.Follow(view);
    if (places_.empty()) Prepare(view);
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& job) { Queue(ready, job); });
    early_drop_.Begin(view, plan);
    LookAround(view);
    if (free_ > 0) queue_.Walk([&](const QueuedSegment& entry) { return Visit(view, entry); });
    GrantUpTo(kHopeless);
    last_ = view.now();
    for (Place& place : places_) place.left = place.free;
    if (options_.spare == SpareUnits::kLend) Lend();
    CarryOut(plan);
  }

 private:
  struct Place {
    int free = 0;  // units, at this point of the decision
    int left = 0;  // after the last one, before they were lent
    RecentMean usually_free;
  };
  // Of a job: segments from some on to before `end` run on one accelerator.
  struct Block {
    std::uint64_t serial = 0;
    std::size_t end = 0;
    AcceleratorId accelerator;
    int version = 0;  // of all segments of the job
  };
  // What a decision gives to a segment that starts, or runs.
  struct Given {
    std::int64_t key = 0;  // of its job: who gets its units first
    std::uint64_t serial = 0;
    AcceleratorId accelerator;
    JobId job;
    SegmentId segment;
    int version = 0;
    int need = 0;
    int useful = 0;  // with more it is hardly faster
    int units = 0;
    int before = 0;  // that it has; 0: it starts
    AssignmentId assignment{};
  };

  void Prepare(const SystemView& view) {
    // Nobody has taken anything before.
    for (const AcceleratorState& accelerator : view.accelerators())
      places_.push_back({.left = accelerator.units, .usually_free = {}});
    for (const NetworkGraph& network : view.networks()) chains_.push_back(IsChain(network));
    versions_.Prepare(view);
  }

  std::int64_t KeyOf(const Job& job) const {
    return Nanoseconds(options_.order == BlockOrder::kArrival ? job.arrival : job.deadline);
  }
  void Queue(const ReadySegment& ready, const Job& job) {
    if (blocks_.size() <= ready.job.index()) blocks_.resize(ready.job.index() + 1);
    queue_.Push({KeyOf(job), job.serial, ready.segment, ready.job, job.network, job.covered});
  }

  // ---- What is there -----------------------------------------------------------------------

  void LookAround(const SystemView& view) {
    free_ = 0;
    given_.clear();
    granted_ = 0;
    const double since = std::max(AsNumber(view.now() - last_), 0.0);
    for (std::size_t a = 0; a < places_.size(); ++a) {
      const AcceleratorState& accelerator = view.accelerators()[a];
      Place& place = places_[a];
      if (since > 0) place.usually_free.Add(place.left, since, AsNumber(options_.memory));
      const bool open = accelerator.online && accelerator.queue.empty();
      place.free = open ? accelerator.free_units : 0;
      if (open && options_.spare == SpareUnits::kLend) {
        for (AssignmentId id : accelerator.running) TakeBack(view, view.assignment(id));
      }
      free_ += place.free;
    }
    std::ranges::sort(given_, [](const Given& a, const Given& b) {
      return std::tie(a.key, a.serial, a.segment) < std::tie(b.key, b.serial, b.segment);
    });
  }

  // All but the fewest that it can run on: it gets its need again when it is its turn.
  void TakeBack(const SystemView& view, const Assignment& running) {
    const JobId id = running.jobs.front();
    if (running.batch() > 1 || id.index() >= blocks_.size()) return;  // begun by somebody else
    const Job& job = view.job(id);
    const Block& block = blocks_[id.index()];
    const bool own = job.active && block.serial == job.serial &&
                     running.serials.front() == job.serial && running.segment.index() < block.end;
    const KindId kind = view.accelerators()[running.accelerator.index()].kind;
    const auto costs = costs_.Of(running.network, running.segment, kind, running.version);
    const int fewest = UnitCosts::Fewest(costs);
    if (!own || fewest > running.units) return;
    const double whole = AsNumber(running.configured_latency);
    const double left = whole > 0 ? AsNumber(running.BelievedLeft(view.now())) / whole : 0;
    Given given{
        .key = KeyOf(job),
        .serial = job.serial,
        .accelerator = running.accelerator,
        .job = id,
        .segment = running.segment,
        .version = running.version,
        .need = NeedOf(view, job, {running.segment, block.end, running.version, left}, kind),
        .useful = UsefulTo(costs),
        .units = fewest,
        .before = running.units,
        .assignment = running.id};
    if (given.need == 0) {  // too late for any number
      given.need = fewest;
      given.key = kHopeless;
    }
    places_[running.accelerator.index()].free += running.units - fewest;
    given_.push_back(given);
  }

  // ---- Who gets what -----------------------------------------------------------------------

  // Those that run, in order, as far as there are units.
  void GrantUpTo(std::int64_t key) {
    for (; granted_ < given_.size() && given_[granted_].before > 0; ++granted_) {
      Given& one = given_[granted_];
      if (one.key > key) return;
      Place& place = places_[one.accelerator.index()];
      const int more = std::clamp(one.need - one.units, 0, place.free);
      one.units += more;
      place.free -= more;
      free_ -= more;
    }
  }

  ReadyQueue::Step Visit(const SystemView& view, const QueuedSegment& entry) {
    if (!view.IsReady(entry.job, entry.serial, entry.segment) ||
        early_drop_.GivenUp(entry.job, entry.serial))
      return ReadyQueue::Step::kRemove;
    GrantUpTo(entry.key);
    if (free_ == 0) return ReadyQueue::Step::kKeepAndStop;
    Block& block = blocks_[entry.job.index()];
    const bool goes_on = block.serial == entry.serial && entry.segment.index() < block.end &&
                         CanRun(view, entry, block);
    Given best;
    Block chosen;
    Duration finish = UnitCost::kImpossible;
    for (std::size_t a = 0; a < places_.size(); ++a) {
      if (goes_on && AcceleratorId{a} != block.accelerator) continue;
      Block planned = goes_on ? block : Begin(view, entry, AcceleratorId{a});
      const Given given = Start(view, entry, planned);
      if (given.units == 0) continue;
      const auto costs =
          costs_.Of(entry.network, entry.segment, view.accelerators()[a].kind, planned.version);
      const Duration ends = costs[static_cast<std::size_t>(given.units) - 1].own +
                            view.HandOverCost(entry.job, entry.segment, given.accelerator);
      if (ends >= finish) continue;
      finish = ends;
      best = given;
      chosen = planned;
    }
    if (best.units == 0) return ReadyQueue::Step::kKeep;
    block = chosen;
    places_[best.accelerator.index()].free -= best.units;
    free_ -= best.units;
    given_.push_back(best);
    return free_ == 0 ? ReadyQueue::Step::kRemoveAndStop : ReadyQueue::Step::kRemove;
  }

  bool CanRun(const SystemView& view, const QueuedSegment& entry, const Block& block) const {
    const AcceleratorState& accelerator = view.accelerators()[block.accelerator.index()];
    return accelerator.online && UnitCosts::Fewest(costs_.Of(entry.network, entry.segment,
                                                             accelerator.kind, block.version)) > 0;
  }

  // On what it needs, or on what is free; nothing where that is not enough to run.
  Given Start(const SystemView& view, const QueuedSegment& entry, const Block& block) const {
    const KindId kind = view.accelerators()[block.accelerator.index()].kind;
    const auto costs = costs_.Of(entry.network, entry.segment, kind, block.version);
    const int fewest = UnitCosts::Fewest(costs);
    const int free = places_[block.accelerator.index()].free;
    if (fewest == 0 || free < fewest) return {};
    Given given{.key = entry.key,
                .serial = entry.serial,
                .accelerator = block.accelerator,
                .job = entry.job,
                .segment = entry.segment,
                .version = block.version,
                .useful = UsefulTo(costs)};
    given.need = std::max(
        NeedOf(view, view.job(entry.job), {entry.segment, block.end, block.version}, kind), fewest);
    given.units = std::min(given.need, free);
    return given;
  }

  // The shortest run of segments that needs no more than is usually free there.
  Block Begin(const SystemView& view, const QueuedSegment& entry, AcceleratorId a) const {
    const Job& job = view.job(entry.job);
    const AcceleratorState& accelerator = view.accelerators()[a.index()];
    const std::size_t size = view.networks()[entry.network.index()].size();
    const Block& before = blocks_[entry.job.index()];
    const bool same = before.serial == entry.serial && before.accelerator == a;
    Block block{.serial = entry.serial,
                .end = entry.segment.index() + 1,
                .accelerator = a,
                .version = same
                               ? before.version
                               : versions_.For(entry.network, accelerator.kind, accelerator.units)};
    if (!chains_[entry.network.index()] || options_.blocks == BlockRule::kLayer) return block;
    if (options_.blocks == BlockRule::kNetwork) block.end = size;
    const double limit = std::max(1.0, places_[a.index()].usually_free.Or(accelerator.units));
    while (block.end < size &&
           NeedOf(view, job, {entry.segment, block.end, block.version}, accelerator.kind) > limit)
      ++block.end;
    return block;
  }

  // Segments of one job, one after the other; of the first some may have run.
  struct Stretch {
    SegmentId first;
    std::size_t end = 0;
    int version = 0;
    double left = 1;  // of the first
  };
  // The fewest units on which they take their part of the time left; where none are enough, the
  // fewest with which they are about as fast as they can be; 0 where all of the job comes too late
  // however many it gets.
  int NeedOf(const SystemView& view, const Job& job, const Stretch& stretch, KindId kind) const {
    const auto from = costs_.Of(job.network, stretch.first, kind, stretch.version);
    const auto to = costs_.Of(job.network, SegmentId{stretch.end - 1}, kind, stretch.version);
    const auto fewest =
        static_cast<std::size_t>(std::max({UnitCosts::Fewest(from), UnitCosts::Fewest(to), 1}));
    if (fewest > from.size() || !from[fewest - 1].possible() || !to[fewest - 1].possible())
      return UnitCosts::Fewest(from);
    const auto whole = [&](std::size_t units) {
      return stretch.left * AsNumber(from[units - 1].own) + AsNumber(from[units - 1].rest);
    };
    const auto took = [&](std::size_t units) {
      return whole(units) - AsNumber(to[units - 1].rest);
    };
    const double slowdown = std::clamp(slowdown_.Or(1), 1.0, kMostSlowedDown);
    const double time = std::max(AsNumber(job.deadline - view.now()), 0.0);
    double least = took(fewest);
    double least_whole = whole(fewest);
    for (std::size_t units = fewest; units <= from.size(); ++units) {
      least = std::min(least, took(units));
      least_whole = std::min(least_whole, whole(units));
    }
    if (least_whole > time) return 0;
    const double part = whole(fewest) > 0 ? took(fewest) / whole(fewest) : 1;
    // With what is kept free, else without.
    const double careful = (1 - options_.margin) * time / slowdown * part;
    const double bare = time * part;
    const double enough = least <= careful ? careful : std::max(bare, kAboutAsFast * least);
    for (std::size_t units = fewest; units <= from.size(); ++units)
      if (took(units) <= enough) return static_cast<int>(units);
    return static_cast<int>(from.size());
  }

  static int UsefulTo(std::span<const UnitCost> costs) {
    Duration least = UnitCost::kImpossible;
    for (const UnitCost& cost : costs) least = std::min(least, cost.own);
    for (std::size_t units = 1; units <= costs.size(); ++units) {
      if (costs[units - 1].possible() &&
          AsNumber(costs[units - 1].own) <= kAboutAsFast * AsNumber(least))
        return static_cast<int>(units);
    }
    return 0;
  }

  // What nobody needs now goes one by one to all who run, until somebody needs it.
  void Lend() {
    for (bool lent = true; lent;) {
      lent = false;
      for (Given& one : given_) {
        int& free = places_[one.accelerator.index()].free;
        if (free == 0 || one.units >= one.useful) continue;
        ++one.units;
        --free;
        lent = true;
      }
    }
  }

  void CarryOut(SchedulingPlan& plan) const {
    // Units are taken before they are given.
    for (const Given& one : given_)
      if (one.units < one.before) plan.Resize(one.assignment, one.units);
    for (const Given& one : given_) {
      if (one.before == 0)
        plan.Start(one.accelerator, one.job, one.segment,
                   {.units = one.units, .version = one.version});
    }
    for (const Given& one : given_)
      if (one.before > 0 && one.units > one.before) plan.Resize(one.assignment, one.units);
  }

  static bool IsChain(const NetworkGraph& network) {
    for (std::size_t s = 0; s < network.size(); ++s) {
      const auto before = network.Predecessors(SegmentId{s});
      if (before.size() != (s == 0 ? 0U : 1U) || (s > 0 && before.front() != SegmentId{s - 1}))
        return false;
    }
    return true;
  }

  std::string name_;
  VeltairOptions options_;
  UnitCosts costs_;
  ReadyQueue queue_;
  std::vector<Place> places_;  // by accelerator
  std::vector<bool> chains_;   // by network
  std::vector<Block> blocks_;  // by job slot
  std::vector<Given> given_;   // those that run, in order, then those that start
  std::size_t granted_ = 0;    // of these: who runs and has got its need
  VersionChoice versions_;
  RecentMean slowdown_;
  int free_ = 0;  // units, everywhere
  Instant last_{};
  EarlyDrop early_drop_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeVeltair(std::string name, const VeltairOptions& options) {
  return std::make_unique<Veltair>(std::move(name), options);
}

}  // namespace fairlead
