#include "fairlead/running/run.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/network_work.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/report/figures.h"
#include "fairlead/report/listeners.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/report/timeline.h"
#include "fairlead/report/trace.h"
#include "fairlead/running/live_comparison.h"
#include "fairlead/running/live_machine.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/look_ahead.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/running/worker_threads.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"
#include "fairlead/world/arrangement.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

std::vector<TimedArrival> ArrivalsOf(const World& world) {
  std::vector<TimedArrival> arrivals;
  for (const Request& request : world.requests) {
    arrivals.push_back({request.agreement,
                        world.agreements[request.agreement.index()].agreement.network,
                        request.arrival, request.arrival + request.deadline});
  }
  return arrivals;
}

std::optional<FluidBounds> BoundsOn(const World& world, std::vector<TimedArrival> arrivals) {
  std::ranges::sort(arrivals, {}, [](const TimedArrival& one) {
    return std::tuple(one.arrival, one.deadline, one.agreement, one.network);
  });
  std::vector<PresenceChange> changes;
  for (const TimedInput& change : world.changes) {
    if (const auto* loss = std::get_if<AcceleratorLoss>(&change.input)) {
      changes.push_back({change.at, loss->accelerator, false});
    } else if (const auto* back = std::get_if<AcceleratorReturn>(&change.input)) {
      changes.push_back({change.at, back->accelerator, true});
    }
  }
  const auto bounds = FindTimedBounds(
      {world.platform, world.networks, *world.truth, world.platform.bandwidth}, arrivals, changes);
  if (!bounds.has_value()) return std::nullopt;
  return *bounds;
}

// What is rejected by its contract is no hit, whatever the schedule; and agreements are judged by
// what is covered, which a schedule may serve as if nothing else had come.
std::optional<FluidBounds> BoundsOn(const World& world, std::span<const LoggedJob> jobs,
                                    Instant measured_from) {
  std::vector<TimedArrival> admitted;
  std::vector<TimedArrival> covered;
  std::size_t all = 0;
  for (const LoggedJob& job : jobs) {
    if (job.arrival < measured_from) continue;
    ++all;
    const TimedArrival arrival{job.agreement, job.network, job.arrival, job.deadline};
    if (job.reason != Reason::kUncovered) admitted.push_back(arrival);
    if (job.covered) covered.push_back(arrival);
  }
  const bool all_admitted = admitted.size() == all;
  const bool all_covered = covered.size() == admitted.size();
  const double admitted_share =
      all_admitted ? 1 : static_cast<double>(admitted.size()) / static_cast<double>(all);
  std::optional<FluidBounds> bounds = BoundsOn(world, std::move(admitted));
  if (!bounds.has_value()) return bounds;
  bounds->hit_rate *= admitted_share;
  if (all_covered) return bounds;
  const std::optional<FluidBounds> of_covered = BoundsOn(world, std::move(covered));
  if (!of_covered.has_value()) return of_covered;
  bounds->worst_agreement = of_covered->worst_agreement;
  return bounds;
}

std::optional<FluidBounds> BoundsBySeed::Of(const World& world, std::uint64_t seed,
                                            std::span<const LoggedJob> jobs,
                                            Instant measured_from) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_[seed];
  }
  std::call_once(entry->once, [&] { entry->bounds = BoundsOn(world, jobs, measured_from); });
  return entry->bounds;
}

namespace {

// The requests of a run on their way, for who wants to know how far it has come.

// Passes requests on, and tells how far the run has come.
class WatchedRequests final : public RequestSource {
 public:
  WatchedRequests(std::unique_ptr<RequestSource> source, Instant end,
                  std::function<void(double)> progressed)
      : source_(std::move(source)), end_(end), progressed_(std::move(progressed)) {}

  std::optional<Request> Next() override {
    std::optional<Request> request = source_->Next();
    if (request.has_value() && request->arrival >= next_ && end_ > Instant{}) {
      progressed_(Seconds(request->arrival - Instant{}) / Seconds(end_ - Instant{}));
      next_ = request->arrival + (end_ - Instant{}) / kSteps;
    }
    return request;
  }

 private:
  std::unique_ptr<RequestSource> source_;
  Instant end_;
  static constexpr int kSteps = 1000;  // that are told, few as requests may be

