#include "fairlead/running/hand_over_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/base/statistics.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/network_work.h"
#include "fairlead/running/live_machine.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/world/world.h"

namespace fairlead {

namespace {

using Sample = std::vector<std::int64_t>;  // of times: nanoseconds

std::int64_t Median(Sample sample) { return NearestRankPercentiles(std::move(sample)).p50; }
Duration MedianTime(Sample sample) { return Duration{Median(std::move(sample))}; }

Duration AtLeastZero(Duration time) { return std::max(time, Duration::zero()); }

class Fit {
 public:
  Fit(std::span<const WatchedSegment> segments, std::span<const KindId> kinds,
      std::size_t kind_count)
      : segments_(segments), kinds_(kinds), costs_(kind_count) {}

  HandOverCosts Make() {
    FindWorkInPlace();
    for (std::size_t k = 0; k < costs_.kinds(); ++k) FitKind(KindId{k});
    for (std::size_t from = 0; from < costs_.kinds(); ++from) {
      for (std::size_t to = 0; to < costs_.kinds(); ++to) FitPair(KindId{from}, KindId{to});
    }
    return costs_;
  }

 private:
  using Key = std::tuple<NetworkId, SegmentId, KindId>;

  KindId KindOf(AcceleratorId accelerator) const { return kinds_[accelerator.index()]; }
  Key KeyOf(const WatchedSegment& segment) const {
    return {segment.seen.network, segment.seen.segment, KindOf(segment.seen.accelerator)};
  }

  void FindWorkInPlace() {
    std::map<Key, Sample> samples;
    for (const WatchedSegment& segment : segments_) {
      if (segment.seen.passage == Passage::kGoesOn)
        samples[KeyOf(segment)].push_back(segment.work.count());
    }
    for (auto& [key, sample] : samples) in_place_[key] = MedianTime(std::move(sample));
  }

  std::optional<Duration> Beyond(const WatchedSegment& segment) const {
    const auto found = in_place_.find(KeyOf(segment));
    if (found == in_place_.end()) return std::nullopt;
    return segment.work - found->second;
  }

  void FitKind(KindId kind) {
    Sample around;
    Sample taking_over;
    for (const WatchedSegment& segment : segments_) {
      if (KindOf(segment.seen.accelerator) != kind) continue;
      if (segment.seen.passage == Passage::kGoesOn)
        around.push_back((segment.seen.time - segment.work).count());
      if (segment.seen.passage != Passage::kTakesOver) continue;
      if (const auto beyond = Beyond(segment)) taking_over.push_back(beyond->count());
    }
    if (!around.empty()) costs_.SetHandOver(kind, AtLeastZero(MedianTime(std::move(around))));
    if (!taking_over.empty())
      costs_.SetTakeOver(kind, AtLeastZero(MedianTime(std::move(taking_over))));
  }

  void FitPair(KindId from, KindId to) {
    std::vector<WatchedMove> moves;
    for (const WatchedSegment& segment : segments_) {
      if (segment.seen.passage != Passage::kMoves || KindOf(segment.seen.from) != from ||
          KindOf(segment.seen.accelerator) != to)
        continue;
      const auto beyond = Beyond(segment);
      if (!beyond.has_value()) continue;
      const Duration taken = segment.seen.alone_there ? Duration::zero() : costs_.TakeOver(to);
      moves.push_back({.bytes = segment.alive_bytes, .beyond = *beyond - taken});
    }
    if (!moves.empty()) costs_.SetMove(from, to, FitMove(std::move(moves)));
  }

