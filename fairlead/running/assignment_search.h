// Searching the assignment of requests to accelerators that serves a goal best: assignments are
// drawn by chance, each is tried by simulation under what is believed of interference, the best is
// kept (Kim et al., ICCD'21).
//
// The more are drawn, the surer it is that one of the best is among them, whatever the goal
// (Radojkovic et al., ASPLOS'12): see SureShare. Smarter searches spend the same simulated time
// otherwise, and have no such guarantee. A quarter of a budget that is large enough goes into
// asking again, on other traffic, which of the best few is the best.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/result.h"
#include "fairlead/policies/goal_directed.h"
#include "fairlead/scheduling/policy.h"
#include "fairlead/world/world.h"

namespace fairlead {

// What a search over assignments is to make large: a figure of a run, or a weighted mix of some.
enum class GoalKind : std::uint8_t {
  kGoodput,     // hits per second
  kSlo99,       // the requests per second at which 99 % are hits
  kThroughput,  // requests finished per second, in time or not, when there are more than enough
  kFairness,    // the hit rate of the worst agreement
  kEnergy,      // hits per joule
};

struct SearchGoal {
  struct Part {
    GoalKind kind = GoalKind::kGoodput;
    double weight = 1;
  };
  // Of several, each is taken over its value under ratios that follow speeds.
  std::vector<Part> parts = {{}};
};

// "goodput", "slo99-throughput", "throughput", "fairness", "energy", or "goodput:0.7+fairness:0.3".
Result<SearchGoal> ParseSearchGoal(std::string_view text);
std::string FormatSearchGoal(const SearchGoal& goal);

enum class SearchMethod : std::uint8_t {
  kSampling,  // each draw is simulated in full
  kLocal,     // a third is drawn; then the best is changed a little, again and again
  kHalving,   // many are drawn and simulated shortly; the better half goes on, for twice as long
};
Result<SearchMethod> ParseSearchMethod(std::string_view text);
std::string_view ToString(SearchMethod method);

struct AssignmentSearchOptions {
  SearchGoal goal;
  SearchMethod method = SearchMethod::kSampling;
  std::size_t budget = 200;  // simulations of the whole length
  std::uint64_t seed = 101;  // of what is drawn, and of the traffic that is simulated
  RouteAt route = RouteAt::kArrival;
  std::function<void(double share)> progressed;  // may be empty
  std::stop_token stop;
};

struct FoundAssignment {
  AllocationRatios ratios;
  double score = 0;            // of the goal, in the simulations that it was chosen by
  double by_speed = 0;         // that of ratios that follow speeds
  std::size_t draws = 0;       // assignments that were tried
  double simulations = 0;      // of the whole length
  std::vector<double> scores;  // of all that were simulated in full, in their order
};

// The world as policies believe it to be: what slows its segments is what they count on, nothing
// where they count on nothing.
World AsBelieved(const World& world);

// Makes the policy that is tried; it gives up early, or not.
using TriedPolicy = std::function<std::unique_ptr<SchedulingPolicy>(DropRule drop)>;

// Policies simulated for a goal.
class GoalTrial {
 public:
  // The world is as it is to be simulated. Not owned.
  explicit GoalTrial(const World& world);

  // Over the given part of the world's horizon, with traffic from the seed.
  Result<double> Score(GoalKind kind, const TriedPolicy& policy, std::uint64_t seed,
                       double part = 1) const;
  // Simulations that one Score takes.
  static std::size_t Simulations(GoalKind kind);

 private:
  struct Run {
    double scale = 1;  // of all rates
    double part = 1;
    DropRule drop = DropRule::kEarly;
  };
  struct Seen {
    double hits_per_s = 0;
    double finished_per_s = 0;
    double hit_rate = 0;
    double worst = 0;
    double joules_per_s = 0;
  };
  Result<Seen> Simulate(const TriedPolicy& policy, std::uint64_t seed, const Run& run) const;
  Result<double> RateAt99(const TriedPolicy& policy, std::uint64_t seed, double part) const;

  const World& world_;
  double offered_;  // requests per second
};

// Simulates in the world as it is believed. Fails where a simulation does.
Result<FoundAssignment> SearchAssignment(const World& world,
                                         const AssignmentSearchOptions& options);

// The probability that the best of `draws` is within the best `share` of all assignments.
double SureOf(std::size_t draws, double share);
// The smallest share of which that is so with a probability.
double SureShare(std::size_t draws, double probability);

}  // namespace fairlead