  std::function<void(double)> progressed_;
  Instant next_{};
};

// What a run says by the places of its arrangement, put back in the order of the list.
void PutInListedOrder(const Arrangement& arrangement, RunFigures& figures);
void PutInListedOrder(const Arrangement& arrangement, RunTimeline& timeline);
void PutInListedOrder(const Arrangement& arrangement, std::vector<LoggedJob>& jobs);

void PutInListedOrder(const Arrangement& arrangement, RunFigures& figures) {
  figures.per_agreement = InListedOrder(std::move(figures.per_agreement), arrangement.agreements);
  figures.busy = InListedOrder(std::move(figures.busy), arrangement.accelerators);
  if (figures.work_prefers.has_value()) {
    figures.work_prefers->kinds =
        InListedOrder(std::move(figures.work_prefers->kinds), arrangement.kinds);
  }
}

void PutInListedOrder(const Arrangement& arrangement, RunTimeline& timeline) {
  timeline.accelerators = InListedOrder(std::move(timeline.accelerators), arrangement.accelerators);
  timeline.networks = InListedOrder(std::move(timeline.networks), arrangement.networks);
  std::vector<UsageOverTime> usage = timeline.usage;  // of kinds, then of the memory
  for (std::size_t place = 0; place < arrangement.kinds.size(); ++place)
    timeline.usage[arrangement.kinds[place].index()] = std::move(usage[place]);
  for (TimelineSlice& slice : timeline.slices) {
    slice.accelerator = arrangement.accelerators[slice.accelerator.index()];
    slice.network = arrangement.networks[slice.network.index()];
  }
}

void PutInListedOrder(const Arrangement& arrangement, std::vector<LoggedJob>& jobs) {
  for (LoggedJob& job : jobs) {
    job.agreement = arrangement.agreements[job.agreement.index()];
    job.tenant = arrangement.tenants[job.tenant.index()];
    job.network = arrangement.networks[job.network.index()];
  }
}

std::string_view PaceName(Pace pace) {
  switch (pace) {
    case Pace::kSimulated: return "simulated";
    case Pace::kSleep: return "sleep";
    case Pace::kSpin: return "spin";
    case Pace::kRun: return "run";
  }
  return "";
}

// A live run's costs are its own: what a simulated one could not beat says nothing about it. Who
// interrupts does not wait for a linear program.
std::optional<FluidBounds> BoundsOf(const World& world, const RunSpec& spec, const OutcomeLog& log,
                                    Instant measured_from) {
  if (!spec.bounds || spec.pace != Pace::kSimulated || spec.stop.stop_requested())
    return std::nullopt;
  if (spec.known_bounds != nullptr)
    return spec.known_bounds->Of(world, spec.seed, log.jobs(), measured_from);
  return BoundsOn(world, log.jobs(), measured_from);
}

Instant LastArrival(const World& world) {
  if (!world.listed()) return Instant{} + world.scenario.horizon;
  return world.requests.empty() ? Instant{} : world.requests.back().arrival;
}

// The world that a run ran in, simulated or live, with what it needed.
struct WorldAfterRun {
  std::unique_ptr<NetworkWork> work;  // of the live world
  std::unique_ptr<RealClock> clock;   // of the live world
  std::unique_ptr<Simulator> simulated;
  std::unique_ptr<LiveWorld> live;
  std::optional<LiveFigures> live_figures;
  Duration wall{};

  const SchedulingEngine& engine() const {
    return simulated != nullptr ? simulated->engine() : live->engine();
  }
  const RunTotals& totals() const {
    return simulated != nullptr ? simulated->totals() : live->totals();
  }
};

// Those who listen to a run, as its outputs want.
class Watchers {
 public:
  Watchers(const RunOutputs& outputs, const RunSpec& spec, const World& world,
           Instant measured_from)
      : truth_(*world.truth),
        timeline_out_(outputs.timeline),
        segments_(spec.compare ? SegmentLog::Keep::kSegments : SegmentLog::Keep::kCounts) {
    listening_ = {&log_};
    if (spec.pace != Pace::kSimulated) listening_.push_back(&segments_);
    if (outputs.segments != nullptr) listening_.push_back(outputs.segments);
    if (outputs.trace != nullptr)
      listening_.push_back(
          &trace_.emplace(*outputs.trace, outputs.trace_window, outputs.trace_is_large));
    if (outputs.timeline != nullptr) listening_.push_back(&timeline_.emplace(measured_from));
    if (IsGuarded(world.scenario)) listening_.push_back(&fallback_.emplace(measured_from));
    all_.emplace(listening_);
  }
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  // This recorder, which may be null, and those of ours that want to hear the same.
  RunRecorder* RecordBeside(RunRecorder* recorder) {
    if (!trace_.has_value()) return recorder;
    std::vector<RunRecorder*> all = {&*trace_};
    if (recorder != nullptr) all.push_back(recorder);
    return &recorders_.emplace(std::move(all));
  }
  RunListener* listener() { return listening_.size() == 1 ? listening_.front() : &*all_; }
  const OutcomeLog& log() const { return log_; }
  const SegmentLog& segments() const { return segments_; }  // of a live run