  std::span<const WatchedSegment> segments_;
  std::span<const KindId> kinds_;
  HandOverCosts costs_;
  std::map<Key, Duration> in_place_;
};

struct Middle {
  double bytes = 0;
  double beyond = 0;  // nanoseconds
};

Middle MiddleOf(std::span<const WatchedMove> moves) {
  Sample bytes;
  Sample beyond;
  for (const WatchedMove& move : moves) {
    bytes.push_back(move.bytes);
    beyond.push_back(move.beyond.count());
  }
  return {static_cast<double>(Median(std::move(bytes))),
          static_cast<double>(Median(std::move(beyond)))};
}

}  // namespace

MoveCost FitMove(std::vector<WatchedMove> moves) {
  std::ranges::sort(moves, {}, &WatchedMove::bytes);
  const std::span all(moves);
  if (moves.size() < 2) {
    return {.fixed = moves.empty() ? Duration::zero() : AtLeastZero(moves.front().beyond)};
  }
  const Middle small = MiddleOf(all.first(all.size() / 2));
  const Middle large = MiddleOf(all.subspan(all.size() / 2));
  const double bytes = large.bytes - small.bytes;
  const double slope = bytes > 0 ? (large.beyond - small.beyond) / bytes : 0;
  if (slope <= 0) {
    return {.fixed = AtLeastZero(Duration{static_cast<std::int64_t>(MiddleOf(all).beyond)})};
  }
  const double fixed = std::max(small.beyond - slope * small.bytes, 0.0);
  return {.fixed = Duration{std::llround(fixed)},
          .bandwidth = std::max<std::int64_t>(std::llround(1e9 / slope), 1)};
}

HandOverCosts FitHandOvers(std::span<const WatchedSegment> segments, std::span<const KindId> kinds,
                           std::size_t kind_count) {
  return Fit(segments, kinds, kind_count).Make();
}

namespace {

// One segment at a time, of at most two jobs at a time.
class Wanderer final : public SchedulingPolicy {
 public:
  explicit Wanderer(std::uint64_t seed) : random_(seed, "wanderer") {}

  std::string_view Name() const override { return "wanderer"; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    const auto busy = [](const AcceleratorState& one) { return !one.running.empty(); };
    if (std::ranges::any_of(view.accelerators(), busy)) return;
    const ReadySegment* const next = Choose(view);
    if (next == nullptr) return;
    AcceleratorId& place = PlaceOf(view.job(next->job));
    if (!place.valid() || random_.Below(100) >= kStaysOf100)
      place = AcceleratorId{random_.Below(view.accelerators().size())};
    const KindId kind = view.accelerators()[place.index()].kind;
    if (view.costs().Alone(view.job(next->job).network, next->segment, kind) == nullptr)
      place = AcceleratorId{0};
    last_ = next->job;
    plan.Start(place, next->job, next->segment);
  }

 private:
  static constexpr std::uint64_t kStaysOf100 = 70;
  static constexpr std::uint64_t kSameJobOf100 = 60;
  static constexpr std::size_t kJobsAtATime = 2;

  const ReadySegment* Choose(const SystemView& view) {
    started_.clear();
    const ReadySegment* fresh = nullptr;
    for (const ReadySegment& ready : view.ready()) {
      if (view.job(ready.job).started()) {
        started_.push_back(&ready);
      } else if (fresh == nullptr) {
        fresh = &ready;
      }
    }
    if (started_.size() < kJobsAtATime && fresh != nullptr) return fresh;
    if (started_.empty()) return nullptr;
    const auto same = std::ranges::find_if(
        started_, [&](const ReadySegment* ready) { return ready->job == last_; });
    if (same != started_.end() && random_.Below(100) < kSameJobOf100) return *same;
    return started_[random_.Below(started_.size())];
  }

  AcceleratorId& PlaceOf(const Job& job) {
    const std::size_t request = job.request;
    if (request >= places_.size()) places_.resize(request + 1);
    return places_[request];
  }

  RandomStream random_;
  std::vector<const ReadySegment*> started_;
  std::vector<AcceleratorId> places_;  // by request
  JobId last_;
};

// Notes segments with the time that their threads worked.
class Watcher final : public RunListener {
 public:
  explicit Watcher(const LoadedNetworks& networks) : networks_(networks) {}

