// Who may take what next: free accelerators of each group, and how far each agent has read its
// list.
//
// A list is read once in a round, from its top, since what is taken stays taken. So a whole round
// costs each list's length and what is handed out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

class PreferenceWalk {
 public:
  static constexpr int kNoGroup = -1;

  explicit PreferenceWalk(const Market& market);

  // All accelerators are free; lists are read from their tops. Both arguments outlive the round.
  void Begin(const Reports& reports, Allocation& allocation);
  // Lists are read from their tops again; what was taken stays taken.
  void Reread() { next_.assign(next_.size(), 0); }

  // The first group of the agent's list with a free accelerator that is worth `least` or more to
  // it. The agent never asks for less than it did before, unless lists are reread.
  int First(int agent, double least) {
    const std::size_t row = static_cast<std::size_t>(agent) * groups_;
    std::size_t& next = next_[static_cast<std::size_t>(agent)];
    for (; next < groups_; ++next) {
      const int group = order_[row + next];
      if (free_[static_cast<std::size_t>(group)] > 0 &&
          utilities_[row + static_cast<std::size_t>(group)] >= least)
        return group;
    }
    return kNoGroup;
  }
  void Take(int agent, int group) {
    const auto g = static_cast<std::size_t>(group);
    const int taken = first_[g + 1] - free_[g]--;
    holder_[taken] = agent;
    --left_;
  }
  int left() const { return left_; }

 private:
  const Market* market_;
  std::size_t groups_;
  std::vector<int> first_;
  std::vector<int> free_;
  std::vector<std::size_t> next_;
  std::vector<int> by_utility_;
  const int* order_ = nullptr;
  const double* utilities_ = nullptr;
  int* holder_ = nullptr;
  int left_ = 0;
};

// A utility above nothing: for mechanisms that hand out only what is of use.
inline constexpr double kOfUse = 1e-300;

}  // namespace fairlead
