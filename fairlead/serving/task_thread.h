// A thread that carries out what takes long, one after the other, so that nobody waits who has
// something else to do.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace fairlead {

class TaskThread {
 public:
  TaskThread() : thread_([this] { Serve(); }) {}
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
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
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
