// How many accelerators of each kind each place has, so that the worst place is best off.
//
// A place is an agent with work: what one accelerator of each kind is worth to it, as a part of
// what it is entitled to.
#pragma once

#include <functional>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct CountProgram {
  int kinds = 0;
  std::vector<int> available;  // of each kind
  std::vector<double> worth;   // places x kinds; 1: all that a place is entitled to
};

struct CountSolution {
  std::vector<int> counts;  // places x kinds
  double gap = 0;           // how much better the worst place might be, as a share of its bound
};

using CountSolver = std::function<CountSolution(const CountProgram&)>;

// Whether SearchCounts can do it: what may be taken of all kinds but the last is not too much.
Status CheckSearchable(const std::vector<int>& available);

// The largest smallest worth, exactly: bisection over what places can have; for each candidate the
// fewest of the last kind for whatever is taken of the others, place by place. Deterministic, with
// a gap of 0. Cost: the product of all kinds' numbers but the last's, for each place.
CountSolution SearchCounts(const CountProgram& program);

}  // namespace fairlead