  // What the policy gave up is left.
  void TakeOutFallback(Instant end, RunFigures& figures) const {
    if (fallback_.has_value()) fallback_->TakeOut(end, figures.per_agreement);
  }

  void Open(const SystemState& state) {
    if (trace_.has_value()) trace_->Open(state);
    if (timeline_.has_value()) timeline_->Open(state, truth_);
  }
  void Close(Instant end) {
    if (trace_.has_value()) trace_->Close();
    if (timeline_.has_value()) *timeline_out_ = timeline_->Finish(end);
  }

 private:
  const CostTable& truth_;
  RunTimeline* timeline_out_;
  OutcomeLog log_;
  SegmentLog segments_;
  std::optional<TraceWriter> trace_;
  std::optional<TimelineListener> timeline_;
  std::optional<FallbackSacrifices> fallback_;
  std::vector<RunListener*> listening_;
  std::optional<RunListeners> all_;
  std::optional<RunRecorders> recorders_;
};

// What threads do for segments in a live world.
void ChooseWork(const RunSpec& spec, WorldAfterRun& run, LiveSetup& setup) {
  setup.work = spec.pace == Pace::kSpin ? SpinThrough : SleepThrough;
  if (spec.pace != Pace::kRun) return;
  CHECK(spec.networks != nullptr);
  NetworkWork* const work = (run.work = std::make_unique<NetworkWork>(*spec.networks)).get();
  setup.work = [work](SegmentRun& segment) { return work->CarryOut(segment); };
  setup.enter = [work](AcceleratorId accelerator) { return work->Enter(accelerator); };
  setup.forget = [work](const JobHandle& job) { work->Forget(job); };
}

// Runs a live world, the engine's thread off the partitions' cores.
Status RunLive(const World& world, const RunSpec& spec, WorldAfterRun& run) {
  LiveFigures figures{.pace = std::string(PaceName(spec.pace))};
  if (spec.pace == Pace::kRun) {
    const OffThePartitions off(CoresOf(world, Machine::This().UsableCores()));
    RETURN_IF_ERROR(run.live->Run());
    off.Write(figures);
  } else {
    RETURN_IF_ERROR(run.live->Run());
  }
  run.live_figures = std::move(figures);
  return {};
}

// Both worlds take the same setup; only the pace differs.
Result<WorldAfterRun> RunWorld(const World& world, SimulationSetup setup, const RunSpec& spec,
                               std::unique_ptr<SchedulingPolicy> policy, Watchers& watchers) {
  WorldAfterRun run;
  if (spec.pace == Pace::kSimulated) {
    run.simulated = std::make_unique<Simulator>(std::move(setup), std::move(policy));
  } else {
    LiveSetup live(std::move(setup));
    live.clock = spec.clock;
    if (live.clock == nullptr) live.clock = (run.clock = std::make_unique<RealClock>()).get();
    ChooseWork(spec, run, live);
    if (spec.pace == Pace::kRun && CoresOf(world, Machine::This().UsableCores()).AreEnough())
      live.spin = kLookOut;
    run.live = std::make_unique<LiveWorld>(std::move(live), std::move(policy));
  }
  watchers.Open(run.engine().state());
  const Stopwatch stopwatch;
  RETURN_IF_ERROR(run.simulated != nullptr ? run.simulated->Run() : RunLive(world, spec, run));
  run.wall = Duration{stopwatch.ElapsedNanoseconds()};
  watchers.Close(run.totals().end);
  return run;
}

void PutInListedOrder(const Arrangement& arrangement, const RunOutputs& outputs) {
  if (outputs.timeline != nullptr) PutInListedOrder(arrangement, *outputs.timeline);
  if (outputs.jobs != nullptr) PutInListedOrder(arrangement, *outputs.jobs);
}

void WriteResults(const WorldAfterRun& run, const OutcomeLog& log, Instant measured_from,
                  const RunOutputs& outputs) {
  const SystemState& state = run.engine().state();
  if (outputs.outcomes != nullptr)
    WriteOutcomes(log.jobs(), {state.tenants, state.networks}, *outputs.outcomes);
  if (outputs.books != nullptr) *outputs.books << FormatBooks(BooksOf(state));
  if (outputs.latencies != nullptr)
    *outputs.latencies = LatencyHistogram(log.jobs(), measured_from);
  if (outputs.jobs != nullptr) outputs.jobs->assign(log.jobs().begin(), log.jobs().end());
}

// What is loaded on a machine is there in the order of the list.
SeededWorld::Order OrderFor(const RunSpec& spec) {
  const bool listed = spec.as_listed || spec.compare || spec.pace == Pace::kRun;
  return listed ? SeededWorld::Order::kAsListed : SeededWorld::Order::kDrawn;
}

// With the caller's own policy among those that it makes. Both outlive it.
SimulationSetup SetupFor(const RunSpec& spec, SeededWorld& seeded) {
  SimulationSetup setup = seeded.Setup();
  setup.policy = spec.policy;
  setup.policies = [&spec,
                    &seeded](std::string_view name) -> Result<std::unique_ptr<SchedulingPolicy>> {
    if (spec.own && name == spec.policy) return spec.own(spec.seed);
    return seeded.Policy(name);
  };
  if (spec.pace != Pace::kSimulated) setup.engine.wrong_plan = WrongPlan::kSkip;
  return setup;
}

RecordingHeader HeaderOf(const SeededWorld& seeded, const RunSpec& spec,
                         const SchedulingPolicy& policy, const EngineOptions& engine) {
  const World& world = seeded.world();
  RecordingHeader header{.scenario = world.scenario.name,
                         .seed = spec.seed,
                         .policy = spec.policy,
                         .policy_name = std::string(policy.Name()),
                         .engine = engine,
                         .extras = {{"config", ScenarioJson(world.scenario)}}};
  if (world.plan.has_value()) header.extras["plan"] = world.plan->text;
  for (const auto& [path, text] : seeded.files_read()) header.extras[KeptFile(path)] = text;
  return header;
}

Result<LiveFigures> LiveFiguresOf(LiveFigures live, const LiveRunSeen& seen) {
  std::ranges::copy(seen.segments.passages(), live.passages);
  if (!seen.spec.compare || seen.spec.stop.stop_requested()) return live;
  ASSIGN_OR_RETURN(live.comparison, CompareWithSimulated(seen));
  return live;
}

}  // namespace

