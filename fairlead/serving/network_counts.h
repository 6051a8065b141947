// What came of the calls of each network. All methods may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

class NetworkCounts {
 public:
  // `wall`: nanoseconds since 1970.
  void Ended(NetworkId network, const InferenceAnswer& answer, std::int64_t wall) {
    const std::lock_guard lock(mutex_);
    NetworkStatistics& counts = Of(network);
    counts.last_ms = wall / 1'000'000;
    ++counts.ended[static_cast<std::size_t>(answer.code)];
    if (answer.code != InferenceCode::kOk) return;
    const auto queued = static_cast<std::uint64_t>(answer.queued.count());
    const auto executed = static_cast<std::uint64_t>(answer.executed.count());
    counts.queued_ns += queued;
    counts.executed_ns += executed;
    counts.queued.Add(queued);
    counts.executed.Add(executed);
  }
  // `last`: the network has been carried out with it.
  void SegmentEnded(const Assignment& segment, Duration measured, bool last) {
    const std::lock_guard lock(mutex_);
    NetworkStatistics& counts = Of(segment.network);
    ++counts.segments;
    counts.believed_ns += static_cast<std::uint64_t>(segment.believed_latency.count());
    counts.measured_ns += static_cast<std::uint64_t>(measured.count());
    NetworkStatistics::Batch& batch = counts.batches[segment.batch()];
    batch.ns += static_cast<std::uint64_t>(measured.count());
    if (last) ++batch.executions;
  }
  NetworkStatistics Read(NetworkId network) const {
    const std::lock_guard lock(mutex_);
    return network.index() < counts_.size() ? *counts_[network.index()] : NetworkStatistics{};
  }

 private:
  NetworkStatistics& Of(NetworkId network) {
    while (network.index() >= counts_.size())
      counts_.push_back(std::make_unique<NetworkStatistics>());
    return *counts_[network.index()];
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<NetworkStatistics>> counts_;  // by network
};

}  // namespace fairlead
