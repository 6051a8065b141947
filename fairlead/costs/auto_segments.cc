#include "fairlead/costs/auto_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

// One way to run all layers of a block: on a kind, in a configuration.
using Way = std::pair<KindId, Configuration>;

// Each segment begins with a hand-over, and another job may come before it.
Duration CostOfSegment(const HandOverCosts& costs, KindId kind) {
  return costs.kinds() == 0 ? Duration{} : costs.HandOver(kind) + costs.TakeOver(kind);
}

// The layers of one network in topological order.
class Layers {
 public:
  Layers(const NetworkGraph& network, const std::vector<const CostRow*>& rows,
         const std::vector<std::int64_t>* alive)
      : times_(network.size()), alive_(network.size()) {
    std::vector<std::size_t> position(network.size());
    const auto order = network.TopologicalOrder();
    for (std::size_t i = 0; i < order.size(); ++i) {
      position[order[i].index()] = i;
      if (alive != nullptr) alive_[i] = (*alive)[order[i].index()];
    }
    std::vector<std::map<KindId, const CostRow*>> whole(network.size());
    for (const CostRow* row : rows) {
      const std::size_t at = position[row->segment.index()];
      std::vector<bool>& possible = ways_[{row->kind, row->configuration}];
      possible.resize(network.size());
      possible[at] = true;
      if (row->configuration.batch != 1) continue;
      const CostRow*& best = whole[at][row->kind];
      if (best == nullptr || best->configuration.units < row->configuration.units) best = row;
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      Duration fastest = Duration::max();
      for (const auto& [kind, row] : whole[i]) {
        fastest = std::min(fastest, row->cost.latency);
        times_[i] = std::max(times_[i], row->cost.latency);
        totals_[kind].time += row->cost.latency;
        ++totals_[kind].layers;
      }
      if (!whole[i].empty()) fastest_ += fastest;
    }
  }

  std::size_t size() const { return times_.size(); }
  // The end of the longest block from `begin` on that takes no longer than `longest` and can run
  // somewhere; at least one layer.
  std::size_t EndOfBlock(std::size_t begin, Duration longest) const {
    std::vector<const std::vector<bool>*> ways;
    for (const auto& [way, possible] : ways_) {
      if (possible[begin]) ways.push_back(&possible);
    }
    Duration time = times_[begin];
    std::size_t end = begin + 1;
    for (; end < size() && time + times_[end] <= longest; ++end) {
      const auto lacks = [end](const std::vector<bool>* way) { return !(*way)[end]; };
      if (std::ranges::all_of(ways, lacks)) break;
      std::erase_if(ways, lacks);
      time += times_[end];
    }
    return end;
  }
  // Where in (first, begin] a block that ends at `end` could begin instead, so that least is alive
  // before it: it still takes no longer than `longest`, and can run somewhere.
  std::size_t NarrowestBegin(std::size_t first, std::size_t begin, std::size_t end,
                             Duration longest) const {
    std::vector<const std::vector<bool>*> ways;
    for (const auto& [way, possible] : ways_) {
      const auto at = [&possible](std::size_t i) { return possible.begin() + std::ptrdiff_t(i); };
      if (std::find(at(begin), at(end), false) == at(end)) ways.push_back(&possible);
    }
    std::size_t best = begin;
    Duration time = TimeOf(begin, end);
    for (std::size_t i = begin; i-- > first + 1;) {
      time += times_[i];
      std::erase_if(ways, [i](const std::vector<bool>* way) { return !(*way)[i]; });
      if (time > longest || ways.empty()) break;
      if (alive_[i - 1] < alive_[best - 1]) best = i;
    }
    return best;
  }
  Duration TimeOf(std::size_t begin, std::size_t end) const {
    Duration time{};
    for (std::size_t i = begin; i < end; ++i) time += times_[i];
    return time;
  }

  // The whole network, and what each of its segments costs beside its work: on each kind that can
  // run all of it, or, if none can, where each layer is fastest.
  struct Whole {
    Duration time{};
    Duration of_segment{};
  };
  std::vector<Whole> Wholes(const HandOverCosts& costs) const {
    std::vector<Whole> wholes;
    Duration most{};
    for (const auto& [kind, total] : totals_) {
      const Duration cost = CostOfSegment(costs, kind);
      most = std::max(most, cost);
      if (total.layers == size()) wholes.push_back({total.time, cost});
    }
    if (wholes.empty()) wholes.push_back({fastest_, most});
    return wholes;
  }

