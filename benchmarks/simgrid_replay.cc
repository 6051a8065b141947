#include "benchmarks/simgrid_replay.h"

#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::array<Modelling, 5> kModellings = {{
    {"actors, compute + send", Driver::kActors, SegmentModel::kComputeAndSend},
    {"actors, parallel task", Driver::kActors, SegmentModel::kParallelTask},
    {"callbacks, compute + send", Driver::kCallbacks, SegmentModel::kComputeAndSend},
    {"callbacks, parallel task", Driver::kCallbacks, SegmentModel::kParallelTask},
    {"callbacks, no link", Driver::kCallbacks, SegmentModel::kBounded, false},
}};

constexpr double kHostSpeed = 1e9;  // a nanosecond alone is one operation

void Configure(SegmentModel segments) {
  xbt_log_control_set("root.thresh:critical");
  s4u::Engine::set_config("contexts/factory:raw");
  s4u::Engine::set_config("cpu/optim:Lazy");
  if (segments == SegmentModel::kParallelTask) {
    s4u::Engine::set_config("host/model:ptask_L07");
    return;
  }
  // The plain fluid network: nothing of TCP, the whole bandwidth, one direction.
  for (const char* option : {"network/model:CM02", "network/optim:Full", "network/crosstraffic:0",
                             "network/bandwidth-factor:1", "network/latency-factor:1",
                             "network/weight-S:0", "network/TCP-gamma:0"})
    s4u::Engine::set_config(option);
}

class Replay {
 public:
  Replay(const Modelling& modelling, const RecordedSchedule& schedule)
      : model_(modelling.segments), schedule_(schedule), lists_(schedule.ByAccelerator()) {
    for (const ScheduledSegment& segment : schedule.segments) pending_.push_back(segment.waits_for);
    s4u::NetZone* zone = s4u::create_full_zone("platform");
    memory_ = zone->create_host("memory", static_cast<double>(schedule.bandwidth))->seal();
    clock_ = zone->create_host("clock", kHostSpeed)->seal();
    s4u::Link* link =
        zone->create_link("link", static_cast<double>(schedule.bandwidth))->set_latency(0)->seal();
    for (std::size_t a = 0; a < schedule.accelerators; ++a) {
      hosts_.push_back(zone->create_host("accelerator." + std::to_string(a), kHostSpeed)->seal());
      zone->add_route(hosts_[a]->get_netpoint(), memory_->get_netpoint(), nullptr, nullptr,
                      {s4u::LinkInRoute(link)}, true);
    }
    zone->seal();
  }
  virtual ~Replay() = default;

  virtual void Prepare() = 0;
  double running() const { return running_; }
  std::size_t finished() const { return finished_; }

 protected:
  const ScheduledSegment& Segment(std::uint32_t at) const { return schedule_.segments[at]; }
  std::span<const std::uint32_t> NextOf(std::uint32_t at) const {
    return std::span(schedule_.next).subspan(Segment(at).first_next, Segment(at).next_count);
  }
  static double Operations(const ScheduledSegment& segment) {
    return static_cast<double>(segment.latency.count());
  }
  static auto Bytes(const ScheduledSegment& segment) {
    return static_cast<std::uint64_t>(segment.dram_bytes);
  }
  static double Demand(const ScheduledSegment& segment) {
    return static_cast<double>(segment.dram_bytes) / Seconds(segment.latency);
  }

  void CountSegment(double start) {
    running_ += s4u::Engine::get_clock() - start;
    ++finished_;
  }