Status CheckPace(const World& world, Pace pace) {
  const ChargeConfig& charge = world.scenario.charge;
  if (pace == Pace::kSimulated || charge.place.line == 0) return {};
  return FailAt(charge.place,
                "decision_charge is for simulated runs; a live decision takes the time that it "
                "takes: remove it, or simulate");
}

Result<RunFigures> RunOnce(const World& listed, const RunSpec& spec, const RunOutputs& outputs,
                           const std::function<void(double)>& progressed) {
  RETURN_IF_ERROR(CheckPace(listed, spec.pace));
  SeededWorld seeded(listed, spec.seed, OrderFor(spec));
  const World& world = seeded.world();
  seeded.Continue(spec.books);
  if (progressed) {
    seeded.requests() = std::make_unique<WatchedRequests>(std::move(seeded.requests()),
                                                          LastArrival(world), progressed);
  }
  SimulationSetup setup = SetupFor(spec, seeded);
  ASSIGN_OR_RETURN(auto policy, setup.policies(spec.policy));
  const Instant measured_from = setup.engine.measured_from;
  // Costs with co-runners in them are not to be slowed by these once more.
  const auto alone = MakeBandwidthSharing(Sharing::kNone, 0);
  if (spec.truth != nullptr) {
    setup.truth = spec.truth;
    setup.interference = alone.get();
  }
  const CostTable* truth = setup.truth;
  Watchers watchers(outputs, spec, world, measured_from);
  setup.listener = watchers.listener();
  std::unique_ptr<LookAhead> look_ahead;
  if (MayLookAhead(spec.policy, setup.timeline)) {
    look_ahead = MakeLookAhead(
        spec.policy, setup,
        spec.pace == Pace::kSimulated ? LookAhead::Judges::kAtOnce : LookAhead::Judges::kOnAThread,
        [&seeded] { return seeded.BelievedInterference(); }, spec.seed);
    setup.advisor = look_ahead.get();
  }
  const OutcomeLog& log = watchers.log();
  std::optional<RecordingWriter> recorder;
  if (outputs.recording != nullptr)
    setup.recorder = &recorder.emplace(*outputs.recording,
                                       HeaderOf(seeded, spec, *policy, setup.engine), setup.world);
  setup.recorder = watchers.RecordBeside(setup.recorder);
  setup.stop = spec.stop;
  const Result<WorldAfterRun> after =
      RunWorld(world, std::move(setup), spec, std::move(policy), watchers);
  if (!after.has_value()) {
    if (recorder.has_value()) recorder->Flush();  // reads as cut off
    return tl::unexpected(after.error());
  }
  const WorldAfterRun& run = *after;
  if (recorder.has_value()) RETURN_IF_ERROR(recorder->Close());
  WriteResults(run, log, measured_from, outputs);
  PutInListedOrder(seeded.arrangement(), outputs);
  RunFigures figures = ComputeFigures({.policy = spec.policy,
                                       .seed = spec.seed,
                                       .log = log,
                                       .engine = run.engine(),
                                       .totals = run.totals(),
                                       .isolated = world.isolated,
                                       .truth = truth,
                                       .measured_from = measured_from,
                                       .bounds = BoundsOf(world, spec, log, measured_from),
                                       .wall_time = run.wall,
                                       .guarded = IsGuarded(world.scenario)});
  figures.policy_energy += seeded.thinking_pj() * 1e-12;
  watchers.TakeOutFallback(run.totals().end, figures);
  PutInListedOrder(seeded.arrangement(), figures);
  if (run.live_figures.has_value()) {
    const LiveRunSeen seen{listed, spec, watchers.segments(), log.jobs(), measured_from};
    ASSIGN_OR_RETURN(figures.live, LiveFiguresOf(*run.live_figures, seen));
  }
  return figures;
}

