#include "fairlead/execution/cuda/library_thread.h"

#include <utility>

namespace fairlead {

LibraryThread::LibraryThread() : thread_([this] { Serve(); }) {}

LibraryThread::~LibraryThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LibraryThread::Do(const std::function<void()>& work) {
  const std::lock_guard turn(turn_);
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [this] { return work_ == nullptr; });
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void LibraryThread::Serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return work_ != nullptr || stopping_; });
    if (work_ == nullptr) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*work_)();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = std::move(thrown);
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace fairlead
