// How many accelerators of each kind each place has, so that the worst place is best off.
//
// A place is an agent with work: what one accelerator of each kind is worth to it, as a part of
// what it is entitled to. A shell over CBC, which only count_program.cc includes.
#pragma once

#include <vector>

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

// The largest smallest worth; with `lexicographic` also the fewest places there, and the same of
// the others. `limit`: seconds for each of its programs.
CountSolution SolveCounts(const CountProgram& program, bool lexicographic, double limit);

}  // namespace fairlead
