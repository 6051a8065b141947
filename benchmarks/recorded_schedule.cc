#include "benchmarks/recorded_schedule.h"

#include <algorithm>
#include <unordered_map>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

struct PlayedSegment {
  RequestNumber request = 0;
  NetworkId network;
  SegmentId segment;
  AcceleratorId accelerator;
  Instant arrival{};
  Instant start{};
  Instant end{};
};

class ScheduleListener final : public EngineListener {
 public:
  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {}
  void SegmentEnded(const Assignment& assignment, Instant now) override {
    CHECK(assignment.jobs.size() == 1);
    const Job& job = engine().state().jobs[assignment.jobs.front().index()];
    played_.push_back({.request = job.request,
                       .network = assignment.network,
                       .segment = assignment.segment,
                       .accelerator = assignment.accelerator,
                       .arrival = job.arrival,
                       .start = assignment.start,
                       .end = now});
  }
  std::vector<PlayedSegment> Take() {
    std::ranges::stable_sort(played_, {}, &PlayedSegment::start);
    return std::move(played_);
  }

 private:
  std::vector<PlayedSegment> played_;
};

class ScheduleBuilder {
 public:
  ScheduleBuilder(const World& world, std::vector<PlayedSegment> played)
      : world_(world), played_(std::move(played)), next_of_(played_.size()) {}

  RecordedSchedule Build() {
    schedule_.accelerators = world_.platform.accelerators.size();
    schedule_.bandwidth = world_.platform.bandwidth;
    for (std::size_t i = 0; i < played_.size(); ++i)
      index_[played_[i].request].push_back(static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < played_.size(); ++i) AddSegment(static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < played_.size(); ++i) {
      ScheduledSegment& segment = schedule_.segments[i];
      segment.first_next = static_cast<std::uint32_t>(schedule_.next.size());
      segment.next_count = static_cast<std::uint32_t>(next_of_[i].size());
      schedule_.next.insert(schedule_.next.end(), next_of_[i].begin(), next_of_[i].end());
    }
    std::ranges::stable_sort(schedule_.arrivals, {}, &ScheduledArrival::at);
    return std::move(schedule_);
  }

 private:
  void AddSegment(std::uint32_t at) {
    const PlayedSegment& played = played_[at];
    const KindId kind = world_.platform.accelerators[played.accelerator.index()].kind;
    const SegmentCost* cost = world_.truth->Alone(played.network, played.segment, kind);
    CHECK(cost != nullptr);
    ScheduledSegment segment{.request = played.request,
                             .segment = played.segment,
                             .accelerator = played.accelerator,
                             .latency = cost->latency,
                             .dram_bytes = cost->dram_bytes};
    const NetworkGraph& network = world_.networks[played.network.index()];
    for (SegmentId before : network.Predecessors(played.segment)) {
      next_of_[Find(played.request, before)].push_back(at);
      ++segment.waits_for;
    }
    if (segment.waits_for == 0) {
      segment.waits_for = 1;
      const auto [found, is_new] = arrival_of_.emplace(played.request, schedule_.arrivals.size());
      if (is_new) schedule_.arrivals.push_back({.at = played.arrival, .sources = {}});
      schedule_.arrivals[found->second].sources.push_back(at);
    }
    schedule_.segments.push_back(segment);
    schedule_.end = std::max(schedule_.end, played.end);
    schedule_.running += played.end - played.start;
  }

  std::uint32_t Find(RequestNumber request, SegmentId segment) const {
    for (std::uint32_t at : index_.at(request)) {
      if (played_[at].segment == segment) return at;
    }
    CHECK_MSG(false, "a segment ran before the one it waits for");
  }

  const World& world_;
  std::vector<PlayedSegment> played_;
  std::vector<std::vector<std::uint32_t>> next_of_;
  std::unordered_map<RequestNumber, std::vector<std::uint32_t>> index_;  // segments of a request
  std::unordered_map<RequestNumber, std::size_t> arrival_of_;
  RecordedSchedule schedule_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> RecordedSchedule::ByAccelerator() const {
  std::vector<std::vector<std::uint32_t>> lists(accelerators);
  for (std::size_t i = 0; i < segments.size(); ++i)
    lists[segments[i].accelerator.index()].push_back(static_cast<std::uint32_t>(i));
  return lists;
}

FixedPlan RecordedSchedule::AsPlan() const {
  FixedPlan plan;
  for (const ScheduledSegment& segment : segments) {
    plan.entries.push_back({.request = segment.request,
                            .segment = segment.segment,
                            .accelerator = segment.accelerator,
                            .order = static_cast<std::int64_t>(plan.entries.size())});
  }
  return plan;
}

Result<RecordedSchedule> RecordSchedule(const World& world, std::string_view policy) {
  ScheduleListener listener;
  ASSIGN_OR_RETURN(const MeasuredRun run,
                   Simulate(world, {.policy = policy, .listener = &listener}));
  RecordedSchedule schedule = ScheduleBuilder(world, listener.Take()).Build();
  CHECK(schedule.segments.size() == run.segments);
  return schedule;
}

}  // namespace fairlead
