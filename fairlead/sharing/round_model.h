// The thesis's own world (chapter 5): agents whose inferences arrive by chance, accelerators that
// work round by round for the agent that holds them, on what that agent has waiting there.
//
// Given who holds what, agents do not touch each other. So what an agent would have had of
// another's allocation is exact: its own arrivals, served by the other's accelerators.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fairlead/sharing/mechanism.h"
#include "fairlead/sharing/thresholds.h"

namespace fairlead {

enum class QueueLayout : std::uint8_t { kSeparate, kPooled };

struct RoundWorld {
  Market market;                    // each accelerator is a group of its own
  std::vector<std::int64_t> rates;  // agents x kinds: millionths of an inference in a round; > 0
  std::vector<double> arrivals;     // of each agent: inferences in a round, on average
  int rounds = 300;
  int deadline = 0;  // in rounds; 0: none
  QueueLayout queues = QueueLayout::kSeparate;

  std::int64_t rate(int agent, int accelerator) const {
    return rates[market.of_kind(agent, market.group(accelerator).kind)];
  }
  std::int64_t fastest(int agent) const;
};

// What arrives, drawn before anything is shared, so that every mechanism meets the same: for each
// inference the two accelerators that its balancer looks at.
class RoundArrivals {
 public:
  RoundArrivals(const RoundWorld& world, std::uint64_t seed);

  struct Choice {
    int first;
    int second;
  };
  std::span<const Choice> Of(int agent, int round) const;
  std::int64_t Count(int agent) const;

 private:
  struct OfAgent {
    std::vector<Choice> choices;
    std::vector<std::size_t> ends;  // of each round's
  };
  std::vector<OfAgent> agents_;
};

struct AgentOutcome {
  std::int64_t served = 0;   // millionths of an inference
  std::int64_t arrived = 0;  // inferences
  std::int64_t dropped = 0;  // inferences
  double utility = 0;        // served in a round, over the agent's fastest rate
  double backlog = 0;        // at the end of a round, on average, in rounds of its fastest rate
  int longest_wait = 0;      // rounds on end in which it had work and none was done
  double offered = 0;        // what all accelerators would have done, round by round: in a round,
                             // over its fastest rate
};

struct RoundsOutcome {
  std::vector<AgentOutcome> agents;
  std::vector<Allocation> allocations;  // of each round
  std::vector<Reports> reports;         // of each round, where they were asked for
  std::vector<int> placed;              // likewise: inferences; agents x accelerators x rounds
  // Agents x agents: what the second one held would have done for the first one, round by round, of
  // what waited there in this run; in a round, over the first one's fastest rate.
  std::vector<double> at_hand;
  double largest_gap = 0;        // of all rounds' allocations
  std::int64_t nanoseconds = 0;  // that the mechanism thought, in real time
};

// How agents behave.
struct RoundsConduct {
  ThresholdChooser* thresholds = nullptr;                // none: 0 for everybody
  std::function<void(int round, Reports&)> misreport{};  // changes what was about to be reported
  std::function<void(Allocation&)> pass_on{};  // changes who works with what, behind the mechanism
  bool keep_reports = false;
  bool keep_placed = false;
};

RoundsOutcome RunRounds(const RoundWorld& world, const RoundArrivals& arrivals,
                        const RoundsConduct& conduct, SharingMechanism& mechanism);

// What `agent` would have had of what `other` held.
AgentOutcome ReplayRounds(const RoundWorld& world, const RoundArrivals& arrivals,
                          const std::vector<Allocation>& allocations, int agent, int other);

// u_i(X_j) of all pairs, row by row.
std::vector<double> SwappedUtilities(const RoundWorld& world, const RoundArrivals& arrivals,
                                     const std::vector<Allocation>& allocations);

}  // namespace fairlead
