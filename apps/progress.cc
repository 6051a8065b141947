#include "apps/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace fairlead {

ProgressMeter::ProgressMeter(std::size_t runs, std::string what)
    : what_(std::move(what)), shares_(runs) {
  if (isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds{500}, [this] { return stopping_; })) {
      if (stopwatch_.ElapsedSeconds() > 2) Print();
    }
  });
}

ProgressMeter::~ProgressMeter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  std::fprintf(stderr, "\r\033[K");
}

void ProgressMeter::Print() const {
  double done = 0;
  std::size_t finished = 0;
  for (const std::atomic<double>& share : shares_) {
    done += share;
    if (share >= 1) ++finished;
  }
  const double elapsed = stopwatch_.ElapsedSeconds();
  const double total = static_cast<double>(shares_.size());
  if (shares_.size() == 1) {
    std::fprintf(stderr, "\r\033[K%.0f %% %s", 100 * done, what_.c_str());
  } else {
    std::fprintf(stderr, "\r\033[K%zu of %zu %s, %.0f %%, %.2f %s/s", finished, shares_.size(),
                 what_.c_str(), 100 * done / total, done / elapsed, what_.c_str());
  }
  if (done > 0) std::fprintf(stderr, ", %.0f s left", elapsed * (total - done) / done);
}

}  // namespace fairlead
