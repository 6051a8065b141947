#include "fairlead/profiling/machine_profiler.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/statistics.h"
#include "fairlead/execution/machine.h"
#include "fairlead/profiling/interruptions.h"
#include "fairlead/profiling/machine_samples.h"
#include "fairlead/profiling/measuring_plan.h"
#include "fairlead/profiling/memory_bandwidth.h"
#include "fairlead/profiling/partition_thread.h"
#include "fairlead/profiling/perf_counters.h"
#include "fairlead/profiling/resident_networks.h"
#include "fairlead/profiling/side_by_side.h"

namespace fairlead {
namespace {

constexpr int kLayerPasses = 5;  // of a layer that repeats
constexpr int kLayerAttempts = 5;
constexpr int kRoundsPerLayer = 3;  // layers alone are visited in every third round
constexpr int kMostCycles = 100;    // of networks in turn
constexpr int kMostPressedPasses = 20;
constexpr std::size_t kLeastReadBytes = std::size_t{32} << 20;

class Profiler {
 public:
  explicit Profiler(const ProfilerSetup& setup)
      : setup_(setup), options_(setup.options), order_(setup.options.seed, "order") {}

  Result<MachineProfile> Profile() {
    RETURN_IF_ERROR(Prepare());
    const Instant begin = setup_.clock->Now();
    const LoadOfOthers others(AllCores());
    WarmUp();
    Calibrate();
    RunRounds(begin);
    if (options_.first_of_alike) CopyToAlike(profile_, samples_);
    Count();
    Conclude(samples_, *resident_, profile_);
    // Co-runs of rounds for which there was no time.
    std::erase_if(profile_.coruns, [](const LayerCoRun& corun) { return corun.nanoseconds == 0; });
    profile_.seconds = Seconds(setup_.clock->Now() - begin);
    others.Write(profile_);
    return std::move(profile_);
  }

 private:
  // What a pass takes, and each layer in it; roughly.
  struct RoughTimes {
    double pass = 0;
    std::vector<double> layers;
  };

  std::size_t networks() const { return setup_.networks.size(); }
  std::size_t partitions() const { return setup_.partitions.size(); }
  std::size_t batches() const { return options_.batches.size(); }
  // In what is listed by network, batch and partition.
  std::size_t Index(std::size_t network, std::size_t batch, std::size_t partition) const {
    return (network * batches() + batch) * partitions() + partition;
  }
  template <typename Visit>
  void ForEachAlone(Visit visit) {
    for (std::size_t n = 0; n < networks(); ++n) {
      for (std::size_t b = 0; b < batches(); ++b) {
        for (std::size_t p = 0; p < partitions(); ++p) visit(n, b, p);
      }
    }
  }
  std::vector<int> AllCores() const {
    std::vector<int> cores;
    for (const ProfilerPartition& partition : setup_.partitions)
      cores.insert(cores.end(), partition.cores.begin(), partition.cores.end());
    return cores;
  }

  Status Prepare() {
    std::vector<PartitionThread*> threads;
    for (const ProfilerPartition& partition : setup_.partitions) {
      ASSIGN_OR_RETURN(auto thread, PartitionThread::Start(*partition.processor));
      threads.push_back(thread.get());
      threads_.push_back(std::move(thread));
    }
    std::vector<const OperatorGraph*> graphs = setup_.networks;
    if (setup_.drawn != nullptr) graphs.push_back(setup_.drawn);
    ASSIGN_OR_RETURN(resident_, ResidentNetworks::Load(graphs, options_.batches, threads));
    profile_.batches = options_.batches;
    DescribeNetworks(setup_.networks, profile_);
    DescribePartitions();
    const std::size_t of_networks = profile_.layers.size();
    if (setup_.drawn != nullptr) {
      DescribeDrawn(*setup_.drawn, networks(), profile_);
      if (partitions() > 1) press_ = PressOf(*setup_.drawn);
    }
    profile_.coruns =
        PlanCoRuns({.layers = profile_.layers.size(), .first = 0, .last = of_networks},
                   partitions(), options_.coruns, options_.seed);
    profile_.mixes = DrawMixes(networks(), partitions(), options_.mixes, options_.seed);
    samples_.alone.resize(networks() * batches() * partitions());
    samples_.layers.resize(profile_.layers.size(), std::vector<std::vector<double>>(partitions()));
    samples_.mixes.resize(profile_.mixes.size(), std::vector<std::vector<double>>(partitions()));
    samples_.read_alone.resize(partitions());
    samples_.read_together.resize(partitions());
    return {};
  }

