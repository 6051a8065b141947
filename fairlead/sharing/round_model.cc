#include "fairlead/sharing/round_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/sharing/agent_queues.h"

namespace fairlead {
namespace {

// One agent in its world, with what it has been given.
class AgentRun {
 public:
  AgentRun(const RoundWorld& world, const RoundArrivals& arrivals, int agent)
      : world_(world),
        arrivals_(arrivals),
        agent_(agent),
        pooled_(world.queues == QueueLayout::kPooled),
        fastest_(world.fastest(agent)),
        queues_(pooled_ ? 1 : world.market.accelerators(), world.deadline) {}

  // `placed`, if any, counts what arrives at each accelerator; agents x accelerators x rounds.
  void Begin(int round, std::vector<int>* placed = nullptr) {
    queues_.Expire(round);
    const auto of_agent = static_cast<std::size_t>(agent_ * world_.market.accelerators());
    for (const RoundArrivals::Choice& choice : arrivals_.Of(agent_, round)) {
      const int queue =
          queues_.Arrive(round, pooled_ ? 0 : choice.first, pooled_ ? 0 : choice.second);
      if (placed == nullptr) continue;
      ++(*placed)[(of_agent + static_cast<std::size_t>(queue)) *
                      static_cast<std::size_t>(world_.rounds) +
                  static_cast<std::size_t>(round)];
    }
    had_work_ = queues_.backlog() > 0;
    done_ = 0;
  }

  // In [0, 1): what the accelerator would do for it in this round.
  double Utility(int accelerator) const {
    const std::int64_t work =
        std::min(queues_.waiting(pooled_ ? 0 : accelerator), world_.rate(agent_, accelerator));
    return static_cast<double>(work) / static_cast<double>(fastest_ + 1);
  }

  // The same of what would be lost by going without it in `round`.
  double Stake(int accelerator, int round, double again) const {
    const double lost =
        queues_.AtStake(pooled_ ? 0 : accelerator, world_.rate(agent_, accelerator), round, again);
    return lost / static_cast<double>(fastest_ + 1);
  }

  // What `as` holds works for this agent; at its weight's part where time is divided.
  void Serve(const Allocation& allocation, int as) {
    for (int c = 0; c < world_.market.accelerators(); ++c) {
      if (allocation.divided)
        Work(c, world_.rate(agent_, c) * world_.market.weight(as) / world_.market.total_weight());
      else if (allocation.holder[static_cast<std::size_t>(c)] == as)
        Work(c, world_.rate(agent_, c));
    }
  }

  void End() {
    backlogs_ += static_cast<double>(queues_.backlog());
    waited_ = had_work_ && done_ == 0 ? waited_ + 1 : 0;
    longest_wait_ = std::max(longest_wait_, waited_);
  }

  AgentOutcome Outcome() const {
    const double scale = static_cast<double>(fastest_) * world_.rounds;
    return {.served = queues_.served(),
            .arrived = arrivals_.Count(agent_),
            .dropped = queues_.dropped(),
            .utility = static_cast<double>(queues_.served()) / scale,
            .backlog = backlogs_ / scale,
            .longest_wait = longest_wait_};
  }

 private:
  void Work(int accelerator, std::int64_t capacity) {
    done_ += queues_.Serve(pooled_ ? 0 : accelerator, capacity);
  }

