#include "fairlead/profiling/measuring_plan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/execution/live_tensors.h"
#include "fairlead/networks/random_layers.h"
#include "fairlead/profiling/interruptions.h"

namespace fairlead {

namespace {

constexpr int kWarmUpVisits = 20;  // at most
constexpr double kStable = 0.02;   // how far two visits may be apart that do not differ

}  // namespace

int TimesToLast(Duration burst, double nanoseconds, int least, int most) {
  const double times = std::ceil(static_cast<double>(burst.count()) / std::max(nanoseconds, 1.0));
  return static_cast<int>(std::clamp(times, static_cast<double>(least), static_cast<double>(most)));
}

std::vector<double> UndisturbedOf(std::span<const TimedPass> passes) {
  std::vector<double> times;
  for (const TimedPass& pass : passes) {
    if (!pass.disturbed) times.push_back(pass.nanoseconds);
  }
  return times;
}

std::vector<double> MostlyUndisturbed(std::span<const TimedPass> passes) {
  std::vector<double> times = UndisturbedOf(passes);
  if (!times.empty()) return times;
  for (const TimedPass& pass : passes) times.push_back(pass.nanoseconds);
  return times;
}

void RunUntilStable(std::span<const Lane> lanes, const LiveClock& clock) {
  double before = 0;
  for (int visit = 0; visit < kWarmUpVisits; ++visit) {
    double sum = 0;
    for (const LaneTimes& times : RunSideBySide(lanes, clock)) sum += MeanNanoseconds(times.passes);
    if (std::abs(sum - before) <= kStable * before) return;
    before = sum;
  }
}

void AddLayerTimes(std::span<const Lane> lanes, const LiveClock& clock,
                   std::vector<std::vector<double>>& times) {
  const LaneTimes seen = std::move(RunSideBySide(lanes, clock).front());
  times.resize(lanes.front().last);
  for (std::size_t i = 0; i < seen.layer_nanoseconds.size(); ++i)
    times[i % times.size()].push_back(seen.layer_nanoseconds[i]);
}

namespace {

const std::atomic<bool> kNeverStopped = false;

void Sleep(Duration time, const LiveClock& clock) {
  std::mutex mutex;
  std::condition_variable nobody;
  std::unique_lock lock(mutex);
  clock.WaitUntil(nobody, lock, clock.Now() + time);
}

void PassWhole(const Lane& lane, const LiveClock& clock, LaneTimes& times) {
  const std::int64_t switches = InvoluntarySwitches();
  const Instant begin = clock.Now();
  lane.run->RunLayers(lane.first, lane.last, kNeverStopped);
  const Instant end = clock.Now();
  times.passes.push_back(
      {static_cast<double>(Nanoseconds(end - begin)), InvoluntarySwitches() > switches});
}

void PassByLayer(const Lane& lane, const LiveClock& clock, LaneTimes& times) {
  Instant begin = clock.Now();
  for (std::size_t layer = lane.first; layer < lane.last; ++layer) {
    lane.run->RunLayers(layer, layer + 1, kNeverStopped);
    const Instant end = clock.Now();
    times.layer_nanoseconds.push_back(static_cast<double>(Nanoseconds(end - begin)));
    begin = end;
  }
}

}  // namespace

std::vector<LaneTimes> RunInTurn(std::span<const Lane> lanes, const TurnOptions& options,
                                 RandomStream& random, const LiveClock& clock) {
  CHECK(!lanes.empty() && options.cycles >= 2);
  std::vector<LaneTimes> times(lanes.size());
  const auto pauses = static_cast<std::uint64_t>(options.longest_pause.count()) + 1;
  lanes.front().partition->Do([&] {
    for (int cycle = 0; cycle < options.cycles; ++cycle) {
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        CHECK(lanes[i].partition == lanes.front().partition);
        Sleep(Duration{static_cast<std::int64_t>(random.Below(pauses))}, clock);
        (cycle % 2 == 0 ? PassWhole : PassByLayer)(lanes[i], clock, times[i]);
      }
    }
  });
  return times;
}

