#include "fairlead/workload/fluid_bound.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/workload/fluid_shape.h"
#include "fairlead/workload/linear_program.h"

namespace fairlead {
namespace {

using Term = LinearProgram::Term;

constexpr std::size_t kMostBuckets = 8;         // of one network
constexpr std::size_t kMostVariables = 20'000;  // of one program, roughly
constexpr double kTolerance = 1e-7;
// Costs beyond this many times what there is are taken for this; it only loosens bounds, by less
// than the tolerance, and the solver needs coefficients that it can compare.
constexpr double kLargestShare = 1e8;

double InSeconds(FluidTime time) { return std::chrono::duration<double>(time).count(); }

// Requests of one network whose deadlines are treated alike.
struct Bucket {
  Duration deadline{};  // the largest
  Duration smallest{};
  bool limits = true;  // the slowest placement does not fit the deadline
  double weight = 0;   // requests, or requests per second
};

struct Weighted {
  Duration deadline{};
  double weight = 0;
};

// The requests of one network that can meet their deadlines.
struct Load {
  FluidShape shape;
  std::vector<Weighted> deadlines;
  std::vector<Bucket> buckets;  // the loosest first

  // Makes the buckets: one for all deadlines that any placement fits, and up to `most` in all.
  void Divide(std::size_t most);
  std::size_t BucketOf(Duration deadline) const {
    const auto found = std::ranges::find_if(
        buckets, [deadline](const Bucket& bucket) { return bucket.smallest <= deadline; });
    CHECK(found != buckets.end());
    return static_cast<std::size_t>(found - buckets.begin());
  }
};

void Load::Divide(std::size_t most) {
  std::ranges::sort(deadlines, std::greater<>(), &Weighted::deadline);
  const auto limits = [this](Duration deadline) { return FluidTime(deadline) < shape.slowest; };
  double weight = 0;  // of deadlines that limit placements
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    if (!limits(deadlines[i].deadline)) continue;
    weight += deadlines[i].weight;
    if (i == 0 || deadlines[i].deadline != deadlines[i - 1].deadline) ++distinct;
  }
  const double share = distinct < most ? 0 : weight / static_cast<double>(most - 1);
  const auto joins = [&](const Bucket& bucket, const Weighted& next) {
    if (bucket.smallest == next.deadline || buckets.size() == most) return true;
    return bucket.limits ? bucket.weight < share : !limits(next.deadline);
  };
  for (const Weighted& next : deadlines) {
    if (buckets.empty() || !joins(buckets.back(), next))
      buckets.push_back(
          {.deadline = next.deadline, .smallest = next.deadline, .limits = limits(next.deadline)});
    buckets.back().smallest = next.deadline;
    buckets.back().weight += next.weight;
  }
}

// The loads of all networks. Deadlines that can't be met are refused; so are networks that can't
// run.
class Loads {
 public:
  explicit Loads(const FluidSystem& system) : system_(system), loads_(system.networks.size()) {}

  // Whether these requests can meet their deadline, alone.
  bool Add(NetworkId network, Duration deadline, double weight) {
    std::optional<Load>& load = loads_[network.index()];
    if (!load.has_value())
      load = Load{.shape = ShapeOf(system_, network), .deadlines = {}, .buckets = {}};
    if (!load->shape.runnable || load->shape.fastest > FluidTime(deadline)) return false;
    if (weight > 0) load->deadlines.push_back({deadline, weight});
    return true;
  }

  void Divide() {
    std::size_t variables = 1;
    for (const auto& load : loads_) variables += load.has_value() ? load->shape.variables : 0;
    const std::size_t most = std::clamp<std::size_t>(kMostVariables / variables, 2, kMostBuckets);
    for (auto& load : loads_) {
      if (load.has_value()) load->Divide(most);
    }
  }

  std::size_t size() const { return loads_.size(); }
  // Null for a network without requests.
  const Load* Of(std::size_t network) const {
    return loads_[network].has_value() ? &*loads_[network] : nullptr;
  }