  void DescribePartitions() {
    std::vector<std::vector<int>> groups;
    for (const ProfilerPartition& partition : setup_.partitions) groups.push_back(partition.cores);
    const std::vector<std::int64_t> shares = Machine::This().CacheShares(groups);
    for (std::size_t p = 0; p < partitions(); ++p) {
      profile_.partitions.push_back({.name = setup_.partitions[p].processor->name(),
                                     .cores = setup_.partitions[p].cores,
                                     .cache_bytes = shares[p],
                                     .alike = FirstAlike(p)});
    }
  }

  std::size_t FirstAlike(std::size_t partition) const {
    const Processor& own = *setup_.partitions[partition].processor;
    for (std::size_t p = 0; p < partition; ++p) {
      if (own.SharesRunsWith(*setup_.partitions[p].processor)) return p;
    }
    return partition;
  }

  LaneTimes RunAlone(const Lane& lane) {
    return std::move(RunSideBySide({&lane, 1}, *setup_.clock).front());
  }

  // On all partitions.
  void WarmUp() {
    std::vector<Lane> lanes;
    for (std::size_t p = 0; p < partitions(); ++p) {
      lanes.push_back(resident_->Whole(0, 0, p));
      lanes.back().passes = 3;
    }
    RunUntilStable(lanes, *setup_.clock);
  }

  RoughTimes RoughOf(Lane lane) {
    lane.passes = 2;
    lane.by_layer = true;
    const LaneTimes times = RunAlone(lane);
    RoughTimes rough{.pass = std::min(times.passes[0].nanoseconds, times.passes[1].nanoseconds)};
    for (std::size_t i = 0; i < lane.last; ++i)
      rough.layers.push_back(
          std::min(times.layer_nanoseconds[i], times.layer_nanoseconds[lane.last + i]));
    return rough;
  }

  // So that bursts can be sized.
  void Calibrate() {
    const auto calibrate = [this](std::size_t n, std::size_t b, std::size_t p) {
      const std::size_t alike = rough_.size() - p + profile_.partitions[p].alike;
      RoughTimes rough = IsVisited(p) ? RoughOf(resident_->Whole(n, b, p)) : rough_[alike];
      if (n < networks()) samples_.alone[Index(n, b, p)].layers.resize(rough.layers.size());
      rough_.push_back(std::move(rough));
    };
    ForEachAlone(calibrate);
    for (std::size_t i = 0; setup_.drawn != nullptr && i < batches() * partitions(); ++i)
      calibrate(networks(), i / partitions(), i % partitions());
  }

  void RunRounds(Instant begin) {
    while (profile_.rounds < options_.rounds) {
      RunRound();
      ++profile_.rounds;
      const Duration elapsed = setup_.clock->Now() - begin;
      if (options_.time > Duration::zero() && elapsed + elapsed / profile_.rounds > options_.time)
        break;
    }
  }

  using Step = std::function<void()>;

  void RunRound() {
    std::vector<Step> steps = StepsOf(static_cast<std::size_t>(profile_.rounds));
    for (std::size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[order_.Below(i)]);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double of_round = static_cast<double>(i) / static_cast<double>(steps.size());
      if (setup_.progressed) setup_.progressed((profile_.rounds + of_round) / options_.rounds);
      steps[i]();
    }
  }

  std::vector<Step> StepsOf(std::size_t round) {
    std::vector<Step> steps;
    steps.emplace_back([this] { VisitMemory(); });
    ForEachAlone([&](std::size_t n, std::size_t b, std::size_t p) {
      if (IsVisited(p)) steps.emplace_back([this, n, b, p] { VisitAlone(n, b, p); });
    });
    for (std::size_t p = 0; p < partitions(); ++p) {
      if (IsVisited(p)) steps.emplace_back([this, p] { VisitInTurn(p); });
    }
    for (std::size_t m = 0; m < profile_.mixes.size(); ++m)
      steps.emplace_back([this, m] { VisitMix(m); });
    if (press_.has_value()) {
      ForEachAlone([&](std::size_t n, std::size_t b, std::size_t p) {
        if (profile_.partitions[p].alike == p)
          steps.emplace_back([this, n, b, p] { VisitPressed(n, b, p); });
      });
    }
    if (round % kRoundsPerLayer == 0) {
      for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
        for (std::size_t p = 0; p < partitions(); ++p) {
          if (IsVisited(p)) steps.emplace_back([this, l, p] { VisitLayer(l, p); });
        }
      }
    }
    const auto rounds = static_cast<std::size_t>(options_.rounds);
    const std::size_t coruns = profile_.coruns.size();
    for (std::size_t c = coruns * round / rounds; c < coruns * (round + 1) / rounds; ++c)
      steps.emplace_back([this, c] { VisitCoRun(c); });
    return steps;
  }

