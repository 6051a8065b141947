// What segments cost alone, as a dense table: the form in which the engine, the policies and the
// simulator see costs. Cost models (profiles, rooflines, analytical accelerators) fill it once,
// when a world is built; afterwards it is immutable and a lookup is an index.
//
// The world charges the true table; a policy sees the believed one. They are different objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/hand_over_costs.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"

namespace fairlead {

class BesideSlowdowns;

struct SegmentCost {
  Duration latency{};
  std::int64_t dram_bytes = 0;
  std::int64_t energy_pj = 0;
  // While all other units read as much memory as they can; zero: as alone, or nobody knows.
  Duration pressed_latency{};

  Duration Pressed() const { return std::max(latency, pressed_latency); }
};

// How a segment runs: on how many units of the kind, for how many jobs at once, and in which of
// several versions (0: the usual one, fast alone).
struct Configuration {
  int units = 1;
  int batch = 1;
  int version = 0;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

// One row of a cost table.
struct CostRow {
  NetworkId network;
  SegmentId segment;
  KindId kind;
  Configuration configuration;
  SegmentCost cost;
};

// A kind that a segment can run on, and how it compares with the others.
struct RankedKind {
  KindId kind;
  std::uint32_t rank = 0;  // 0 where the segment is fastest; equal latencies share a rank
  friend auto operator<=>(const RankedKind&, const RankedKind&) = default;
};

// The error of beliefs: each entry is multiplied by (1 + bias) and by log-normal factors of median
// 1: its own, one that all entries of its network share, and one that all entries of its kind
// share. Each noise is the deviation of the factor's logarithm.
struct BeliefError {
  double bias = 0;
  double noise = 0;
  double network_noise = 0;
  double kind_noise = 0;

  bool none() const { return bias == 0 && noise == 0 && network_noise == 0 && kind_noise == 0; }
};

class CostTable {
 public:
  CostTable(std::span<const NetworkGraph> networks, const Platform& platform);

  // Another network, behind those that are there: its rows are set next, and it is sealed anew.
  void AddNetwork(const NetworkGraph& network);

  // Adds the cost of one segment on one kind in one configuration, once.
  void Set(NetworkId network, SegmentId segment, KindId kind, Configuration configuration,
           const SegmentCost& cost);

  // What it costs to begin a segment on a kind where another network ran before (weights to load,
  // a context to switch). Zero unless set.
  void SetSwitching(KindId kind, const SegmentCost& cost) { switching_[kind.index()] = cost; }
  const SegmentCost& Switching(KindId kind) const { return switching_[kind.index()]; }

  // What it costs to go on with a job. The latencies of all entries have `hand_over` in them, since
  // no segment begins without; the rest depends on where the job is. Nothing unless set.
  void SetHandOvers(HandOverCosts costs) { hand_overs_ = std::move(costs); }
  const HandOverCosts& hand_overs() const { return hand_overs_; }
  // How networks slow each other, and how much of that is in the latencies. Null unless set.
  void SetSlowdowns(std::shared_ptr<const BesideSlowdowns> slowdowns) {
    slowdowns_ = std::move(slowdowns);
  }
  const BesideSlowdowns* slowdowns() const { return slowdowns_.get(); }
  // What those that wait for a segment need of it, for one job.
  void SetAliveBytes(NetworkId network, SegmentId segment, std::int64_t bytes) {
    alive_bytes_[SegmentNumber(network, segment)] = bytes;
  }
  std::int64_t AliveBytes(NetworkId network, SegmentId segment) const {
    return alive_bytes_[SegmentNumber(network, segment)];
  }

  // The cost on all units of the kind for one job, or null where the segment can't run there.
  const SegmentCost* Alone(NetworkId network, SegmentId segment, KindId kind) const {
    const Entry& entry = entries_[Index(network, segment, kind)];
    return entry.possible ? &entry.alone : nullptr;
  }
  // The latencies of that on each kind, kCannotRun where there is none.
  static constexpr Duration kCannotRun = Duration::max();
  std::span<const Duration> LatenciesAlone(NetworkId network, SegmentId segment) const {
    return {&latencies_alone_[Index(network, segment, KindId{0})], kinds_};
  }
  // The cost in a configuration: that of the measured row of the version with the most units not
  // above the given ones and the smallest batch not below the given one. Null where there is none.
  const SegmentCost* Find(NetworkId network, SegmentId segment, KindId kind,
                          Configuration configuration) const;
  // What it takes to begin there: the above, which must exist, and the switching cost where another
  // network ran before.
  SegmentCost CostOfStart(NetworkId network, SegmentId segment, KindId kind,
                          Configuration configuration, NetworkId before) const;
  // How many versions of it there are, 0 among them.
  int Versions(NetworkId network, SegmentId segment, KindId kind) const;
  // The largest batch that a row exists for.
  int LargestBatch(NetworkId network, SegmentId segment, KindId kind) const;

