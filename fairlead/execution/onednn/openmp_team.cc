#include "fairlead/execution/onednn/openmp_team.h"

// Of libgomp, as its manual describes them.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_thread_num();
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
}

namespace fairlead {
namespace {

void Work(void* data) {
  (*static_cast<const std::function<void(int)>*>(data))(omp_get_thread_num());
}

}  // namespace

void SetTeamSize(int threads) { omp_set_num_threads(threads); }

void OnEachOfTeam(int threads, const std::function<void(int thread)>& work) {
  // The library hands the pointer on and writes nothing.
  GOMP_parallel(&Work, const_cast<std::function<void(int)>*>(&work), static_cast<unsigned>(threads),
                0);
}

}  // namespace fairlead
