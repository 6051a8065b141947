#include "fairlead/costs/cost_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"

namespace fairlead {
namespace {

// Errors of beliefs make nothing larger than this: sums over a network must not overflow.
constexpr std::int64_t kLargest = 10'000'000'000'000;
// Nor does anybody believe later that a segment takes longer than this.
constexpr Duration kLongestBelief = std::chrono::seconds{1000};

SegmentCost Scaled(const SegmentCost& cost, double factor) {
  const auto scaled = [factor](std::int64_t value) {
    const auto largest = static_cast<double>(std::max(value, kLargest));
    return static_cast<std::int64_t>(
        std::llround(std::min(static_cast<double>(value) * factor, largest)));
  };
  // What takes time is never believed to take none: its traffic would have no rate.
  const std::int64_t least = cost.latency > Duration::zero() ? 1 : 0;
  return {.latency = Duration{std::max(scaled(cost.latency.count()), least)},
          .dram_bytes = scaled(cost.dram_bytes),
          .energy_pj = scaled(cost.energy_pj),
          .pressed_latency = Duration{scaled(cost.pressed_latency.count())}};
}

double SharedFactor(double noise, std::uint64_t seed, const std::string& who) {
  return noise == 0 ? 1 : std::exp(noise * RandomStream(seed, "beliefs/" + who).Normal());
}

}  // namespace

CostTable::CostTable(std::span<const NetworkGraph> networks, const Platform& platform)
    : kinds_(platform.kinds.size()),
      switching_(platform.kinds.size()),
      hand_overs_(platform.kinds.size()) {
  for (const AcceleratorKind& kind : platform.kinds) units_of_kind_.push_back(kind.units);
  std::size_t segments = 0;
  for (const NetworkGraph& network : networks) {
    segment_offset_.push_back(segments);
    segments += network.size();
  }
  segment_offset_.push_back(segments);
  entries_.resize(segments * kinds_);
  alive_bytes_.resize(segments);
}

void CostTable::AddNetwork(const NetworkGraph& network) {
  segment_offset_.push_back(segment_offset_.back() + network.size());
  entries_.resize(segment_offset_.back() * kinds_);
  alive_bytes_.resize(segment_offset_.back());
}

void CostTable::Set(NetworkId network, SegmentId segment, KindId kind, Configuration configuration,
                    const SegmentCost& cost) {
  CHECK(cost.latency >= Duration::zero() && cost.dram_bytes >= 0);
  std::vector<Variant>& variants = entries_[Index(network, segment, kind)].variants;
  const auto at = std::ranges::lower_bound(variants, configuration, {}, &Variant::configuration);
  CHECK(at == variants.end() || at->configuration != configuration);
  variants.insert(at, {configuration, cost});
}

const SegmentCost* CostTable::Search(const Entry& entry, Configuration configuration) const {
  const Variant* best = nullptr;
  for (const Variant& variant : entry.variants) {
    const auto [units, batch, version] = variant.configuration;
    if (version != configuration.version || units > configuration.units ||
        batch < configuration.batch)
      continue;
    const bool better = best == nullptr || units > best->configuration.units ||
                        (units == best->configuration.units && batch < best->configuration.batch);
    if (better) best = &variant;
  }
  return best == nullptr ? nullptr : &best->cost;
}

const SegmentCost* CostTable::Find(NetworkId network, SegmentId segment, KindId kind,
                                   Configuration configuration) const {
  if (configuration == Configuration{.units = units_of_kind_[kind.index()]})
    return Alone(network, segment, kind);
  return Search(entries_[Index(network, segment, kind)], configuration);
}

SegmentCost CostTable::CostOfStart(NetworkId network, SegmentId segment, KindId kind,
                                   Configuration configuration, NetworkId before) const {
  const SegmentCost* const found = Find(network, segment, kind, configuration);
  CHECK(found != nullptr);
  SegmentCost cost = *found;
  if (before == network) return cost;
  const SegmentCost& switching = Switching(kind);
  cost.latency += switching.latency;
  if (cost.pressed_latency > Duration::zero()) cost.pressed_latency += switching.latency;
  cost.dram_bytes += switching.dram_bytes;
  cost.energy_pj += switching.energy_pj;
  return cost;
}

int CostTable::Versions(NetworkId network, SegmentId segment, KindId kind) const {
  int last = 0;
  for (const Variant& variant : entries_[Index(network, segment, kind)].variants)
    last = std::max(last, variant.configuration.version);
  return last + 1;
}

int CostTable::LargestBatch(NetworkId network, SegmentId segment, KindId kind) const {
  int largest = 0;
  for (const Variant& variant : entries_[Index(network, segment, kind)].variants)
    largest = std::max(largest, variant.configuration.batch);
  return largest;
}

void CostTable::Seal(std::span<const NetworkGraph> networks) {
  latencies_alone_.assign(entries_.size(), kCannotRun);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const SegmentCost* cost = Search(entries_[i], {units_of_kind_[i % kinds_], 1});
    entries_[i].possible = cost != nullptr;
    if (cost == nullptr) continue;
    entries_[i].alone = *cost;
    latencies_alone_[i] = cost->latency;
  }
  FindFastest(networks, std::vector<bool>(kinds_, true));
  FindAffinities();
}

