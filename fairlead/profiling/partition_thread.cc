#include "fairlead/profiling/partition_thread.h"

#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

Result<std::unique_ptr<PartitionThread>> PartitionThread::Start(Processor& processor) {
  std::unique_ptr<PartitionThread> thread(new PartitionThread(processor));
  thread->thread_ = std::thread([&served = *thread] { served.Serve(); });
  Status entered;
  thread->Do([&] { entered = processor.Enter(); });
  if (!entered.has_value()) return Fail("{}: {}", processor.name(), entered.error().message);
  return thread;
}

PartitionThread::~PartitionThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PartitionThread::Post(std::function<void()> task) {
  CHECK(task != nullptr);
  {
    const std::lock_guard lock(mutex_);
    CHECK(task_ == nullptr);
    task_ = std::move(task);
  }
  changed_.notify_all();
}

void PartitionThread::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return task_ == nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void PartitionThread::Serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return task_ != nullptr || stopping_; });
    if (task_ == nullptr) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    task_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace fairlead