Result<std::unique_ptr<SchedulingPolicy>> RecordedPolicy(std::string_view policy,
                                                         const Recording& recording) {
  const auto& files = recording.header().extras;
  const auto plan = files.find("plan");
  const std::string plan_file = recording.file() + " (plan)";
  return MakePolicy(policy, {.seed = recording.header().seed,
                             .platform = &recording.world().platform,
                             .plan = plan == files.end() ? std::string() : plan_file,
                             .read = [&](const std::string& path) -> Result<std::string> {
                               if (path == plan_file) return plan->second;
                               const auto kept = files.find(KeptFile(path));
                               return kept != files.end() ? kept->second : ReadFile(path);
                             }});
}

namespace {

enum class AfterFailure : std::uint8_t { kStop, kGoOn };

// Those that were not begun, because another one failed or all were to stop, are empty.
std::vector<std::optional<Result<RunFigures>>> RunSpecs(const World& world, const RunPlan& plan,
                                                        AfterFailure after) {
  std::vector<std::optional<Result<RunFigures>>> results(plan.specs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  BoundsBySeed bounds;
  const auto run = [&](std::size_t i) -> Result<RunFigures> {
    RunSpec spec = plan.specs[i];
    spec.known_bounds = &bounds;
    spec.stop = plan.stop;
    RunOutputs outputs;
    if (plan.open) {
      ASSIGN_OR_RETURN(outputs, plan.open(i));
    }
    const auto progressed = [&](double share) {
      if (plan.progressed) plan.progressed(i, share);
    };
    ASSIGN_OR_RETURN(RunFigures figures, RunOnce(world, spec, outputs, progressed));
    if (plan.close) RETURN_IF_ERROR(plan.close(i));
    return figures;
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < plan.specs.size() && !failed && !plan.stop.stop_requested();
         i = next++) {
      try {
        results[i] = run(i);
      } catch (const std::bad_alloc&) {
        results[i] = Result<RunFigures>(
            Fail("{} with seed {}: out of memory", plan.specs[i].policy, plan.specs[i].seed));
      }
      if (plan.progressed) plan.progressed(i, 1);
      if (results[i]->has_value()) continue;
      if (plan.failed) plan.failed(i);
      if (after == AfterFailure::kStop) failed = true;
    }
  };
  WorkOnThreads(plan.threads, work);
  return results;
}

}  // namespace

std::vector<Result<RunFigures>> RunEach(const World& world, const RunPlan& plan) {
  std::vector<Result<RunFigures>> results;
  for (std::optional<Result<RunFigures>>& result : RunSpecs(world, plan, AfterFailure::kGoOn))
    results.push_back(result.has_value() ? std::move(*result)
                                         : Result<RunFigures>(Fail("not begun: interrupted")));
  return results;
}

Result<std::vector<RunFigures>> RunAll(const World& world, const RunPlan& plan) {
  std::vector<RunFigures> figures;
  for (std::optional<Result<RunFigures>>& result : RunSpecs(world, plan, AfterFailure::kStop)) {
    if (!result.has_value()) continue;
    if (!result->has_value()) return tl::unexpected(result->error());
    figures.push_back(std::move(**result));
  }
  return figures;
}

}  // namespace fairlead