CostTable CostTable::Among(std::span<const NetworkGraph> networks,
                           const std::vector<bool>& kinds) const {
  CostTable among = *this;
  among.FindFastest(networks, kinds);
  return among;
}

KindId CostTable::FastestOf(std::size_t segment, const std::vector<bool>& kinds) const {
  const auto latency = [&](std::size_t kind) { return latencies_alone_[segment * kinds_ + kind]; };
  KindId fastest;
  for (std::size_t k = 0; k < kinds_; ++k) {
    if (!kinds[k] || latency(k) == kCannotRun) continue;
    if (!fastest.valid() || latency(k) < latency(fastest.index())) fastest = KindId{k};
  }
  return fastest;
}

void CostTable::FindFastest(std::span<const NetworkGraph> networks,
                            const std::vector<bool>& kinds) {
  fastest_.assign(segment_offset_.back(), Duration::zero());
  fastest_kind_.assign(segment_offset_.back(), {});
  tails_.assign(segment_offset_.back(), Duration::zero());
  fastest_total_.assign(networks.size(), Duration::zero());
  for (std::size_t n = 0; n < networks.size(); ++n) FindFastestIn(NetworkId{n}, networks[n], kinds);
}

void CostTable::FindFastestIn(NetworkId id, const NetworkGraph& network,
                              const std::vector<bool>& kinds) {
  const std::vector<bool> all(kinds_, true);
  const std::size_t n = id.index();
  fastest_total_[n] = {};
  for (std::size_t at = segment_offset_[n]; at < segment_offset_[n + 1]; ++at) {
    KindId kind = FastestOf(at, kinds);
    if (!kind.valid()) kind = FastestOf(at, all);
    if (!kind.valid()) continue;  // no accelerator runs it; worlds refuse this
    fastest_kind_[at] = kind;
    fastest_[at] = latencies_alone_[at * kinds_ + kind.index()];
    fastest_total_[n] += fastest_[at];
  }
  const auto order = network.TopologicalOrder();
  for (std::size_t i = order.size(); i-- > 0;) {
    Duration longest{};
    for (SegmentId next : network.Successors(order[i]))
      longest = std::max(longest, ShortestTail(id, next));
    const std::size_t at = segment_offset_[n] + order[i].index();
    tails_[at] = fastest_[at] + longest;
  }
}

const CostTable::Variant* CostTable::FindVariant(const CostRow& row) const {
  const std::size_t n = row.network.index();
  if (n + 1 >= segment_offset_.size() || row.kind.index() >= kinds_ ||
      row.segment.index() >= segment_offset_[n + 1] - segment_offset_[n])
    return nullptr;
  const auto& variants = entries_[Index(row.network, row.segment, row.kind)].variants;
  const auto found = std::ranges::find(variants, row.configuration, &Variant::configuration);
  return found == variants.end() ? nullptr : &*found;
}

