// The one thread that uses a processor: it enters it, and then carries out what it is handed, one
// task after another.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "fairlead/base/result.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

class PartitionThread {
 public:
  // The processor is not owned and outlives the thread. Fails when it cannot be entered.
  static Result<std::unique_ptr<PartitionThread>> Start(Processor& processor);
  ~PartitionThread();  // after the task that it was handed
  PartitionThread(const PartitionThread&) = delete;
  PartitionThread& operator=(const PartitionThread&) = delete;

  Processor& processor() const { return processor_; }

  // Hands over a task; the one before was waited for.
  void Post(std::function<void()> task);
  // Until it is done; throws what it threw.
  void Wait();
  void Do(std::function<void()> task) {
    Post(std::move(task));
    Wait();
  }

 private:
  explicit PartitionThread(Processor& processor) : processor_(processor) {}
  void Serve();

  Processor& processor_;
  std::mutex mutex_;  // guards the next four
  std::condition_variable changed_;
  std::function<void()> task_;  // empty: nothing to do
  std::exception_ptr failure_;  // of the last task
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fairlead