  // What carries a segment out, not started yet. kComputeAndSend has a communication too.
  s4u::ExecPtr MakeExecution(const ScheduledSegment& segment) {
    s4u::Host* host = hosts_[segment.accelerator.index()];
    const s4u::ExecPtr execution = s4u::Exec::init();
    switch (model_) {
      case SegmentModel::kComputeAndSend:
        return execution->set_flops_amount(Operations(segment))->set_host(host);
      case SegmentModel::kParallelTask:
        return execution->set_flops_amounts({Operations(segment), 0})
            ->set_bytes_amounts({0, static_cast<double>(segment.dram_bytes), 0, 0})
            ->set_hosts({host, memory_});
      case SegmentModel::kBounded:
        return execution->set_flops_amount(static_cast<double>(segment.dram_bytes))
            ->set_bound(Demand(segment))
            ->set_host(memory_);
    }
    return execution;
  }

  SegmentModel model_;
  const RecordedSchedule& schedule_;
  std::vector<std::vector<std::uint32_t>> lists_;  // per accelerator
  std::vector<std::uint32_t> pending_;             // per segment: what it still waits for
  std::vector<s4u::Host*> hosts_;
  s4u::Host* memory_ = nullptr;
  s4u::Host* clock_ = nullptr;
  double running_ = 0;
  std::size_t finished_ = 0;
};

// An actor for each accelerator works through its list. It blocks only when its next segment still
// waits for something.
class ActorReplay final : public Replay {
 public:
  using Replay::Replay;

  void Prepare() override {
    awaited_.assign(hosts_.size(), kNothing);
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
      released_.push_back(s4u::Semaphore::create(0));
      s4u::Actor::create("worker", hosts_[a], [this, a] { Work(a); });
    }
    s4u::Actor::create("arrivals", clock_, [this] { Arrive(); });
  }

 private:
  static constexpr std::uint32_t kNothing = UINT32_MAX;

  void Work(std::size_t accelerator) {
    for (std::uint32_t at : lists_[accelerator]) {
      if (pending_[at] > 0) {
        awaited_[accelerator] = at;
        released_[accelerator]->acquire();
      }
      const double start = s4u::Engine::get_clock();
      CarryOut(Segment(at));
      CountSegment(start);
      for (std::uint32_t next : NextOf(at)) Release(next);
    }
  }

  void CarryOut(const ScheduledSegment& segment) {
    if (model_ == SegmentModel::kParallelTask) {
      s4u::this_actor::parallel_execute({hosts_[segment.accelerator.index()], memory_},
                                        {Operations(segment), 0},
                                        {0, static_cast<double>(segment.dram_bytes), 0, 0});
      return;
    }
    const s4u::ExecPtr execution = MakeExecution(segment);
    execution->start();
    if (model_ == SegmentModel::kComputeAndSend && segment.dram_bytes > 0)
      s4u::Comm::sendto(hosts_[segment.accelerator.index()], memory_, Bytes(segment));
    execution->wait();
  }

  void Arrive() {
    for (const ScheduledArrival& arrival : schedule_.arrivals) {
      s4u::this_actor::sleep_until(Seconds(arrival.at - Instant{}));
      for (std::uint32_t source : arrival.sources) Release(source);
    }
  }

  void Release(std::uint32_t at) {
    const std::size_t accelerator = Segment(at).accelerator.index();
    if (--pending_[at] > 0 || awaited_[accelerator] != at) return;
    awaited_[accelerator] = kNothing;
    released_[accelerator]->release();
  }

  std::vector<s4u::SemaphorePtr> released_;  // per accelerator
  std::vector<std::uint32_t> awaited_;       // per accelerator: what its actor is blocked on
};

// Whatever ends starts, from SimGrid's own callback, what waited for it. Arrivals are executions,
// one after the other, on a host of their own.
class CallbackReplay final : public Replay {
 public:
  using Replay::Replay;