 private:
  const FluidSystem& system_;
  std::vector<std::optional<Load>> loads_;
};

// The constraints on accelerator time, bandwidth and deadlines. All are shares of what there is.
class FluidProgram {
 public:
  FluidProgram(const FluidSystem& system, double seconds);

  LinearProgram& linear() { return linear_; }
  // Serves the bucket's weight times the value of the variable `amount`.
  void Serve(const Load& load, const Bucket& bucket, int amount);

 private:
  // Takes `share` of the variable's value times the option's cost from what there is.
  void Use(const PlacementOption& option, int variable, double share);
  void LimitPaths(const Load& load, const Bucket& bucket, int amount,
                  const std::vector<std::vector<Term>>& run_times);

  LinearProgram linear_;
  std::vector<double> seconds_of_kind_;
  std::vector<int> time_on_kind_;
  double bytes_ = 0;
  int bandwidth_ = -1;
};

FluidProgram::FluidProgram(const FluidSystem& system, double seconds) {
  for (int count : system.platform.CountByKind()) {
    seconds_of_kind_.push_back(count * seconds);
    time_on_kind_.push_back(linear_.AddConstraint(0, 1, {}));
  }
  if (system.platform.bandwidth <= 0) return;
  bytes_ = static_cast<double>(system.platform.bandwidth) * seconds;
  bandwidth_ = linear_.AddConstraint(0, 1, {});
}

void FluidProgram::Use(const PlacementOption& option, int variable, double share) {
  const double time = share * InSeconds(option.latency) / seconds_of_kind_[option.kind];
  linear_.AddTerm(time_on_kind_[option.kind], {variable, std::min(time, kLargestShare)});
  if (bandwidth_ < 0) return;
  const double traffic = share * static_cast<double>(option.dram_bytes) / bytes_;
  linear_.AddTerm(bandwidth_, {variable, std::min(traffic, kLargestShare)});
}

void FluidProgram::Serve(const Load& load, const Bucket& bucket, int amount) {
  // Deadline rows count in the deadline; a deadline of 0 leaves room for no latency at all.
  const FluidTime unit = std::max(FluidTime(bucket.deadline), FluidTime(1));
  std::vector<std::vector<Term>> run_times;
  for (const FluidRun& run : load.shape.runs) {
    std::vector<Term>& time = run_times.emplace_back();
    for (const FluidStep& step : run.steps) {
      const bool choice = step.options.size() > 1;
      std::vector<Term> shares = {{amount, -1}};
      for (const PlacementOption& option : step.options) {
        const int variable = choice ? linear_.AddVariable() : amount;
        if (choice) shares.push_back({variable, 1});
        Use(option, variable, bucket.weight * step.segments);
        const double latency = step.segments * (FluidTime(option.latency) / unit);
        time.push_back({variable, std::min(latency, kLargestShare)});
      }
      if (choice) linear_.AddConstraint(0, 0, shares);
    }
  }
  if (bucket.limits) LimitPaths(load, bucket, amount, run_times);
}

void FluidProgram::LimitPaths(const Load& load, const Bucket& bucket, int amount,
                              const std::vector<std::vector<Term>>& run_times) {
  const std::vector<FluidRun>& runs = load.shape.runs;
  const double deadline = bucket.deadline > Duration::zero() ? 1 : 0;
  std::vector<int> finish;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    finish.push_back(runs[i].last ? amount : linear_.AddVariable());
    std::vector<Term> terms = {{finish[i], runs[i].last ? deadline : 1}};
    for (const Term& time : run_times[i]) terms.push_back({time.variable, -time.coefficient});
    if (runs[i].after.empty()) linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
    for (std::size_t before : runs[i].after) {
      terms.push_back({finish[before], -1});
      linear_.AddConstraint(0, LinearProgram::kInfinity, terms);
      terms.pop_back();
    }
  }
}

