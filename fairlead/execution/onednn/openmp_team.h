// The threads that oneDNN divides a layer among: the OpenMP team of the thread that calls it.
//
// Debian's oneDNN is built with GCC's OpenMP. We call that library itself rather than use pragmas,
// so that another compiler does not bring another OpenMP with threads of its own.
//
// That library keeps no more threads than the last team had: oneDNN divides some layers among fewer
// than there are, the others end, and the next layer gets new ones. These are bound as the calling
// thread is. Were that to one core, all of them would crowd there, waiting for each other.
#pragma once

#include <functional>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// From now on the calling thread's team has so many threads, itself included.
void SetTeamSize(int threads);

// Calls `work(thread)` on each thread of a team of this size, the calling one being 0; returns when
// all have. `work` does not throw.
void OnEachOfTeam(int threads, const std::function<void(int thread)>& work);

// From now on the calling thread's team has a thread for each of these cores, bound to it; the
// calling one has the first.
Status BindTeam(std::vector<int> cores);

// Before what may be divided among fewer: threads that are called anew meanwhile begin on any of
// the team's cores, where the calling thread has bound its team, rather than all on its own.
void LoosenTeam();

// After that: those that ended are called anew and bound to their cores, where the
// calling thread has bound its team. How many there were. (A team of two has no smaller one: what
// is not divided needs no team.)
int RestoreTeam();

}  // namespace fairlead
