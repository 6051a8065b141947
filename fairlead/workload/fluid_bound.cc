#include "fairlead/workload/fluid_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/id.h"
#include "fairlead/workload/fluid_program.h"
#include "fairlead/workload/linear_program.h"
#include "fairlead/workload/window_cuts.h"

namespace fairlead {
namespace {

// The best conceivable hit rate of the worst agreement, as part of a fluid bound's program.

// What the solver may be off, as a share.
inline constexpr double kFluidTolerance = 1e-7;

// What one agreement asks for.
struct AgreementDemand {
  std::size_t network = 0;
  double all = 0;                // those that no placement serves in time included
  std::vector<double> of_class;  // by class of the network, the loosest first
  double Possible() const { return std::accumulate(of_class.begin(), of_class.end(), 0.0); }
};

struct Demands {
  std::vector<AgreementDemand> list;  // of agreements with arrivals
  double all = 0;

  // Requests of an agreement that no placement serves in time have no class.
  static constexpr std::size_t kNoClass = SIZE_MAX;
  void Add(const FluidLoads& loads, AgreementId agreement, NetworkId network, std::size_t of_class,
           double count);

  double Possible() const;
  double SmallestPossibleShare() const;  // of an agreement

 private:
  std::vector<std::size_t> index_;  // in the list, by agreement
};

// Raises the worst agreement's share w of hits.
//
// A looser deadline is never dearer, so an agreement that needs w * all hits takes them from its
// loosest classes first. What a network's agreements need together from its class c and tighter
// ones is then the sum of max(0, w * all - what the looser classes hold): a convex function of w,
// and so the largest of its tangents. Only tangents that are needed enter the program, one round
// after the other; agreements never become variables.
class WorstShare {
 public:
  // `amounts` and `worst` are the program's variables. References outlive it.
  WorstShare(const Demands& demands, const FluidLoads& loads, std::span<const int> amounts,
             LinearProgram& linear, int worst)
      : demands_(demands), loads_(loads), amounts_(amounts), linear_(linear), worst_(worst) {}

  // Raises the program's objective w, up to `limit`, instead of what it was.
  void Begin(double limit);
  // Adds what the last solution's w lacks; whether there was anything.
  bool Add(double share);

 private:
  struct Tangent {
    double slope = 0;
    double held = 0;  // by looser classes
  };

  std::vector<Tangent> TangentsAt(double share) const;  // by class
  template <typename Wanted>
  bool AddTangents(double share, Wanted wanted);

