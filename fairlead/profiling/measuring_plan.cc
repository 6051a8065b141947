#include "fairlead/profiling/measuring_plan.h"

#include <algorithm>
#include <set>

#include "fairlead/base/random.h"

namespace fairlead {
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

}  // namespace

std::vector<LayerCoRun> DrawCoRuns(std::size_t layers, std::size_t partitions, std::size_t count,
                                   std::uint64_t seed) {
  if (partitions < 2 || layers == 0) return {};
  RandomStream random(seed, "coruns");
  const auto draw = [&] {
    LayerCoRun corun{.others = DrawBusy(layers, partitions, random)};
    do {
      corun.partition = random.Below(partitions);
    } while (corun.others[corun.partition] == kIdle);
    corun.layer = static_cast<std::size_t>(corun.others[corun.partition]);
    corun.others[corun.partition] = kIdle;
    return corun;
  };
  return DrawDifferent<LayerCoRun>(count, draw, [](const LayerCoRun& corun) {
    return std::pair(std::pair(corun.layer, corun.partition), corun.others);
  });
}

std::vector<NetworkMix> DrawMixes(std::size_t networks, std::size_t partitions, std::size_t count,
                                  std::uint64_t seed) {
  if (partitions < 2 || networks == 0) return {};
  RandomStream random(seed, "mixes");
  const auto draw = [&] { return NetworkMix{.networks = DrawBusy(networks, partitions, random)}; };
  return DrawDifferent<NetworkMix>(count, draw, [](const NetworkMix& mix) { return mix.networks; });
}

}  // namespace fairlead
