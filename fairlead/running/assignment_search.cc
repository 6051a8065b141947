#include "fairlead/running/assignment_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "fairlead/running/run.h"
#include "fairlead/scenario/split.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {

namespace {

constexpr std::array<std::string_view, 5> kGoalNames = {"goodput", "slo99-throughput", "throughput",
                                                        "fairness", "energy"};

}  // namespace

Result<SearchGoal> ParseSearchGoal(std::string_view text) {
  SearchGoal goal{.parts = {}};
  for (const std::string_view part : SplitAt(text, '+')) {
    const std::size_t colon = part.find(':');
    const auto name = std::ranges::find(kGoalNames, part.substr(0, colon));
    if (name == kGoalNames.end())
      return Fail("unknown goal '{}'; expected {}, or a mix as goodput:0.7+fairness:0.3",
                  part.substr(0, colon), fmt::join(kGoalNames, ", "));
    SearchGoal::Part found{static_cast<GoalKind>(name - kGoalNames.begin()), 1};
    if (colon != std::string_view::npos) {
      ASSIGN_OR_RETURN(found.weight, ParseNumber(part.substr(colon + 1)));
      if (found.weight <= 0 || found.weight > 1e6)
        return Fail("goal '{}': expected a weight above 0", part);
    }
    goal.parts.push_back(found);
  }
  return goal;
}

std::string FormatSearchGoal(const SearchGoal& goal) {
  std::string text;
  for (const SearchGoal::Part& part : goal.parts) {
    if (!text.empty()) text += '+';
    text += kGoalNames[static_cast<std::size_t>(part.kind)];
    if (part.weight != 1) text += fmt::format(":{}", part.weight);
  }
  return text;
}

namespace {

constexpr std::array<std::string_view, 3> kMethodNames = {"sampling", "local", "halving"};
constexpr double kMoreThanEnough = 2;  // times the offered load, for throughput
constexpr std::size_t kBisections = 7;
constexpr double kLeastScale = 0.05;
constexpr double kMostScale = 1.6;
constexpr double kPromised = 0.99;
constexpr double kForAgain = 0.25;     // of the budget, to judge the best again
constexpr std::size_t kAgainEach = 4;  // on so much traffic that no draw was chosen by

double TotalRate(const World& world) {
  double rate = 0;
  for (const PlannedAgreement& planned : world.agreements) rate += MeanRate(planned.arrivals);
  return rate;
}

// Rows of the table: the networks that agreements name, and the accelerators that can begin them.
class AssignmentSpace {
 public:
  explicit AssignmentSpace(const World& world) {
    std::set<std::string> names;
    for (const PlannedAgreement& planned : world.agreements) {
      const NetworkId network = planned.agreement.network;
      const std::string& name = world.networks[network.index()].name();
      if (!names.insert(name).second) continue;
      Choice& choice = choices_.emplace_back();
      choice.network = name;
      for (const Accelerator& accelerator : world.platform.accelerators) {
        if (world.truth->Alone(network, SegmentId{0}, accelerator.kind) != nullptr)
          choice.accelerators.push_back(accelerator.name);
      }
    }
  }

  using Point = std::vector<std::vector<double>>;  // by network and place among its accelerators

  Point Draw(RandomStream& random) const {
    Point point;
    for (const Choice& choice : choices_) point.push_back(DrawRow(choice, random));
    return point;
  }

  // One network's row is drawn anew, or some of it goes from one accelerator to another.
  Point Neighbour(Point point, RandomStream& random) const {
    const std::size_t n = random.Below(choices_.size());
    std::vector<double>& row = point[n];
    if (row.size() < 2 || random.Uniform() < 0.3) {
      row = DrawRow(choices_[n], random);
      return point;
    }
    const std::size_t from = random.Weighted(row);
    const std::size_t step = 1 + random.Below(row.size() - 1);
    const std::size_t to = (from + step) % row.size();
    const double moved = row[from] * (random.Uniform() < 0.4 ? 1 : random.Uniform());
    row[from] -= moved;
    row[to] += moved;
    return point;
  }

  AllocationRatios Ratios(const Point& point) const {
    AllocationRatios ratios;
    for (std::size_t n = 0; n < choices_.size(); ++n) {
      for (std::size_t a = 0; a < point[n].size(); ++a)
        ratios.rows.push_back({choices_[n].network, choices_[n].accelerators[a], point[n][a]});
    }
    return ratios;
  }

