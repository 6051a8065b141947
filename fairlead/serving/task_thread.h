// A thread that carries out what takes long, one after the other, so that nobody waits who has
// something else to do. A task for which there is no memory ends there; the others go on.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace fairlead {

class TaskThread {
 public:
  // The larger `nice`, the more it leaves to others, as the system's command of this name has it.
  explicit TaskThread(int nice = 0)
      : thread_([this, nice] {
          if (nice != 0) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
          Serve();
        }) {}
  // Carries out what it has before.
  ~TaskThread() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    filled_.notify_one();
    thread_.join();
  }
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // Any thread.
  void Post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    filled_.notify_one();
  }

 private:
  void Serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      filled_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      try {
        task();
      } catch (const std::bad_alloc&) {  // whoever waits for it has been told, or times out
      }
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;  // guards all but the thread
  std::condition_variable filled_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace fairlead