  const Demands& demands_;
  const FluidLoads& loads_;
  std::span<const int> amounts_;
  LinearProgram& linear_;
  int worst_;
};

using Term = LinearProgram::Term;

void Demands::Add(const FluidLoads& loads, AgreementId agreement, NetworkId network,
                  std::size_t of_class, double count) {
  if (count == 0) return;
  const auto [first, end] = loads.ClassesOf(network.index());
  if (agreement.index() >= index_.size()) index_.resize(agreement.index() + 1, SIZE_MAX);
  std::size_t& index = index_[agreement.index()];
  if (index == SIZE_MAX) {
    index = list.size();
    list.push_back({.network = network.index(), .of_class = std::vector<double>(end - first)});
  }
  AgreementDemand& demand = list[index];
  CHECK(demand.network == network.index());
  demand.all += count;
  all += count;
  if (of_class != kNoClass) demand.of_class[of_class - first] += count;
}

double Demands::Possible() const {
  double possible = 0;
  for (const AgreementDemand& demand : list) possible += demand.Possible();
  return possible;
}

double Demands::SmallestPossibleShare() const {
  double smallest = 1;
  for (const AgreementDemand& demand : list)
    smallest = std::min(smallest, demand.Possible() / demand.all);
  return smallest;
}

std::vector<WorstShare::Tangent> WorstShare::TangentsAt(double share) const {
  std::vector<Tangent> tangents(loads_.classes().size());
  for (const AgreementDemand& demand : demands_.list) {
    const std::size_t first = loads_.ClassesOf(demand.network).first;
    double looser = 0;
    for (std::size_t c = 0; c < demand.of_class.size(); ++c) {
      if (share * demand.all <= looser) break;
      tangents[first + c].slope += demand.all;
      tangents[first + c].held += looser;
      looser += demand.of_class[c];
    }
  }
  return tangents;
}

// Adds the tangents at this share that `wanted` agrees to, given how much of the need is not
// served now, as a share; whether there were any.
template <typename Wanted>
bool WorstShare::AddTangents(double share, Wanted wanted) {
  const std::vector<Tangent> tangents = TangentsAt(share);
  bool added = false;
  for (std::size_t network = 0; network < loads_.networks(); ++network) {
    const auto [first, end] = loads_.ClassesOf(network);
    std::vector<Term> terms = {{worst_, -1}};
    double served = 0;
    for (std::size_t c = end; c-- > first;) {
      const double weight = loads_.classes()[c].bucket.weight;
      terms.push_back({amounts_[c], weight});
      served += weight * linear_.Value(amounts_[c]);
      const Tangent& tangent = tangents[c];
      if (tangent.slope == 0) continue;
      if (!wanted(share - (tangent.held + served) / tangent.slope)) continue;
      std::vector<Term> row = terms;
      for (std::size_t i = 1; i < row.size(); ++i) row[i].coefficient /= tangent.slope;
      linear_.AddConstraint(-tangent.held / tangent.slope, LinearProgram::kInfinity, row);
      added = true;
    }
  }
  return added;
}

void WorstShare::Begin(double limit) {
  for (int amount : amounts_) linear_.SetObjective(amount, 0);
  linear_.SetUpper(worst_, limit);
  linear_.SetObjective(worst_, 1);
  AddTangents(limit, [](double) { return true; });
}

bool WorstShare::Add(double share) {
  return AddTangents(share, [](double missing) { return missing > kFluidTolerance; });
}

std::vector<bool> KindsWithAccelerators(const Platform& platform) {
  std::vector<bool> there;
  for (int count : platform.CountByKind()) there.push_back(count > 0);
  return there;
}

std::vector<double> SecondsOfKind(const Platform& platform, double seconds) {
  std::vector<double> of_kind;
  for (int count : platform.CountByKind()) of_kind.push_back(count * seconds);
  return of_kind;
}

// The largest multiple of all classes' weights that fits, and the prices there.
struct Multiple {
  double value = 0;
  ResourcePrices prices;
};

Result<Multiple> FindMultiple(const FluidLoads& loads, std::vector<double> seconds_of_kind,
                              double seconds, DeadlineRule rule) {
  // No placement takes less than this share of all accelerators, so 1 over it bounds the load and
  // is a good unit for it.
  double least_share = 0;
  double all_seconds = 0;
  for (double of_kind : seconds_of_kind) all_seconds += of_kind;
  for (const FluidClass& requests : loads.classes())
    least_share += requests.bucket.weight * requests.shape->least_time / all_seconds;
  const double unit = least_share > 0 ? 1 / least_share : 1;
  for (double& of_kind : seconds_of_kind) of_kind /= unit;
  FluidProgram program(std::move(seconds_of_kind), loads.options().bandwidth(), seconds / unit,
                       rule);
  // Twice as far as it can go, so that it is what there is that stops it, at a price.
  const int multiple = program.linear().AddVariable(least_share > 0 ? 2 : LinearProgram::kInfinity);
  program.linear().SetObjective(multiple, 1);
  for (const FluidClass& requests : loads.classes()) program.Serve(requests, multiple);
  ASSIGN_OR_RETURN(const double units, program.linear().Maximise());
  return Multiple{units * unit, program.Prices()};
}

// The program of the bounds: as many hits as possible, then as large a worst share as possible.
class BoundProgram {
 public:
  // `cuts` may be null; references outlive it.
  BoundProgram(const FluidLoads& loads, const Demands& demands, FluidProgram program,
               WindowCuts* cuts)
      : loads_(loads), demands_(demands), program_(std::move(program)), cuts_(cuts) {
    worst_ = program_.linear().AddVariable(1);
    for (const FluidClass& requests : loads.classes()) {
      amounts_.push_back(program_.linear().AddVariable(1));
      program_.linear().SetObjective(amounts_.back(), requests.bucket.weight / demands.all);
      program_.Serve(requests, amounts_.back());
    }
  }