bool CostTable::CanBecome(const CostRow& row) const {
  const Variant* const variant = FindVariant(row);
  const Duration latency = row.cost.latency;
  if (variant == nullptr || latency <= Duration::zero() || latency > kLongestBelief) return false;
  const Entry& entry = entries_[Index(row.network, row.segment, row.kind)];
  if (Search(entry, {units_of_kind_[row.kind.index()], 1}) != &variant->cost) return true;
  const auto ranked = KindsOf(Affinity(row.network, row.segment));
  const auto own = std::ranges::find(ranked, row.kind, &RankedKind::kind);
  return std::ranges::all_of(ranked, [&](const RankedKind& other) {
    const Duration there = LatenciesAlone(row.network, row.segment)[other.kind.index()];
    return other.rank == own->rank ||
           (own->rank < other.rank ? latency <= there : latency >= there);
  });
}

void CostTable::SetLatency(const CostRow& row, const NetworkGraph& network) {
  const std::size_t at = Index(row.network, row.segment, row.kind);
  Entry& entry = entries_[at];
  const auto found = std::ranges::find(entry.variants, row.configuration, &Variant::configuration);
  CHECK(found != entry.variants.end());
  found->cost.latency = row.cost.latency;
  if (!entry.possible) return;
  entry.alone = *Search(entry, {units_of_kind_[row.kind.index()], 1});
  latencies_alone_[at] = entry.alone.latency;
  FindFastestIn(row.network, network, std::vector<bool>(kinds_, true));
}

void CostTable::FindAffinities() {
  ranked_.clear();
  affinities_.clear();
  std::map<std::vector<RankedKind>, std::uint32_t> known;
  for (std::size_t segment = 0; segment < segment_offset_.back(); ++segment) {
    const auto latency = [&](const RankedKind& ranked) {
      return entries_[segment * kinds_ + ranked.kind.index()].alone.latency;
    };
    std::vector<RankedKind> kinds;
    for (std::size_t k = 0; k < kinds_; ++k) {
      if (entries_[segment * kinds_ + k].possible) kinds.push_back({.kind = KindId{k}});
    }
    std::ranges::stable_sort(kinds, {}, latency);
    for (std::size_t i = 1; i < kinds.size(); ++i)
      kinds[i].rank = kinds[i - 1].rank + (latency(kinds[i - 1]) < latency(kinds[i]) ? 1 : 0);
    const auto [at, added] = known.try_emplace(kinds, static_cast<std::uint32_t>(ranked_.size()));
    if (added) ranked_.push_back(std::move(kinds));
    affinities_.push_back(at->second);
  }
}

CostTable CostTable::Perturbed(std::span<const NetworkGraph> networks, const Platform& platform,
                               const BeliefError& error, std::uint64_t seed) const {
  CostTable believed = *this;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const std::string network = "network=" + networks[n].name();
    for (std::size_t k = 0; k < kinds_; ++k) {
      const std::string kind = "kind=" + platform.kinds[k].name;
      const double shared = (1 + error.bias) * SharedFactor(error.network_noise, seed, network) *
                            SharedFactor(error.kind_noise, seed, kind);
      RandomStream random(seed, fmt::format("beliefs/{}/{}", network, kind));
      for (std::size_t s = 0; s < networks[n].size(); ++s) {
        for (Variant& variant :
             believed.entries_[Index(NetworkId{n}, SegmentId{s}, KindId{k})].variants)
          variant.cost = Scaled(variant.cost, shared * std::exp(error.noise * random.Normal()));
      }
    }
  }
  believed.Seal(networks);
  return believed;
}

CostTable CostTable::WithLatencies(std::span<const NetworkGraph> networks,
                                   const LatencyOf& latency_of) const {
  CostTable changed = *this;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    for (std::size_t s = 0; s < networks[n].size(); ++s) {
      for (std::size_t k = 0; k < kinds_; ++k) {
        for (Variant& variant :
             changed.entries_[Index(NetworkId{n}, SegmentId{s}, KindId{k})].variants) {
          const auto latency = latency_of(
              {NetworkId{n}, SegmentId{s}, KindId{k}, variant.configuration, variant.cost});
          if (latency.has_value()) variant.cost.latency = *latency;
        }
      }
    }
  }
  changed.Seal(networks);
  return changed;
}

}  // namespace fairlead
