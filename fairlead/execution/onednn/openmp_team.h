// The threads that oneDNN divides a layer among: the OpenMP team of the thread that calls it.
//
// Debian's oneDNN is built with GCC's OpenMP. We call that library itself rather than use pragmas,
// so that another compiler does not bring another OpenMP with threads of its own.
#pragma once

#include <functional>

namespace fairlead {

// From now on the calling thread's team has so many threads, itself included.
void SetTeamSize(int threads);

// Calls `work(thread)` on each thread of a team of this size, the calling one being 0; returns when
// all have. `work` does not throw.
void OnEachOfTeam(int threads, const std::function<void(int thread)>& work);

}  // namespace fairlead
