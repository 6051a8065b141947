// Progress on stderr, for people: only when stderr is a terminal and the work takes longer than
// two seconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fairlead/base/stopwatch.h"

namespace fairlead {

class ProgressMeter {
 public:
  // `what` is counted; one thing alone is not.
  explicit ProgressMeter(std::size_t runs, std::string what = "runs");
  ~ProgressMeter();  // wipes the line
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  // Thread-safe.
  void Set(std::size_t run, double share) { shares_[run] = share; }

 private:
  void Print() const;

  std::string what_;
  Stopwatch stopwatch_;
  std::vector<std::atomic<double>> shares_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // not started unless stderr is a terminal
};

}  // namespace fairlead