 private:
  struct Choice {
    std::string network;
    std::vector<std::string> accelerators;
  };

  // Any subset of accelerators, and any proportions within it.
  static std::vector<double> DrawRow(const Choice& choice, RandomStream& random) {
    std::vector<double> row(choice.accelerators.size(), 0);
    row[random.Below(row.size())] = 1;
    double sum = 0;
    for (double& ratio : row) {
      if (ratio > 0 || random.Uniform() < 0.5) ratio = random.Exponential(1) + 1e-6;
      sum += ratio;
    }
    for (double& ratio : row) ratio /= sum;
    return row;
  }

  std::vector<Choice> choices_;
};

class Search {
 public:
  Search(const World& believed, const AssignmentSearchOptions& options)
      : options_(options),
        space_(believed),
        trial_(believed),
        random_(options.seed, "assignments") {}

  Result<FoundAssignment> Run() {
    const double each = SimulationsEach() * kAgainEach;
    const auto again = static_cast<std::size_t>(kForAgain * Budget() / each);  // and by speed
    judged_again_ = again > kFewestAgain ? again - 1 : 0;
    for_draws_ = Budget() - (judged_again_ > 0 ? static_cast<double>(again) * each : 0);
    ASSIGN_OR_RETURN(found_.by_speed, Try({}, {}));
    best_score_ = found_.by_speed;
    switch (options_.method) {
      case SearchMethod::kSampling: RETURN_IF_ERROR(Sample(for_draws_)); break;
      case SearchMethod::kLocal:
        RETURN_IF_ERROR(Sample(for_draws_ / 3));
        RETURN_IF_ERROR(Improve());
        break;
      case SearchMethod::kHalving: RETURN_IF_ERROR(Halve()); break;
    }
    RETURN_IF_ERROR(JudgeAgain());
    found_.score = best_score_;
    if (best_.has_value()) found_.ratios = space_.Ratios(*best_);
    return std::move(found_);
  }

 private:
  using Point = AssignmentSpace::Point;
  static constexpr std::size_t kFewestAgain = 3;
  struct Entrant {
    Point point;
    double score = 0;
  };
  struct Traffic {
    double part = 1;          // of the length
    std::uint64_t after = 0;  // the seed
  };

  double SimulationsEach() const {
    double simulations = 0;
    for (const SearchGoal::Part& one : options_.goal.parts)
      simulations += static_cast<double>(GoalTrial::Simulations(one.kind));
    return simulations;
  }
  double Budget() const { return static_cast<double>(options_.budget); }
  bool Spent(double budget) const {
    return found_.simulations >= budget || options_.stop.stop_requested();
  }

  Result<double> Try(const AllocationRatios& ratios, const Traffic& traffic) {
    const TriedPolicy policy = [&](DropRule drop) {
      return MakeGoalDirected("goal-directed", {.route = options_.route, .drop = drop}, ratios);
    };
    double sum = 0;
    for (const SearchGoal::Part& one : options_.goal.parts) {
      ASSIGN_OR_RETURN(const double score,
                       trial_.Score(one.kind, policy, options_.seed + traffic.after, traffic.part));
      found_.simulations += traffic.part * static_cast<double>(GoalTrial::Simulations(one.kind));
      if (options_.goal.parts.size() == 1) {
        sum = score;
      } else {
        ASSIGN_OR_RETURN(const double usual, Usual(one.kind, traffic));
        sum += one.weight * score / usual;
      }
    }
    if (traffic.part == 1 && traffic.after == 0) found_.scores.push_back(sum);
    if (options_.progressed) options_.progressed(std::min(1.0, found_.simulations / Budget()));
    return sum;
  }

  // Of ratios that follow speeds, at least something.
  Result<double> Usual(GoalKind kind, const Traffic& traffic) {
    const std::tuple key(kind, traffic.part, traffic.after);
    const auto known = usual_.find(key);
    if (known != usual_.end()) return known->second;
    const TriedPolicy policy = [&](DropRule drop) {
      return MakeGoalDirected("goal-directed", {.route = options_.route, .drop = drop}, {});
    };
    ASSIGN_OR_RETURN(const double score,
                     trial_.Score(kind, policy, options_.seed + traffic.after, traffic.part));
    return usual_[key] = std::max(score, 1e-9);
  }