  Result<FluidBounds> Solve() {
    ASSIGN_OR_RETURN(const double hit_rate, MostHits());
    const double possible = demands_.Possible() / demands_.all;
    const double smallest = demands_.SmallestPossibleShare();
    if (hit_rate >= possible - kFluidTolerance)
      return FluidBounds{.hit_rate = possible, .worst_agreement = smallest};
    ASSIGN_OR_RETURN(const double worst, LargestWorst(std::min(smallest, hit_rate)));
    return FluidBounds{.hit_rate = hit_rate > 0 ? hit_rate : 0,
                       .worst_agreement = worst > 0 ? std::min(worst, 1.0) : 0};
  }

 private:
  static constexpr int kMostRounds = 200;
  static constexpr int kMostCutRounds = 6;

  Result<double> MostHits() {
    ASSIGN_OR_RETURN(double hit_rate, program_.linear().Maximise());
    for (int round = 0; round < kMostCutRounds && AddCuts(); ++round) {
      ASSIGN_OR_RETURN(hit_rate, program_.linear().Maximise());
    }
    return hit_rate;
  }

  Result<double> LargestWorst(double limit) {
    WorstShare share(demands_, loads_, amounts_, program_.linear(), worst_);
    share.Begin(limit);
    double reached = limit;
    int cut_rounds = 0;
    for (int round = 0; round < kMostRounds; ++round) {
      ASSIGN_OR_RETURN(reached, program_.linear().Maximise());
      if (share.Add(reached)) continue;
      if (cut_rounds++ == kMostCutRounds || !AddCuts()) break;
    }
    return reached;
  }

  bool AddCuts() { return cuts_ != nullptr && cuts_->Add(program_, amounts_); }

  const FluidLoads& loads_;
  const Demands& demands_;
  FluidProgram program_;
  WindowCuts* cuts_;
  int worst_ = 0;
  std::vector<int> amounts_;  // by class
};

// The arrivals by class, each with the kinds that are there while it lasts.
class TimedLoads {
 public:
  TimedLoads(const FluidSystem& system, const Presence& presence,
             std::span<const TimedArrival> arrivals)
      : loads_(system), presence_(presence) {
    std::vector<bool> ever;
    for (double seconds : presence.seconds_of_kind()) ever.push_back(seconds > 0);
    loads_.SetOfKinds(ever);
    std::vector<std::size_t> kinds;
    std::vector<bool> in_time;
    for (const TimedArrival& one : arrivals) {
      kinds.push_back(loads_.SetOfKinds(ThereFor(one)));
      in_time.push_back(loads_.Add(one.network, kinds.back(), one.deadline - one.arrival, 1));
    }
    loads_.Divide();
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const TimedArrival& one = arrivals[i];
      const std::size_t of_class =
          in_time[i] ? loads_.ClassOf(one.network, kinds[i], one.deadline - one.arrival)
                     : Demands::kNoClass;
      demands_.Add(loads_, one.agreement, one.network, of_class, 1);
      if (in_time[i]) windows_.push_back({one.arrival, one.deadline, of_class});
    }
  }

  const FluidLoads& loads() const { return loads_; }
  const Demands& demands() const { return demands_; }
  std::vector<RequestWindow> windows() const { return windows_; }

 private:
  std::vector<bool> ThereFor(const TimedArrival& one) const {
    std::vector<bool> there;
    for (std::size_t kind = 0; kind < presence_.seconds_of_kind().size(); ++kind)
      there.push_back(presence_.IsThere(kind, one.arrival, one.deadline));
    return there;
  }

