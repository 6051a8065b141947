#include "fairlead/running/worker_threads.h"

#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace fairlead {

void WorkOnThreads(int threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto work_on_one = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (int t = 1; t < threads; ++t) others.emplace_back(work_on_one);
  } catch (const std::system_error&) {  // there are no more: those that there are do all of it
  } catch (const std::bad_alloc&) {
  }
  work_on_one();
  for (std::thread& thread : others) thread.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace fairlead