  const RoundWorld& world_;
  const RoundArrivals& arrivals_;
  int agent_;
  bool pooled_;
  std::int64_t fastest_;
  AgentQueues queues_;
  bool had_work_ = false;
  std::int64_t done_ = 0;
  double backlogs_ = 0;
  int waited_ = 0;
  int longest_wait_ = 0;
};

// How much less is at stake of work that can wait for another round: half with each sixth of the
// deadline, or with each round where that is longer.
double StakeOfWaiting(int deadline) { return std::max(0.5, std::exp2(-6.0 / deadline)); }

void Report(const RoundWorld& world, const std::vector<AgentRun>& agents, int round,
            Reports& reports) {
  reports.utilities.clear();
  reports.stakes.clear();
  for (const AgentRun& agent : agents) {
    for (int c = 0; c < world.market.accelerators(); ++c)
      reports.utilities.push_back(agent.Utility(c));
  }
  if (world.deadline == 0) return;  // nothing is ever lost
  const double again = StakeOfWaiting(world.deadline);
  for (const AgentRun& agent : agents) {
    for (int c = 0; c < world.market.accelerators(); ++c)
      reports.stakes.push_back(agent.Stake(c, round, again));
  }
}

void AddAtHand(const RoundWorld& world, const std::vector<AgentRun>& agents,
               const Allocation& allocation, RoundsOutcome& outcome) {
  for (std::size_t a = 0; a < agents.size(); ++a) {
    for (int c = 0; c < world.market.accelerators(); ++c) {
      const double utility = agents[a].Utility(c) / world.rounds;
      outcome.agents[a].offered += utility;
      if (allocation.divided) continue;
      const int holder = allocation.holder[static_cast<std::size_t>(c)];
      if (holder >= 0)
        outcome.at_hand[a * agents.size() + static_cast<std::size_t>(holder)] += utility;
    }
  }
}

}  // namespace

std::int64_t RoundWorld::fastest(int agent) const {
  const auto row = rates.begin() + static_cast<std::ptrdiff_t>(market.of_kind(agent, 0));
  return *std::max_element(row, row + market.kinds());
}

RoundArrivals::RoundArrivals(const RoundWorld& world, std::uint64_t seed) {
  for (int a = 0; a < world.market.agents(); ++a) {
    RandomStream random(seed, "sharing/agent=" + world.market.agent(a).name);
    OfAgent& agent = agents_.emplace_back();
    const auto accelerators = static_cast<std::uint64_t>(world.market.accelerators());
    const double per_round = world.arrivals[static_cast<std::size_t>(a)];
    double next = per_round > 0 ? random.Exponential(1 / per_round) : world.rounds;
    for (int r = 0; r < world.rounds; ++r) {
      while (next < r + 1) {
        const auto first = static_cast<int>(random.Below(accelerators));
        agent.choices.push_back({first, static_cast<int>(random.Below(accelerators))});
        next += random.Exponential(1 / per_round);
      }
      agent.ends.push_back(agent.choices.size());
    }
  }
}

std::span<const RoundArrivals::Choice> RoundArrivals::Of(int agent, int round) const {
  const OfAgent& arrivals = agents_[static_cast<std::size_t>(agent)];
  const std::size_t begin = round == 0 ? 0 : arrivals.ends[static_cast<std::size_t>(round) - 1];
  return std::span(arrivals.choices)
      .subspan(begin, arrivals.ends[static_cast<std::size_t>(round)] - begin);
}

std::int64_t RoundArrivals::Count(int agent) const {
  return static_cast<std::int64_t>(agents_[static_cast<std::size_t>(agent)].choices.size());
}

RoundsOutcome RunRounds(const RoundWorld& world, const RoundArrivals& arrivals,
                        const RoundsConduct& conduct, SharingMechanism& mechanism) {
  CHECK(world.market.groups() == world.market.accelerators());
  std::vector<AgentRun> agents;
  for (int a = 0; a < world.market.agents(); ++a) agents.emplace_back(world, arrivals, a);
  Reports reports;
  for (int a = 0; a < world.market.agents(); ++a) {
    for (int k = 0; k < world.market.kinds(); ++k)
      reports.rates.push_back(static_cast<double>(world.rates[world.market.of_kind(a, k)]) /
                              static_cast<double>(world.fastest(a)));
  }
  RoundsOutcome outcome;
  outcome.agents.resize(agents.size());
  outcome.at_hand.resize(agents.size() * agents.size());
  if (conduct.keep_placed)
    outcome.placed.resize(agents.size() * static_cast<std::size_t>(world.market.accelerators()) *
                          static_cast<std::size_t>(world.rounds));
  for (int r = 0; r < world.rounds; ++r) {
    for (AgentRun& agent : agents) agent.Begin(r, conduct.keep_placed ? &outcome.placed : nullptr);
    Report(world, agents, r, reports);
    if (conduct.thresholds != nullptr) conduct.thresholds->Choose(mechanism, reports);
    if (conduct.misreport) conduct.misreport(r, reports);
    Allocation allocation;
    const Stopwatch watch;
    mechanism.Allocate(reports, allocation);
    outcome.nanoseconds += watch.ElapsedNanoseconds();
    if (conduct.thresholds != nullptr) conduct.thresholds->Observe(reports, allocation);
    if (conduct.keep_reports) outcome.reports.push_back(reports);
    outcome.largest_gap = std::max(outcome.largest_gap, mechanism.Gap());
    if (conduct.pass_on) conduct.pass_on(allocation);
    AddAtHand(world, agents, allocation, outcome);
    for (int a = 0; a < world.market.agents(); ++a) {
      agents[static_cast<std::size_t>(a)].Serve(allocation, a);
      agents[static_cast<std::size_t>(a)].End();
    }
    outcome.allocations.push_back(std::move(allocation));
  }
  for (std::size_t a = 0; a < agents.size(); ++a) {
    const double offered = outcome.agents[a].offered;
    outcome.agents[a] = agents[a].Outcome();
    outcome.agents[a].offered = offered;
  }
  return outcome;
}

AgentOutcome ReplayRounds(const RoundWorld& world, const RoundArrivals& arrivals,
                          const std::vector<Allocation>& allocations, int agent, int other) {
  AgentRun run(world, arrivals, agent);
  for (std::size_t r = 0; r < allocations.size(); ++r) {
    run.Begin(static_cast<int>(r));
    run.Serve(allocations[r], other);
    run.End();
  }
  return run.Outcome();
}

std::vector<double> SwappedUtilities(const RoundWorld& world, const RoundArrivals& arrivals,
                                     const std::vector<Allocation>& allocations) {
  std::vector<double> swapped;
  for (int i = 0; i < world.market.agents(); ++i) {
    for (int j = 0; j < world.market.agents(); ++j)
      swapped.push_back(ReplayRounds(world, arrivals, allocations, i, j).utility);
  }
  return swapped;
}

}  // namespace fairlead