  void Consider(Point point, double score) {
    if (judged_again_ > 0) {
      const auto place = std::ranges::upper_bound(top_, score, std::greater<>{}, &Entrant::score);
      top_.insert(place, {point, score});
      if (top_.size() > judged_again_) top_.pop_back();
    }
    if (best_.has_value() && score <= best_score_) return;
    if (!best_.has_value() && score < best_score_) return;
    best_ = std::move(point);
    best_score_ = score;
  }

  // The best of many on one sample of traffic are those that it happens to suit. Which of the best
  // few is best is asked on other traffic; ratios by speed stay unless they are behind there too.
  Status JudgeAgain() {
    if (top_.empty() || options_.stop.stop_requested()) return {};
    const auto judge = [this](const AllocationRatios& ratios) -> Result<double> {
      double sum = 0;
      for (std::uint64_t i = 1; i <= kAgainEach; ++i) {
        ASSIGN_OR_RETURN(const double score, Try(ratios, {.after = i}));
        sum += score / kAgainEach;
      }
      return sum;
    };
    ASSIGN_OR_RETURN(found_.by_speed, judge({}));
    best_.reset();
    best_score_ = found_.by_speed;
    for (const Entrant& entrant : top_) {
      ASSIGN_OR_RETURN(const double score, judge(space_.Ratios(entrant.point)));
      if (score < best_score_) continue;
      best_ = entrant.point;
      best_score_ = score;
    }
    return {};
  }

  Status Sample(double budget) {
    while (!Spent(budget)) {
      Point point = space_.Draw(random_);
      ++found_.draws;
      ASSIGN_OR_RETURN(const double score, Try(space_.Ratios(point), {}));
      Consider(std::move(point), score);
    }
    return {};
  }

  // From the best that was drawn, even where ratios by speed are better.
  Status Improve() {
    if (!best_.has_value()) return Sample(for_draws_);
    while (!Spent(for_draws_)) {
      Point point = space_.Neighbour(*best_, random_);
      ++found_.draws;
      ASSIGN_OR_RETURN(const double score, Try(space_.Ratios(point), {}));
      Consider(std::move(point), score);
    }
    return {};
  }

  // Four rounds that take as long as each other.
  Status Halve() {
    constexpr int kRounds = 4;
    double part = 1.0 / (1 << (kRounds - 1));
    const double each = for_draws_ / kRounds / SimulationsEach();
    std::vector<Entrant> entrants(std::max<std::size_t>(static_cast<std::size_t>(each / part), 1));
    for (Entrant& entrant : entrants) entrant.point = space_.Draw(random_);
    found_.draws += entrants.size();
    for (int round = 0; round < kRounds; ++round, part *= 2) {
      for (Entrant& entrant : entrants) {
        if (options_.stop.stop_requested()) return {};
        ASSIGN_OR_RETURN(entrant.score, Try(space_.Ratios(entrant.point), {.part = part}));
        if (part == 1) Consider(entrant.point, entrant.score);
      }
      std::ranges::stable_sort(entrants, std::greater<>{}, &Entrant::score);
      entrants.resize(std::max<std::size_t>(entrants.size() / 2, 1));
    }
    return {};
  }

  const AssignmentSearchOptions& options_;
  AssignmentSpace space_;
  GoalTrial trial_;
  RandomStream random_;
  std::map<std::tuple<GoalKind, double, std::uint64_t>, double> usual_;  // by goal and traffic
  FoundAssignment found_;
  std::vector<Entrant> top_;      // the best that were simulated in full, the best first
  std::size_t judged_again_ = 0;  // of them; 0: the budget is too small for that
  double for_draws_ = 0;          // of the budget
  std::optional<Point> best_;     // none: nothing is better than ratios by speed
  double best_score_ = 0;
};

}  // namespace

Result<SearchMethod> ParseSearchMethod(std::string_view text) {
  const auto found = std::ranges::find(kMethodNames, text);
  if (found == kMethodNames.end())
    return Fail("unknown search '{}'; expected sampling, local or halving", text);
  return static_cast<SearchMethod>(found - kMethodNames.begin());
}

