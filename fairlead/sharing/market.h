// Who shares what: agents with weights, accelerators in groups, and what agents report each round.
//
// Accelerators of one group are alike to every agent, so that 100,000 of a few kinds are a few
// groups; where each has queues of its own, each is a group of one. A kind is what the hardware is:
// groups of one kind run an agent's work at one rate, however much of it waits there.
//
// A Market and Reports that passed their checks are what mechanisms take without looking again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct SharingAgent {
  std::string name;
  std::int64_t weight = 1;
};

struct AcceleratorGroup {
  int kind = 0;
  int count = 1;
};

// What does not change from round to round. Agents, groups, kinds and accelerators are numbered
// from 0, the accelerators of group 0 first.
class Market {
 public:
  static constexpr std::int64_t kMostWeight = 1'000'000;

  // Fails on no agents or accelerators, a weight below 1 or above kMostWeight, two agents of one
  // name, a group of none, a kind that is skipped.
  static Result<Market> Make(std::vector<SharingAgent> agents,
                             const std::vector<AcceleratorGroup>& groups);

  int agents() const { return static_cast<int>(agents_.size()); }
  int groups() const { return static_cast<int>(groups_.size()); }
  int kinds() const { return static_cast<int>(kind_counts_.size()); }
  int accelerators() const { return first_.back(); }

  const SharingAgent& agent(int a) const { return agents_[static_cast<std::size_t>(a)]; }
  std::int64_t weight(int a) const { return agent(a).weight; }
  std::int64_t total_weight() const { return total_weight_; }
  const AcceleratorGroup& group(int g) const { return groups_[static_cast<std::size_t>(g)]; }
  int first_of(int g) const { return first_[static_cast<std::size_t>(g)]; }
  int count_of_kind(int k) const { return kind_counts_[static_cast<std::size_t>(k)]; }

  // Places in matrices that have a row for each agent; of agents(): their size.
  std::size_t of_kind(int agent, int kind) const { return Place(agent, kinds(), kind); }
  std::size_t of_group(int agent, int group) const { return Place(agent, groups(), group); }

 private:
  Market() = default;

  static std::size_t Place(int row, int width, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }

  std::vector<SharingAgent> agents_;
  std::vector<AcceleratorGroup> groups_;
  std::vector<int>
      first_;  // the first accelerator of each group, and behind them how many there are
  std::vector<int> kind_counts_;
  std::int64_t total_weight_ = 0;
};

// What agents say in one round. Matrices lie row by row, a row for each agent.
struct Reports {
  std::vector<double> utilities;  // of one accelerator of each group; finite, not negative
  // Of the same: how much of that is lost if the agent goes without it now, as far as it knows: all
  // of what expires, little of what can wait. Finite, not negative; empty: nothing ever expires.
  std::vector<double> stakes;
  std::vector<int> preferences;    // all groups in order; empty: by utility, then by number
  std::vector<double> thresholds;  // in [0, 1); empty: 0
  std::vector<double> rates;       // of work on each kind; empty: the largest utility of the kind

  // Of the memory's bandwidth, what one accelerator of each kind takes when it works for the agent;
  // empty: memory is nobody's concern.
  std::vector<double> bandwidths;

  double utility(const Market& market, int agent, int group) const {
    return utilities[market.of_group(agent, group)];
  }
  double threshold(int agent) const {
    return thresholds.empty() ? 0 : thresholds[static_cast<std::size_t>(agent)];
  }
};

Status CheckReports(const Market& market, const Reports& reports);

// Groups by falling utility, then by number, for each agent.
void PreferByUtility(const Market& market, const Reports& reports, std::vector<int>& preferences);

// Whether anything is of use to the agent.
bool IsActive(const Market& market, const Reports& reports, int agent);

}  // namespace fairlead