  void Prepare() override {
    lanes_.resize(hosts_.size());
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) {
      const auto* mark = activity.get_data<const Mark>();
      if (mark == &arrival_mark_) {
        ArrivalCame();
      } else {
        PartEnded(static_cast<std::size_t>(mark - marks_.data()));
      }
    });
    marks_.resize(hosts_.size());
    StartNextArrival();
  }

 private:
  struct Mark {};  // its address tells SimGrid's activities apart
  struct Lane {
    std::size_t next = 0;  // in the list of the accelerator
    int parts_left = 0;    // of the running segment; 0: idle
    double start = 0;
    // An activity must outlive its own callback, so the last ones are kept as well.
    std::array<s4u::ActivityPtr, 2> running;
    std::array<s4u::ActivityPtr, 2> last;
  };

  void StartNextArrival() {
    if (next_arrival_ == schedule_.arrivals.size()) return;
    const double gap =
        Seconds(schedule_.arrivals[next_arrival_].at - Instant{}) - s4u::Engine::get_clock();
    last_arrival_ = arrival_;
    arrival_ = s4u::Exec::init()->set_flops_amount(std::max(gap, 0.0) * kHostSpeed);
    arrival_->set_data(&arrival_mark_);
    arrival_->set_host(clock_)->vetoable_start();
  }

  void ArrivalCame() {
    for (std::uint32_t source : schedule_.arrivals[next_arrival_].sources) Release(source);
    ++next_arrival_;
    StartNextArrival();
  }

  void PartEnded(std::size_t accelerator) {
    Lane& lane = lanes_[accelerator];
    if (--lane.parts_left > 0) return;
    CountSegment(lane.start);
    for (std::uint32_t next : NextOf(lists_[accelerator][lane.next++])) Release(next);
    StartIfPossible(accelerator);
  }

  void Release(std::uint32_t at) {
    if (--pending_[at] == 0) StartIfPossible(Segment(at).accelerator.index());
  }

  void StartIfPossible(std::size_t accelerator) {
    Lane& lane = lanes_[accelerator];
    const std::vector<std::uint32_t>& list = lists_[accelerator];
    if (lane.parts_left > 0 || lane.next == list.size() || pending_[list[lane.next]] > 0) return;
    const ScheduledSegment& segment = Segment(list[lane.next]);
    lane.start = s4u::Engine::get_clock();
    std::swap(lane.last, lane.running);
    lane.running = {};
    lane.parts_left = 1;
    const s4u::ExecPtr execution = MakeExecution(segment);
    lane.running[0] = execution;
    execution->set_data(&marks_[accelerator]);
    if (model_ == SegmentModel::kComputeAndSend && segment.dram_bytes > 0) {
      lane.parts_left = 2;
      const s4u::CommPtr sending = s4u::Comm::sendto_init();
      lane.running[1] = sending;
      sending->set_data(&marks_[accelerator]);
      // The destination completes it, and it starts at once.
      sending->set_payload_size(Bytes(segment))
          ->set_source(hosts_[accelerator])
          ->set_destination(memory_);
    }
    execution->vetoable_start();
  }

  std::vector<Lane> lanes_;  // per accelerator
  std::vector<Mark> marks_;  // per accelerator
  Mark arrival_mark_;
  std::size_t next_arrival_ = 0;
  s4u::ExecPtr arrival_;
  s4u::ExecPtr last_arrival_;
};

}  // namespace

std::span<const Modelling> Modellings() { return kModellings; }

PeerRun RunInSimGrid(const Modelling& modelling, const RecordedSchedule& schedule) {
  std::string name = "peer_simgrid";
  std::array<char*, 2> arguments = {name.data(), nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments.data());
  Configure(modelling.segments);
  std::unique_ptr<Replay> replay;
  if (modelling.driver == Driver::kActors) {
    replay = std::make_unique<ActorReplay>(modelling, schedule);
  } else {
    replay = std::make_unique<CallbackReplay>(modelling, schedule);
  }
  replay->Prepare();
  const Meter meter;
  engine.run();
  const Spent spent = meter.Read();
  CHECK(replay->finished() == schedule.segments.size());
  return {.spent = spent, .end = s4u::Engine::get_clock(), .running = replay->running()};
}

}  // namespace fairlead
