// A thread that does what it is told, one thing at a time, and sleeps in between.
#pragma once

#include <functional>
#include <semaphore>
#include <thread>
#include <utility>

namespace fairlead {

class WorkThread {
 public:
  WorkThread() : thread_([this] { Serve(); }) {}
  ~WorkThread() {
    Begin(nullptr);
    thread_.join();
  }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  void Begin(std::function<void()> work) {
    work_ = std::move(work);
    begun_.release();
  }
  void AwaitEnd() { ended_.acquire(); }
  void Do(std::function<void()> work) {
    Begin(std::move(work));
    AwaitEnd();
  }

 private:
  void Serve() {
    for (begun_.acquire(); work_; begun_.acquire()) {
      work_();
      ended_.release();
    }
  }

  std::function<void()> work_;
  std::binary_semaphore begun_{0};
  std::binary_semaphore ended_{0};
  std::thread thread_;  // last: it uses all above
};

}  // namespace fairlead
