#include "fairlead/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

void TimelineListener::Open(const SystemState& state, const CostTable& truth) {
  CHECK(state_ == nullptr);
  state_ = &state;
  truth_ = &truth;
  busy_.resize(state.platform->kinds.size());
}

void TimelineListener::JobEnded(const Job& job, Outcome outcome, Reason /*reason*/,
                                Instant /*now*/) {
  const Instant after = job.arrival + Duration{1};  // one in a nanosecond is one
  requests_.Add(job.arrival, after, 1);
  if (outcome == Outcome::kHit) hits_.Add(job.arrival, after, 1);
}

void TimelineListener::SegmentEnded(const Assignment& assignment, Instant now) {
  CHECK(state_ != nullptr);
  const KindId kind = state_->platform->accelerators[assignment.accelerator.index()].kind;
  busy_[kind.index()].Add(assignment.start, now, assignment.units);
  const SegmentCost* cost =
      truth_->Find(assignment.network, assignment.segment, kind, assignment.configuration());
  if (cost != nullptr && now > assignment.start) {
    traffic_.Add(assignment.start, now,
                 static_cast<double>(cost->dram_bytes) /
                     static_cast<double>((now - assignment.start).count()));
  }
  if (now <= from_ || assignment.start >= until_) return;
  slices_.push_back({.accelerator = assignment.accelerator,
                     .network = assignment.network,
                     .start = assignment.start,
                     .end = now,
                     .what = Describe(assignment)});
  if (slices_.size() == kMostSlices && until_ == kNever) until_ = now;
}

std::string TimelineListener::Describe(const Assignment& assignment) const {
  const Job& job = state_->jobs[assignment.jobs.front().index()];
  const NetworkGraph& network = state_->networks[assignment.network.index()];
  std::string text =
      fmt::format("{}, request {}: {}/{}", state_->tenants[job.tenant.index()].name, job.request,
                  network.name(), network.SegmentName(assignment.segment));
  if (assignment.batch() > 1) text += fmt::format(", batch of {}", assignment.batch());
  return text;
}

UsageOverTime TimelineListener::SharesOf(const UsageBins& bins, std::string name,
                                         double per_nanosecond, Instant end) const {
  UsageOverTime usage{.name = std::move(name), .shares = {}};
  const std::int64_t width = bins.width().count();
  for (std::int64_t start = 0; start < Nanoseconds(end); start += width) {
    const auto length = static_cast<double>(std::min(width, Nanoseconds(end) - start));
    usage.shares.push_back(bins[static_cast<std::size_t>(start / width)] /
                           (length * per_nanosecond));
  }
  return usage;
}

RunTimeline TimelineListener::Finish(Instant end) {
  CHECK(state_ != nullptr);
  const Platform& platform = *state_->platform;
  RunTimeline timeline{
      .from = from_, .until = std::max(from_, std::min(until_, end)), .slices = std::move(slices_)};
  for (const Accelerator& accelerator : platform.accelerators)
    timeline.accelerators.push_back(accelerator.name);
  for (const NetworkGraph& network : state_->networks) timeline.networks.push_back(network.name());
  const std::vector<int> count = platform.CountByKind();
  for (std::size_t k = 0; k < busy_.size(); ++k) {
    busy_[k].Reach(end);
    const double units = static_cast<double>(count[k]) * platform.kinds[k].units;
    timeline.usage.push_back(SharesOf(busy_[k], platform.kinds[k].name, units, end));
  }
  traffic_.Reach(end);
  if (platform.bandwidth > 0) {
    timeline.usage.push_back(
        SharesOf(traffic_, "memory", static_cast<double>(platform.bandwidth) * 1e-9, end));
  }
  timeline.bin = traffic_.width();
  requests_.Reach(end);
  hits_.Reach(end);
  for (std::int64_t start = 0; start < Nanoseconds(end); start += timeline.bin.count()) {
    const auto bin = static_cast<std::size_t>(start / timeline.bin.count());
    timeline.hits.push_back({requests_[bin], hits_[bin]});
  }
  state_ = nullptr;
  return timeline;
}

void UsageBins::Reach(Instant end) {
  while (Nanoseconds(end) > static_cast<std::int64_t>(kMostBins) * width_.count()) {
    for (std::size_t i = 0; i < kMostBins / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
    std::fill(sums_.begin() + kMostBins / 2, sums_.end(), 0);
    width_ *= 2;
  }
}

void UsageBins::Add(Instant start, Instant end, double per_nanosecond) {
  Reach(end);
  std::int64_t from = Nanoseconds(start);
  while (from < Nanoseconds(end)) {
    const std::int64_t bin = from / width_.count();
    const std::int64_t to = std::min(Nanoseconds(end), (bin + 1) * width_.count());
    sums_[static_cast<std::size_t>(bin)] += static_cast<double>(to - from) * per_nanosecond;
    from = to;
  }
}

}  // namespace fairlead