  FluidLoads loads_;
  const Presence& presence_;
  Demands demands_;
  std::vector<RequestWindow> windows_;
};

}  // namespace

Result<LargestLoad> FindLargestLoad(const FluidSystem& system, std::span<const RequestRate> mix) {
  FluidLoads loads(system);
  const std::size_t kinds = loads.SetOfKinds(KindsWithAccelerators(system.platform));
  LargestLoad result;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    CHECK(mix[i].per_second >= 0);
    if (!loads.Add(mix[i].network, kinds, mix[i].deadline, mix[i].per_second))
      result.excluded.push_back(i);
  }
  if (result.excluded.size() == mix.size())
    return Fail("load: no request can meet its deadline, even alone on the idle platform");
  loads.Divide();
  const auto multiple =
      FindMultiple(loads, SecondsOfKind(system.platform, 1), 1, DeadlineRule::kOnAverage);
  if (!multiple.has_value() && multiple.error().message == kNoLimit)
    return Fail("load: what is asked for takes no time, so there is no load of it: give rates");
  if (!multiple.has_value()) return tl::unexpected(multiple.error());
  result.multiple = multiple->value;
  return result;
}

Result<FluidBounds> FindFluidBounds(const FluidSystem& system,
                                    std::span<const ArrivalCount> arrivals, Duration useful_time) {
  FluidLoads loads(system);
  const std::size_t kinds = loads.SetOfKinds(KindsWithAccelerators(system.platform));
  std::vector<bool> in_time;
  for (const ArrivalCount& one : arrivals) {
    CHECK(one.count >= 0);
    in_time.push_back(loads.Add(one.network, kinds, one.deadline, static_cast<double>(one.count)));
  }
  loads.Divide();
  Demands demands;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const ArrivalCount& one = arrivals[i];
    if (one.count == 0) continue;
    demands.Add(loads, one.agreement, one.network,
                in_time[i] ? loads.ClassOf(one.network, kinds, one.deadline) : Demands::kNoClass,
                static_cast<double>(one.count));
  }
  if (demands.all == 0) return FluidBounds{};
  const double seconds = Seconds(std::max(useful_time, Duration{1}));
  FluidProgram program(SecondsOfKind(system.platform, seconds), loads.options().bandwidth(),
                       seconds, DeadlineRule::kByEach);
  return BoundProgram(loads, demands, std::move(program), nullptr).Solve();
}

Result<FluidBounds> FindTimedBounds(const FluidSystem& system,
                                    std::span<const TimedArrival> arrivals,
                                    std::span<const PresenceChange> changes) {
  if (arrivals.empty()) return FluidBounds{};
  Instant first = arrivals.front().arrival;
  Instant last = arrivals.front().deadline;
  for (const TimedArrival& one : arrivals) {
    CHECK(one.arrival <= one.deadline);
    first = std::min(first, one.arrival);
    last = std::max(last, one.deadline);
  }
  last = std::max(last, first + Duration{1});
  const Presence presence(system.platform, changes, first, last);
  const TimedLoads timed(system, presence, arrivals);
  const FluidLoads& loads = timed.loads();
  const double bandwidth = loads.options().bandwidth();
  const double seconds = Seconds(last - first);

  WindowCuts cuts(loads, presence, timed.windows());
  const auto multiple =
      FindMultiple(loads, presence.seconds_of_kind(), seconds, DeadlineRule::kByEach);
  if (multiple.has_value()) cuts.Try(multiple->prices);
  if (bandwidth > 0)
    cuts.Try({.of_second = std::vector<double>(system.platform.kinds.size()), .of_byte = 1});
  FluidProgram program(presence.seconds_of_kind(), bandwidth, seconds, DeadlineRule::kByEach);
  return BoundProgram(loads, timed.demands(), std::move(program), &cuts).Solve();
}

}  // namespace fairlead