  // The least time from the start of a segment to the end of its network, when every segment runs
  // where it is fastest and nothing waits: the longest path over the fastest latencies.
  Duration ShortestTail(NetworkId network, SegmentId segment) const {
    return tails_[segment_offset_[network.index()] + segment.index()];
  }
  // The latency of a segment where it is fastest.
  Duration Fastest(NetworkId network, SegmentId segment) const {
    return fastest_[segment_offset_[network.index()] + segment.index()];
  }
  // Where that is; ties to the lowest kind.
  KindId FastestKind(NetworkId network, SegmentId segment) const {
    return fastest_kind_[segment_offset_[network.index()] + segment.index()];
  }
  // The sum of the latencies over all segments of a network.
  Duration FastestTotal(NetworkId network) const { return fastest_total_[network.index()]; }
  // This table with all of the above taken over some kinds alone, by their numbers: what is away
  // does not count. A segment that none of them can run counts where it is fastest of all.
  CostTable Among(std::span<const NetworkGraph> networks, const std::vector<bool>& kinds) const;

  // Segments that can run on the same kinds, and are faster here than there on the same ones, have
  // the same affinity: a number from 0 on.
  std::size_t Affinity(NetworkId network, SegmentId segment) const {
    return affinities_[SegmentNumber(network, segment)];
  }
  std::size_t affinities() const { return ranked_.size(); }
  // The kinds that such segments can run on, the fastest first.
  std::span<const RankedKind> KindsOf(std::size_t affinity) const { return ranked_[affinity]; }

  // Computes what is derived from the entries. Call once, after the last Set.
  void Seal(std::span<const NetworkGraph> networks);

  // This table seen through an error. What entries have of their own, and what they share with
  // their network and with their kind, is drawn by name: it does not depend on what else there is.
  CostTable Perturbed(std::span<const NetworkGraph> networks, const Platform& platform,
                      const BeliefError& error, std::uint64_t seed) const;

  // This table with other latencies, of the rows for which `latency_of` has one.
  using LatencyOf = std::function<std::optional<Duration>(const CostRow&)>;
  CostTable WithLatencies(std::span<const NetworkGraph> networks,
                          const LatencyOf& latency_of) const;

  // Whether a row can have another latency: it is there, and the kinds that its segment prefers
  // stay no slower than others. (Preferences are part of what others have built upon.)
  bool CanBecome(const CostRow& row) const;
  // Gives it that latency; what is derived follows. Takes as long as the network is large.
  void SetLatency(const CostRow& row, const NetworkGraph& network);

  // Visits every row once, ordered by network, segment, kind, units and batch.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    for (std::size_t n = 0; n + 1 < segment_offset_.size(); ++n) {
      for (std::size_t s = 0; s < segment_offset_[n + 1] - segment_offset_[n]; ++s) {
        for (std::size_t k = 0; k < kinds_; ++k) {
          for (const Variant& variant :
               entries_[Index(NetworkId{n}, SegmentId{s}, KindId{k})].variants)
            visit(CostRow{NetworkId{n}, SegmentId{s}, KindId{k}, variant.configuration,
                          variant.cost});
        }
      }
    }
  }

  std::size_t kinds() const { return kinds_; }
  // A number for each segment of each network, from 0 on.
  std::size_t SegmentNumber(NetworkId network, SegmentId segment) const {
    return segment_offset_[network.index()] + segment.index();
  }

 private:
  struct Variant {
    Configuration configuration;
    SegmentCost cost;
  };
  struct Entry {
    SegmentCost alone;
    bool possible = false;
    std::vector<Variant> variants;  // by configuration, ascending
  };

  void FindFastest(std::span<const NetworkGraph> networks, const std::vector<bool>& kinds);
  void FindFastestIn(NetworkId id, const NetworkGraph& network, const std::vector<bool>& kinds);
  const Variant* FindVariant(const CostRow& row) const;
  KindId FastestOf(std::size_t segment, const std::vector<bool>& kinds) const;
  void FindAffinities();
  const SegmentCost* Search(const Entry& entry, Configuration configuration) const;
  std::size_t Index(NetworkId network, SegmentId segment, KindId kind) const {
    return (segment_offset_[network.index()] + segment.index()) * kinds_ + kind.index();
  }

  std::size_t kinds_;
  std::vector<int> units_of_kind_;
  std::vector<std::size_t> segment_offset_;  // of each network, and the total
  std::vector<Entry> entries_;
  std::vector<Duration> latencies_alone_;  // of each entry
  std::vector<SegmentCost> switching_;
  HandOverCosts hand_overs_;
  std::shared_ptr<const BesideSlowdowns> slowdowns_;
  std::vector<std::int64_t> alive_bytes_;  // per segment
  std::vector<Duration> tails_;
  std::vector<Duration> fastest_;
  std::vector<KindId> fastest_kind_;
  std::vector<Duration> fastest_total_;
  std::vector<std::uint32_t> affinities_;        // per segment
  std::vector<std::vector<RankedKind>> ranked_;  // per affinity
};

}  // namespace fairlead
