// From how many accelerators of each kind an agent has to which ones they are.
//
// Programs over kinds (max-min, themis) say numbers; accelerators of one kind differ in what waits
// there. Here the numbers become accelerators, the most useful first, and what the numbers leave
// goes to where it is of use.
#pragma once

#include <vector>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

// Agents x kinds: what is reported, or the largest utility of each kind.
std::vector<double> RatesByKind(const Market& market, const Reports& reports);

// The agents that have use for anything, in order.
std::vector<int> ActiveAgents(const Market& market, const Reports& reports);

class KindMatch {
 public:
  explicit KindMatch(const Market& market) : market_(&market) {}

  // `counts`: agents x kinds. Where `counts` leave an accelerator, or its agent has no use for it,
  // it goes to the agent with the largest utility, if that is above 0. Replaces `allocation`.
  void Assign(const Reports& reports, std::vector<int> counts, Allocation& allocation);
  // Without a look at utilities: agents in order take a kind's accelerators in order, from round to
  // round beginning so much further on that they come to other ones. What `counts` leave is
  // nobody's.
  void AssignInTurns(const std::vector<int>& counts, std::int64_t round, Allocation& allocation);

 private:
  struct Pair {
    double utility;
    int agent;
    int group;
  };

  const Market* market_;
  std::vector<Pair> pairs_;
};

}  // namespace fairlead