namespace {

constexpr std::size_t kCasesPerRepeat = 20;
constexpr double kIdleShare = 0.25;    // of partitions, where there are more than two
constexpr std::size_t kAttempts = 50;  // for each case, to find one that is new

// Something of `choices` for each partition, or kIdle; at least two are busy.
std::vector<int> DrawBusy(std::size_t choices, std::size_t partitions, RandomStream& random) {
  std::vector<int> busy(partitions, kIdle);
  while (std::ranges::count(busy, kIdle) > static_cast<std::ptrdiff_t>(partitions) - 2) {
    for (int& choice : busy) {
      const bool idle = partitions > 2 && random.Uniform() < kIdleShare;
      choice = idle ? kIdle : static_cast<int>(random.Below(choices));
    }
  }
  return busy;
}

// As many different ones as asked for, or as are found; then some of them twice.
template <typename Case, typename Draw, typename Key>
std::vector<Case> DrawDifferent(std::size_t count, Draw draw, Key key) {
  std::set<decltype(key(draw()))> seen;
  std::vector<Case> cases;
  for (std::size_t attempt = 0; attempt < kAttempts * count && seen.size() < count; ++attempt) {
    Case drawn = draw();
    if (!seen.insert(key(drawn)).second) continue;
    if ((seen.size() - 1) % kCasesPerRepeat == 0) cases.push_back(drawn);
    cases.push_back(std::move(drawn));
  }
  return cases;
}

std::vector<std::int64_t> AliveAfterLayers(const OperatorGraph& graph) {
  std::vector<std::int64_t> alive = LiveElementsByLayer(graph);
  alive.erase(alive.begin());  // before the first layer
  alive.back() = 0;            // nothing goes on after the last
  for (std::int64_t& bytes : alive) bytes *= static_cast<std::int64_t>(sizeof(float));
  return alive;
}

}  // namespace

std::vector<LayerCoRun> DrawCoRuns(const CoRunChoice& choice, std::size_t partitions,
                                   std::size_t count, std::uint64_t seed) {
  if (partitions < 2 || choice.first >= choice.last) return {};
  RandomStream random(seed, "coruns");
  const auto draw = [&] {
    LayerCoRun corun{.others = DrawBusy(choice.layers, partitions, random)};
    do {
      corun.partition = random.Below(partitions);
    } while (corun.others[corun.partition] == kIdle);
    corun.layer = choice.first + static_cast<std::size_t>(corun.others[corun.partition]) %
                                     (choice.last - choice.first);
    corun.others[corun.partition] = kIdle;
    return corun;
  };
  return DrawDifferent<LayerCoRun>(count, draw, [](const LayerCoRun& corun) {
    return std::pair(std::pair(corun.layer, corun.partition), corun.others);
  });
}

std::vector<LayerCoRun> PlanCoRuns(const CoRunChoice& choice, std::size_t partitions,
                                   std::size_t count, std::uint64_t seed) {
  std::vector<LayerCoRun> coruns;
  if (choice.layers > choice.last) {
    const CoRunChoice drawn{.layers = choice.layers, .first = choice.last, .last = choice.layers};
    coruns = DrawCoRuns(drawn, partitions, count, seed);
    count = (count + 9) / 10;
  }
  std::ranges::move(DrawCoRuns(choice, partitions, count, seed), std::back_inserter(coruns));
  return coruns;
}

std::vector<NetworkMix> DrawMixes(std::size_t networks, std::size_t partitions, std::size_t count,
                                  std::uint64_t seed) {
  if (partitions < 2 || networks == 0) return {};
  RandomStream random(seed, "mixes");
  const auto draw = [&] { return NetworkMix{.networks = DrawBusy(networks, partitions, random)}; };
  return DrawDifferent<NetworkMix>(count, draw, [](const NetworkMix& mix) { return mix.networks; });
}

void DescribeNetworks(std::span<const OperatorGraph* const> networks, MachineProfile& profile) {
  std::map<OperatorLayer, std::size_t> ids;
  profile.network_layers.resize(networks.size());
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const OperatorGraph& graph = *networks[n];
    profile.networks.push_back(graph.name);
    profile.alive_bytes.push_back(AliveAfterLayers(graph));
    for (std::size_t b = 0; b < profile.batches.size(); ++b) {
      for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const auto shape = LayerOf(graph, graph.operators[i], profile.batches[b]);
        if (!shape.has_value()) continue;
        const auto [id, is_new] = ids.try_emplace(*shape, profile.layers.size());
        if (is_new)
          profile.layers.push_back({.shape = *shape, .network = n, .batch = b, .position = i});
        if (b == 0) profile.network_layers[n].push_back(id->second);
      }
    }
  }
}

void DescribeDrawn(const OperatorGraph& drawn, std::size_t network, MachineProfile& profile) {
  std::set<OperatorLayer> known;
  for (const DistinctLayer& layer : profile.layers) known.insert(layer.shape);
  for (std::size_t i = 0; i < drawn.operators.size(); ++i) {
    if (!drawn.operators[i].name.starts_with(kDrawnLayer)) continue;
    const auto shape = LayerOf(drawn, drawn.operators[i], profile.batches.front());
    if (!shape.has_value() || !known.insert(*shape).second) continue;
    profile.layers.push_back({.shape = *shape, .network = network, .position = i, .drawn = true});
  }
}

std::optional<std::size_t> PressOf(const OperatorGraph& drawn) {
  const auto press = std::ranges::find(drawn.operators, kPressLayer, &GraphOperator::name);
  if (press == drawn.operators.end()) return std::nullopt;
  return static_cast<std::size_t>(press - drawn.operators.begin());
}

}  // namespace fairlead