  // Alone.
  bool IsVisited(std::size_t p) const {
    return !options_.first_of_alike || profile_.partitions[p].alike == p;
  }

  void VisitMemory() {
    std::vector<BandwidthLane> lanes;
    std::size_t bytes = options_.read_bytes;
    for (std::size_t p = 0; p < partitions(); ++p) {
      const std::vector<int>& cores = setup_.partitions[p].cores;
      lanes.push_back({threads_[p].get(), cores});
      const auto cache = static_cast<std::size_t>(profile_.partitions[p].cache_bytes);
      if (options_.read_bytes == 0)
        bytes = std::max({bytes, kLeastReadBytes, 4 * cache / cores.size()});
    }
    const BandwidthOptions options{.bytes_per_core = bytes};
    const std::vector<double> together = MeasureBandwidth(lanes, options, *setup_.clock);
    for (std::size_t p = 0; p < partitions(); ++p) {
      samples_.read_together[p].push_back(together[p]);
      samples_.read_alone[p].push_back(
          MeasureBandwidth({&lanes[p], 1}, options, *setup_.clock).front());
    }
  }

  // A network for a whole visit. Passes of less than a layer's burst are timed several at once.
  Lane NetworkLane(std::size_t n, std::size_t b, std::size_t p) const {
    Lane lane = resident_->Whole(n, b, p);
    const double pass = rough_[Index(n, b, p)].pass;
    lane.repeats = TimesToLast(options_.layer_burst, pass, 1, 100'000);
    lane.passes = TimesToLast(options_.burst, pass * lane.repeats, 2, 1000);
    return lane;
  }

  void VisitAlone(std::size_t n, std::size_t b, std::size_t p) {
    AloneSamples& samples = samples_.alone[Index(n, b, p)];
    const LaneTimes whole = RunAlone(NetworkLane(n, b, p));
    samples.visits.push_back(MeanNanoseconds(whole.passes));
    std::ranges::copy(UndisturbedOf(whole.passes), std::back_inserter(samples.passes));
    NoteDisturbed(whole.passes);
  }

  // Layer by layer, alone and beside the press.
  void VisitPressed(std::size_t n, std::size_t b, std::size_t p) {
    AloneSamples& samples = samples_.alone[Index(n, b, p)];
    std::vector<Lane> lanes = {resident_->Whole(n, b, p)};
    lanes.front().by_layer = true;
    lanes.front().passes =
        TimesToLast(options_.burst, 2 * rough_[Index(n, b, p)].pass, 2, kMostPressedPasses);
    AddLayerTimes(lanes, *setup_.clock, samples.unpressed);
    for (std::size_t other = 0; other < partitions(); ++other) {
      if (other != p) lanes.push_back(resident_->Layer(networks(), 0, other, *press_));
    }
    AddLayerTimes(lanes, *setup_.clock, samples.pressed);
  }

  // As long as a burst of each network would be, layers as often as wholes.
  void VisitInTurn(std::size_t p) {
    std::vector<Lane> lanes;
    std::vector<AloneSamples*> samples;
    double cycle = 0;
    for (std::size_t n = 0; n < networks(); ++n) {
      for (std::size_t b = 0; b < batches(); ++b) {
        lanes.push_back(resident_->Whole(n, b, p));
        samples.push_back(&samples_.alone[Index(n, b, p)]);
        cycle += rough_[Index(n, b, p)].pass;
      }
    }
    const Duration time = options_.burst * static_cast<std::int64_t>(lanes.size());
    const int cycles = 2 * TimesToLast(time, 2 * cycle, 1, kMostCycles / 2);
    const std::vector<LaneTimes> times = RunInTurn(
        lanes, {.cycles = cycles, .longest_pause = options_.pause}, order_, *setup_.clock);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      NoteDisturbed(times[i].passes);
      std::ranges::copy(MostlyUndisturbed(times[i].passes), std::back_inserter(samples[i]->turns));
      for (std::size_t l = 0; l < times[i].layer_nanoseconds.size(); ++l)
        samples[i]->layers[l % lanes[i].last].push_back(times[i].layer_nanoseconds[l]);
    }
  }

