#include "fairlead/execution/onednn/openmp_team.h"

#include <atomic>
#include <span>
#include <utility>

#include "fairlead/execution/machine.h"

// Of libgomp, as its manual describes them.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_thread_num();
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
}

namespace fairlead {
namespace {

constexpr std::size_t kFewestToEnd = 3;  // a team of which some may end

// Of a thread that has bound its team.
thread_local std::vector<int> team_cores;
// Of any thread of a team.
thread_local bool is_bound = false;

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

Status BindTeam(std::vector<int> cores) {
  team_cores = std::move(cores);
  is_bound = true;
  SetTeamSize(static_cast<int>(team_cores.size()));
  const Machine& machine = Machine::This();
  RETURN_IF_ERROR(machine.BindThread(team_cores));
  std::atomic<bool> bound = true;
  OnEachOfTeam(static_cast<int>(team_cores.size()), [&bound, &cores = team_cores](int thread) {
    is_bound = true;
    const std::span core(&cores[static_cast<std::size_t>(thread)], 1);
    if (!Machine::This().BindThread(core).has_value()) bound = false;
  });
  if (!bound) return Fail("cannot bind OpenMP's threads");
  return {};
}

void LoosenTeam() {
  // They were bound before: nothing fails.
  if (team_cores.size() >= kFewestToEnd) static_cast<void>(Machine::This().BindThread(team_cores));
}

int RestoreTeam() {
  if (team_cores.size() < kFewestToEnd) return 0;
  LoosenTeam();
  std::atomic<int> called = 0;
  OnEachOfTeam(static_cast<int>(team_cores.size()), [&called, &cores = team_cores](int thread) {
    if (is_bound && thread > 0) return;
    if (!is_bound) ++called;
    is_bound = true;
    const std::span core(&cores[static_cast<std::size_t>(thread)], 1);
    static_cast<void>(Machine::This().BindThread(core));
  });
  return called;
}

}  // namespace fairlead