// What one agreement asks for.
struct Demand {
  std::size_t network = 0;
  double all = 0;  // those that no placement serves in time included
  std::array<double, kMostBuckets> by_bucket{};
  double Possible() const { return std::accumulate(by_bucket.begin(), by_bucket.end(), 0.0); }
};

struct Demands {
  std::vector<Demand> list;  // of agreements with arrivals
  double all = 0;
  double possible = 0;
  double worst_share = 1;  // the smallest possible share of an agreement

  Demands(const Loads& loads, std::span<const ArrivalCount> arrivals,
          const std::vector<bool>& in_time);
};

Demands::Demands(const Loads& loads, std::span<const ArrivalCount> arrivals,
                 const std::vector<bool>& in_time) {
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const ArrivalCount& arrival = arrivals[i];
    if (arrival.count == 0) continue;
    const std::size_t agreement = arrival.agreement.index();
    if (agreement >= index.size()) index.resize(agreement + 1, SIZE_MAX);
    if (index[agreement] == SIZE_MAX) {
      index[agreement] = list.size();
      list.push_back({.network = arrival.network.index()});
    }
    Demand& demand = list[index[agreement]];
    CHECK(demand.network == arrival.network.index());
    const auto count = static_cast<double>(arrival.count);
    demand.all += count;
    if (in_time[i]) demand.by_bucket[loads.Of(demand.network)->BucketOf(arrival.deadline)] += count;
  }
  for (const Demand& demand : list) {
    all += demand.all;
    possible += demand.Possible();
    worst_share = std::min(worst_share, demand.Possible() / demand.all);
  }
}

// Raises the worst agreement's share w of hits.
//
// A looser deadline is never dearer, so an agreement that needs w * all hits takes them from its
// loosest buckets first. What a network's agreements need together from its bucket b and tighter
// ones is then the sum of max(0, w * all - what the looser buckets hold): a convex function of w,
// and so the largest of its tangents. Only tangents that are needed enter the program, one round
// after the other; agreements never become variables.
class WorstShare {
 public:
  WorstShare(const Demands& demands, const Loads& loads, std::vector<std::vector<int>> amounts,
             LinearProgram& linear, int worst)
      : demands_(demands),
        loads_(loads),
        amounts_(std::move(amounts)),
        linear_(linear),
        worst_(worst) {}

  // The largest w up to `limit`.
  Result<double> Raise(double limit) {
    constexpr int kMostRounds = 200;
    linear_.SetUpper(worst_, limit);
    linear_.SetObjective(worst_, 1);
    AddTangents(limit, [](double) { return true; });
    double reached = limit;
    for (int round = 0; round < kMostRounds; ++round) {
      ASSIGN_OR_RETURN(reached, linear_.Maximise());
      if (!AddTangents(reached, [](double missing) { return missing > kTolerance; })) break;
    }
    return reached;
  }

 private:
  struct Tangent {
    double slope = 0;
    double held = 0;  // by looser buckets
  };
  using Tangents = std::vector<std::array<Tangent, kMostBuckets>>;

  Tangents TangentsAt(double share) const {
    Tangents tangents(loads_.size());
    for (const Demand& demand : demands_.list) {
      double looser = 0;
      for (std::size_t b = 0; b < amounts_[demand.network].size(); ++b) {
        if (share * demand.all <= looser) break;
        tangents[demand.network][b].slope += demand.all;
        tangents[demand.network][b].held += looser;
        looser += demand.by_bucket[b];
      }
    }
    return tangents;
  }

  // Adds the tangents at this share that `wanted` agrees to, given how much of the need is not
  // served now, as a share; whether there were any.
  template <typename Wanted>
  bool AddTangents(double share, Wanted wanted);

  const Demands& demands_;
  const Loads& loads_;
  std::vector<std::vector<int>> amounts_;  // by network and bucket
  LinearProgram& linear_;
  int worst_;
};