  void VisitMix(std::size_t m) {
    std::vector<Lane> lanes;
    std::vector<std::size_t> partition_of;
    for (std::size_t p = 0; p < partitions(); ++p) {
      if (profile_.mixes[m].networks[p] == kIdle) continue;
      const auto network = static_cast<std::size_t>(profile_.mixes[m].networks[p]);
      lanes.push_back(NetworkLane(network, 0, p));
      partition_of.push_back(p);
    }
    const std::vector<LaneTimes> times = RunSideBySide(lanes, *setup_.clock);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      samples_.mixes[m][partition_of[i]].push_back(MeanNanoseconds(times[i].passes));
      NoteDisturbed(times[i].passes);
    }
  }

  void NoteDisturbed(std::span<const TimedPass> passes) {
    samples_.passes += static_cast<double>(passes.size());
    samples_.disturbed += static_cast<double>(std::ranges::count_if(passes, &TimedPass::disturbed));
  }

  Lane LayerLane(std::size_t layer, std::size_t partition) const {
    const DistinctLayer& distinct = profile_.layers[layer];
    Lane lane = resident_->Layer(distinct.network, distinct.batch, partition, distinct.position);
    const RoughTimes& rough = rough_[Index(distinct.network, distinct.batch, partition)];
    lane.repeats = TimesToLast(options_.layer_burst, rough.layers[distinct.position], 1, 100'000);
    return lane;
  }

  // The times of the first lane. Its passes take milliseconds, so others may disturb all of them:
  // then it is tried again.
  std::vector<double> TimeLayer(std::span<const Lane> lanes) {
    for (int attempt = 1;; ++attempt) {
      const LaneTimes times = std::move(RunSideBySide(lanes, *setup_.clock).front());
      std::vector<double> undisturbed = UndisturbedOf(times.passes);
      if (!undisturbed.empty()) return undisturbed;
      if (attempt == kLayerAttempts) return {MeanNanoseconds(times.passes)};
    }
  }

  void VisitLayer(std::size_t layer, std::size_t partition) {
    Lane lane = LayerLane(layer, partition);
    lane.passes = kLayerPasses;
    std::ranges::copy(TimeLayer({&lane, 1}), std::back_inserter(samples_.layers[layer][partition]));
  }

  void VisitCoRun(std::size_t c) {
    LayerCoRun& corun = profile_.coruns[c];
    std::vector<Lane> lanes = {LayerLane(corun.layer, corun.partition)};
    lanes.front().passes = kLayerPasses;
    for (std::size_t p = 0; p < partitions(); ++p) {
      if (corun.others[p] != kIdle)
        lanes.push_back(LayerLane(static_cast<std::size_t>(corun.others[p]), p));
    }
    std::vector<double> times = TimeLayer(lanes);
    std::ranges::sort(times);
    corun.nanoseconds = Quantile(times, 0.25);
  }

  void Count() {
    for (std::size_t p = 0; p < partitions(); ++p) {
      Status status;
      threads_[p]->Do([&] {
        status = CountNetworks(*resident_, {networks(), batches(), partitions(), p},
                               setup_.partitions[p].cores, samples_);
      });
      if (status.has_value()) continue;
      profile_.no_counters = status.error().message;
      for (AloneSamples& samples : samples_.alone) samples.counts.clear();
      return;
    }
    for (const PerfEvent& event : CacheEvents()) profile_.events.emplace_back(event.name);
  }

  const ProfilerSetup& setup_;
  const ProfilerOptions& options_;
  MachineProfile profile_;
  std::vector<std::unique_ptr<PartitionThread>> threads_;
  std::unique_ptr<ResidentNetworks> resident_;
  RandomStream order_;
  std::vector<RoughTimes> rough_;     // by network, batch and partition; then of what was drawn
  std::optional<std::size_t> press_;  // among the layers of what was drawn
  MachineSamples samples_;
};

}  // namespace

Result<MachineProfile> ProfileMachine(const ProfilerSetup& setup) {
  CHECK(!setup.networks.empty() && !setup.partitions.empty() && setup.clock != nullptr);
  CHECK(setup.options.rounds > 0 && !setup.options.batches.empty());
  return Profiler(setup).Profile();
}

}  // namespace fairlead