std::string_view ToString(SearchMethod method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}

World AsBelieved(const World& world) {
  World believed = world;
  if (world.believed_slowdowns == nullptr) {
    SetTrueSlowdowns(believed, std::make_shared<SlowdownModel>(SlowdownModel::None()));
    return believed;
  }
  SetBelievedSlowdowns(believed, world.believed_slowdowns);
  believed.true_slowdowns = believed.believed_slowdowns;
  believed.true_memory = believed.believed_memory;
  return believed;
}

GoalTrial::GoalTrial(const World& world) : world_(world), offered_(TotalRate(world)) {}

std::size_t GoalTrial::Simulations(GoalKind kind) {
  return kind == GoalKind::kSlo99 ? kBisections : 1;
}

Result<GoalTrial::Seen> GoalTrial::Simulate(const TriedPolicy& policy, std::uint64_t seed,
                                            const Run& run) const {
  World world = world_;
  const Duration measured = world.scenario.horizon - world.scenario.warm_up;
  world.scenario.horizon =
      world.scenario.warm_up +
      Duration{static_cast<std::int64_t>(static_cast<double>(measured.count()) * run.part)};
  for (PlannedAgreement& planned : world.agreements)
    planned.arrivals = AtRate(planned.arrivals, MeanRate(planned.arrivals) * run.scale);
  RunSpec spec{.policy = "tried", .seed = seed, .bounds = false};
  spec.own = [&](std::uint64_t) { return policy(run.drop); };
  ASSIGN_OR_RETURN(const RunFigures figures, RunOnce(world, spec, {}));
  const double seconds = Seconds(measured) * run.part;
  const double until_done = std::max(Seconds(figures.makespan), 1e-9);
  const auto hits = static_cast<double>(figures.counts.hits());
  const auto late = static_cast<double>(figures.counts.Of(Outcome::kMiss));
  return Seen{.hits_per_s = hits / seconds,
              .finished_per_s = (hits + late) / until_done,
              .hit_rate = figures.hit_rate.value_or(1),
              .worst = figures.agreements.rates.min,
              .joules_per_s = figures.energy / until_done};
}

// The share of hits falls with the rate, or nearly so.
Result<double> GoalTrial::RateAt99(const TriedPolicy& policy, std::uint64_t seed,
                                   double part) const {
  double low = std::log(kLeastScale);
  double high = std::log(kMostScale);
  for (std::size_t i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    ASSIGN_OR_RETURN(const Seen seen,
                     Simulate(policy, seed, {.scale = std::exp(middle), .part = part}));
    (seen.hit_rate >= kPromised ? low : high) = middle;
  }
  return std::exp(low) * offered_;
}

Result<double> GoalTrial::Score(GoalKind kind, const TriedPolicy& policy, std::uint64_t seed,
                                double part) const {
  if (kind == GoalKind::kSlo99) return RateAt99(policy, seed, part);
  Run run{.part = part};
  if (kind == GoalKind::kThroughput) run = {kMoreThanEnough, part, DropRule::kNone};
  ASSIGN_OR_RETURN(const Seen seen, Simulate(policy, seed, run));
  switch (kind) {
    case GoalKind::kGoodput: return seen.hits_per_s;
    case GoalKind::kThroughput: return seen.finished_per_s;
    case GoalKind::kFairness: return seen.worst;
    case GoalKind::kEnergy:
      if (seen.joules_per_s <= 0) return Fail("goal energy: the costs of this world have none");
      return seen.hits_per_s / seen.joules_per_s;
    case GoalKind::kSlo99: break;
  }
  return 0;
}

Result<FoundAssignment> SearchAssignment(const World& world,
                                         const AssignmentSearchOptions& options) {
  if (world.listed())
    return Fail("the search draws traffic of its own; a list of requests has only one");
  if (world.agreements.empty()) return Fail("nobody asks for anything: there is nothing to assign");
  const World believed = AsBelieved(world);
  return Search(believed, options).Run();
}

double SureOf(std::size_t draws, double share) {
  return 1 - std::pow(1 - share, static_cast<double>(draws));
}

double SureShare(std::size_t draws, double probability) {
  if (draws == 0) return 1;
  return 1 - std::pow(1 - probability, 1 / static_cast<double>(draws));
}

}  // namespace fairlead