template <typename Wanted>
bool WorstShare::AddTangents(double share, Wanted wanted) {
  const Tangents tangents = TangentsAt(share);
  bool added = false;
  for (std::size_t network = 0; network < amounts_.size(); ++network) {
    const std::vector<int>& amounts = amounts_[network];
    std::vector<Term> terms = {{worst_, -1}};
    double served = 0;
    for (std::size_t b = amounts.size(); b-- > 0;) {
      const double weight = loads_.Of(network)->buckets[b].weight;
      terms.push_back({amounts[b], weight});
      served += weight * linear_.Value(amounts[b]);
      const Tangent& tangent = tangents[network][b];
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

}  // namespace

Result<LargestLoad> FindLargestLoad(const FluidSystem& system, std::span<const RequestRate> mix) {
  Loads loads(system);
  LargestLoad result;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    CHECK(mix[i].per_second >= 0);
    if (!loads.Add(mix[i].network, mix[i].deadline, mix[i].per_second))
      result.excluded.push_back(i);
  }
  if (result.excluded.size() == mix.size())
    return Fail("load: no request can meet its deadline, even alone on the idle platform");
  loads.Divide();

  // No placement takes less than this share of all accelerators, so 1 over it bounds the load and
  // is a good unit for it.
  double least_share = 0;
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const Bucket& bucket : loads.Of(network)->buckets)
      least_share += bucket.weight * InSeconds(loads.Of(network)->shape.least_work) /
                     static_cast<double>(system.platform.accelerators.size());
  }
  const double unit = least_share > 0 ? 1 / least_share : 1;
  FluidProgram program(system, 1 / unit);
  const int multiple = program.linear().AddVariable(least_share > 0 ? 1 : LinearProgram::kInfinity);
  program.linear().SetObjective(multiple, 1);
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const Bucket& bucket : loads.Of(network)->buckets)
      program.Serve(*loads.Of(network), bucket, multiple);
  }
  ASSIGN_OR_RETURN(const double units, program.linear().Maximise());
  result.multiple = units * unit;
  return result;
}

Result<FluidBounds> FindFluidBounds(const FluidSystem& system,
                                    std::span<const ArrivalCount> arrivals, Duration useful_time) {
  Loads loads(system);
  std::vector<bool> in_time;
  for (const ArrivalCount& arrival : arrivals) {
    CHECK(arrival.count >= 0);
    in_time.push_back(
        loads.Add(arrival.network, arrival.deadline, static_cast<double>(arrival.count)));
  }
  loads.Divide();
  const Demands demands(loads, arrivals, in_time);
  if (demands.all == 0) return FluidBounds{};

  FluidProgram program(system, Seconds(std::max(useful_time, Duration{1})));
  LinearProgram& linear = program.linear();
  const int worst = linear.AddVariable(1);
  std::vector<std::vector<int>> amounts(loads.size());
  for (std::size_t network = 0; network < loads.size(); ++network) {
    if (loads.Of(network) == nullptr) continue;
    for (const Bucket& bucket : loads.Of(network)->buckets) {
      const int amount = linear.AddVariable(1);
      linear.SetObjective(amount, bucket.weight / demands.all);
      program.Serve(*loads.Of(network), bucket, amount);
      amounts[network].push_back(amount);
    }
  }
  ASSIGN_OR_RETURN(const double hit_rate, linear.Maximise());
  const double possible = demands.possible / demands.all;
  if (hit_rate >= possible - kTolerance)
    return FluidBounds{.hit_rate = possible, .worst_agreement = demands.worst_share};

  for (const auto& list : amounts) {
    for (int amount : list) linear.SetObjective(amount, 0);
  }
  WorstShare share(demands, loads, std::move(amounts), linear, worst);
  const double limit = std::min(demands.worst_share, hit_rate);
  ASSIGN_OR_RETURN(const double worst_share, share.Raise(limit));
  return FluidBounds{.hit_rate = std::max(hit_rate, 0.0),
                     .worst_agreement = std::clamp(worst_share, 0.0, 1.0)};
}

}  // namespace fairlead