  void SegmentEnded(const Assignment& assignment, Instant now) override {
    log_.SegmentEnded(assignment, now);
    const RunnableNetwork& network = networks_.network(assignment.network);
    const std::size_t layer = network.bounds[assignment.segment.index()];
    segments_.push_back({.seen = log_.segments().back(),
                         .work = work,
                         .alive_bytes = static_cast<std::int64_t>(
                             networks_.LiveNumbers(assignment.network, layer) * sizeof(float))});
  }
  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {}

  const std::vector<WatchedSegment>& segments() const { return segments_; }

  Duration work{};  // of the segment that ended last; one runs at a time

 private:
  const LoadedNetworks& networks_;
  SegmentLog log_{SegmentLog::Keep::kSegments};
  std::vector<WatchedSegment> segments_;
};

// Requests for all agreements in turn, as many as take about the time.
std::vector<Request> RequestsFor(const World& world, Duration time) {
  Duration each{};
  for (const PlannedAgreement& planned : world.agreements)
    each += world.isolated[planned.agreement.network.index()];
  // All are there from the start, and the policy looks at all: tiny networks need no more.
  constexpr std::int64_t kMostRounds = 200;
  const std::int64_t rounds =
      std::clamp<std::int64_t>(time / std::max(each, Duration{1}), 2, kMostRounds);
  std::vector<Request> requests;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t a = 0; a < world.agreements.size(); ++a)
      requests.push_back({.number = requests.size(),
                          .agreement = AgreementId{a},
                          .deadline = std::chrono::hours(1)});
  }
  return requests;
}

Status Wander(const World& world, const LoadedNetworks& networks, const HandOverProfileSpec& spec,
              Watcher& watcher) {
  const RealClock clock;
  ListedRequests source(RequestsFor(world, spec.time));
  NetworkWork work(networks);
  LiveSetup setup;
  setup.world = {.platform = &world.platform,
                 .networks = world.networks,
                 .beliefs = &*world.truth,
                 .tenants = world.tenants};
  for (const PlannedAgreement& planned : world.agreements)
    setup.world.agreements.push_back(planned.agreement);
  setup.truth = &*world.truth;
  setup.clock = &clock;
  setup.requests = &source;
  setup.listener = &watcher;
  setup.work = [&](SegmentRun& segment) {
    const Instant begin = clock.Now();
    const WorkResult result = work.CarryOut(segment);
    watcher.work = clock.Now() - begin;
    return result;
  };
  setup.enter = [&](AcceleratorId accelerator) { return work.Enter(accelerator); };
  setup.forget = [&](const JobHandle& job) { work.Forget(job); };
  const LiveCores cores = CoresOf(world, Machine::This().UsableCores());
  if (cores.AreEnough()) setup.spin = kLookOut;
  LiveWorld live(std::move(setup), std::make_unique<Wanderer>(spec.seed));
  const OffThePartitions off(cores);
  return live.Run();
}

}  // namespace

Result<HandOverCosts> MeasureHandOvers(const HandOverProfileSpec& spec) {
  const FileReader read = [&](const std::string& path) -> Result<std::string> {
    if (path.ends_with("profile.csv")) return spec.profile;
    return spec.read(path);
  };
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario("measured.yaml", spec.scenario));
  ASSIGN_OR_RETURN(const auto world,
                   BuildWorld(std::move(scenario), read, SegmentOrder::kOneAfterAnother));
  ASSIGN_OR_RETURN(const auto networks, LoadLiveNetworks(*world, read));
  Watcher watcher(*networks);
  RETURN_IF_ERROR(Wander(*world, *networks, spec, watcher));
  std::vector<KindId> kinds;
  for (const Accelerator& accelerator : world->platform.accelerators)
    kinds.push_back(accelerator.kind);
  return FitHandOvers(watcher.segments(), kinds, world->platform.kinds.size());
}

}  // namespace fairlead