 private:
  struct Total {
    Duration time{};
    std::size_t layers = 0;  // that the kind can run
  };

  std::vector<Duration> times_;      // where it is slowest
  std::vector<std::int64_t> alive_;  // after each
  std::map<Way, std::vector<bool>> ways_;
  std::map<KindId, Total> totals_;
  Duration fastest_{};  // all layers, each where it is fastest
};

SegmentBounds FewestBlocks(const Layers& layers, Duration longest) {
  SegmentBounds bounds = {0};
  while (bounds.back() < layers.size()) bounds.push_back(layers.EndOfBlock(bounds.back(), longest));
  return bounds;
}

// The shortest time that blocks need so that there are no more than so many. It grows with each
// step of the search, so that 63 of them find it.
Duration ShortestLongest(const Layers& layers, std::size_t most) {
  std::int64_t low = 0;
  std::int64_t high = layers.TimeOf(0, layers.size()).count();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (FewestBlocks(layers, Duration{middle}).size() - 1 <= most) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return Duration{low};
}

// Moves each boundary, the last first, to where least is alive. Greedy blocks are full: what is
// behind a boundary has room, not what is before it.
void MoveToNarrows(const Layers& layers, Duration longest, SegmentBounds& bounds) {
  for (std::size_t b = bounds.size() - 2; b > 0; --b)
    bounds[b] = layers.NarrowestBegin(bounds[b - 1], bounds[b], bounds[b + 1], longest);
}

// How many segments hand-overs allow, wherever the network runs.
std::size_t MostSegments(const Layers& layers, const HandOverCosts& costs, double share) {
  auto most = static_cast<double>(layers.size());
  for (const auto& [time, of_segment] : layers.Wholes(costs)) {
    if (of_segment > Duration::zero())
      most = std::min(most, std::floor(share * Seconds(time) / Seconds(of_segment)));
  }
  return std::max<std::size_t>(static_cast<std::size_t>(most), 1);
}

AutoCut Cut(const Layers& layers, const HandOverCosts& costs, const AutoSegments& options) {
  const std::size_t most = MostSegments(layers, costs, options.hand_overs);
  const Duration needed = ShortestLongest(layers, most);
  const Duration longest = std::min(needed, options.longest);
  AutoCut cut;
  cut.bounds = FewestBlocks(layers, longest);
  MoveToNarrows(layers, longest, cut.bounds);
  const std::size_t segments = cut.bounds.size() - 1;
  for (std::size_t b = 0; b < segments; ++b)
    cut.longest = std::max(cut.longest, layers.TimeOf(cut.bounds[b], cut.bounds[b + 1]));
  for (const auto& [time, of_segment] : layers.Wholes(costs)) {
    if (time > Duration::zero())
      cut.hand_overs = std::max(
          cut.hand_overs, static_cast<double>(segments) * Seconds(of_segment) / Seconds(time));
  }
  cut.too_long = cut.longest > options.longest;
  cut.too_often = segments > most;
  return cut;
}

}  // namespace

std::vector<AutoCut> CutNetworks(const Profile& profile, std::span<const KindId> kinds,
                                 const AutoSegments& options) {
  std::vector<std::vector<const CostRow*>> rows(profile.networks.size());
  for (const CostRow& row : profile.rows) {
    if (std::ranges::find(kinds, row.kind) != kinds.end())
      rows[row.network.index()].push_back(&row);
  }
  std::vector<AutoCut> cuts;
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    const auto* const alive = profile.alive_bytes.empty() ? nullptr : &profile.alive_bytes[n];
    cuts.push_back(Cut(Layers(profile.networks[n], rows[n], alive), profile.hand_overs, options));
  }
  return cuts;
}

std::string Describe(const AutoCut& cut, const NetworkGraph& network) {
  std::string text =
      fmt::format("{}: {} segments of {} layers, the longest {:.3g} ms, hand-overs up to {:.1f} %",
                  network.name(), cut.bounds.size() - 1, network.size(), 1e3 * Seconds(cut.longest),
                  100 * cut.hand_overs);
  if (cut.too_long) text += "; a single layer takes longer than asked for";
  if (cut.too_often) text += "; more than asked for, since longer segments could not be";
  return text + ".";
}

}  // namespace fairlead
