#include "fairlead/workload/most_work.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace fairlead {
namespace {

struct Waiting {
  Instant deadline{};
  double work = 0;
  friend bool operator>(const Waiting& a, const Waiting& b) { return a.deadline > b.deadline; }
};

// What has arrived, the earliest deadline first.
class EarliestFirst {
 public:
  void Add(Instant deadline, double work) { waiting_.push({deadline, work}); }

  void DropUntil(Instant now) {
    while (!waiting_.empty() && waiting_.top().deadline <= now) waiting_.pop();
  }

  // What of so much work there is to do.
  double Do(double work) {
    double left = work;
    while (left > 0 && !waiting_.empty()) {
      Waiting first = waiting_.top();
      waiting_.pop();
      const double part = std::min(left, first.work);
      left -= part;
      first.work -= part;
      if (first.work > 0) waiting_.push(first);
    }
    return work - std::max(left, 0.0);
  }

 private:
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace

MostWork::MostWork(std::vector<RequestWindow> windows, std::span<const PresenceStretch> stretches)
    : by_arrival_(std::move(windows)), by_deadline_(by_arrival_) {
  std::ranges::sort(by_arrival_, {}, &RequestWindow::arrival);
  std::ranges::sort(by_deadline_, {}, &RequestWindow::deadline);
  for (const PresenceStretch& stretch : stretches) stretches_.push_back(stretch.from);
}

double MostWork::Of(std::span<const ClassWork> classes, std::span<const double> capacity) const {
  constexpr double kRounding = 1e-9;  // of the sum of rates
  const double largest = *std::ranges::max_element(capacity);
  const auto rate_of = [&](const RequestWindow& window) {
    return std::min(classes[window.requests].most_rate, largest);
  };
  EarliestFirst waiting;
  double alive_rate = 0;
  double done = 0;
  std::size_t arrived = 0;
  std::size_t ended = 0;
  std::size_t stretch = 0;
  Instant now = by_arrival_.empty() ? kNever : by_arrival_.front().arrival;
  while (ended < by_deadline_.size()) {
    for (; arrived < size() && by_arrival_[arrived].arrival <= now; ++arrived) {
      const RequestWindow& window = by_arrival_[arrived];
      if (!classes[window.requests].counts) continue;
      waiting.Add(window.deadline, classes[window.requests].work);
      alive_rate += rate_of(window);
    }
    for (; ended < size() && by_deadline_[ended].deadline <= now; ++ended) {
      if (classes[by_deadline_[ended].requests].counts) alive_rate -= rate_of(by_deadline_[ended]);
    }
    while (stretch + 1 < stretches_.size() && stretches_[stretch + 1] <= now) ++stretch;
    if (ended == size()) break;
    waiting.DropUntil(now);
    Instant next = by_deadline_[ended].deadline;
    if (arrived < size()) next = std::min(next, by_arrival_[arrived].arrival);
    if (stretch + 1 < stretches_.size()) next = std::min(next, stretches_[stretch + 1]);
    const double speed = std::min(capacity[stretch], alive_rate + kRounding * largest);
    done += waiting.Do(speed * Seconds(next - now));
    now = next;
  }
  return done;
}

}  // namespace fairlead
