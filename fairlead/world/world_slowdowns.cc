#include "fairlead/world/world_slowdowns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/costs/beside_slowdowns.h"
#include "fairlead/interference/machine_data.h"
#include "fairlead/interference/segment_slowdowns.h"
#include "fairlead/interference/slowdown_model.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/measured_platforms.h"

namespace fairlead {
namespace {

constexpr std::string_view kMeasuredMachine = "h200-partitions";
constexpr std::string_view kAsMeasured = "measured";
constexpr std::string_view kShared = "shared-bandwidth";
// Beliefs may be this long, so that sums of them do not overflow; or as long as the truth.
constexpr double kMostNanoseconds = 1e12;
constexpr std::size_t kMostPlacesAsked = 64;  // networks times accelerators, for slowdowns of pairs
constexpr double kMostTogether = 4;           // times the sum of pairs
constexpr std::size_t kMostLookedAt = 4;  // segments of a network, for what is expected beside it

TableText EmbeddedTable(std::string_view path) {
  return {std::string(path), std::string(EmbeddedText(path))};
}

const MachineData& MeasuredMachine() {
  static const MachineData machine = [] {
    auto read = ReadMachineData(EmbeddedTable("data/h200/layers.csv"),
                                EmbeddedTable("data/h200/models.csv"),
                                EmbeddedTable("data/h200/networks.csv"));
    CHECK_MSG(read.has_value(), read.error().message);
    return std::move(*read);
  }();
  return machine;
}

Result<SlowdownModel> FindSlowdownModel(const World& world, const std::string& text,
                                        const FileReader& read) {
  const bool measured = world.scenario.platform.ready == kMeasuredMachine;
  if (text == kAsMeasured) {
    if (!measured)
      return Fail("'measured' is for platform: {}, and as a truth for platforms {} and {}",
                  kMeasuredMachine, kMeasuredCores, kXeonCores);
    const TableText file = EmbeddedTable("data/h200/truth.slowdown");
    return SlowdownModel::Read(file.file, file.text);
  }
  ASSIGN_OR_RETURN(auto assumed, SlowdownModel::Parse(text));
  if (assumed.has_value()) return std::move(*assumed);
  const std::string path = Beside(world.scenario.file, text);
  ASSIGN_OR_RETURN(const std::string content, read(path));
  ASSIGN_OR_RETURN(SlowdownModel model, SlowdownModel::Read(path, content));
  if (model.partitions() != world.platform.accelerators.size())
    return Fail("{}: a model of {} partitions; the platform has {}", path, model.partitions(),
                world.platform.accelerators.size());
  return model;
}

// The partition that an accelerator is: its place by the name of its kind and its number, which no
// arrangement changes.
std::size_t PartitionOf(const World& world, std::size_t accelerator) {
  const auto& accelerators = world.platform.accelerators;
  const auto kind_name = [&](std::size_t a) -> const std::string& {
    return world.platform.kinds[accelerators[a].kind.index()].name;
  };
  const std::string& own = kind_name(accelerator);
  std::size_t before = 0;
  for (std::size_t a = 0; a < accelerators.size(); ++a) {
    const int order = kind_name(a).compare(own);
    if (order < 0 || (order == 0 && a < accelerator)) ++before;
  }
  return before;
}

// The layers of a segment on a partition of the measured machine; all of them where it has none
// but the operators between them.
std::vector<OccupantSizes> LayersOf(const MeasuredNetwork& network, std::size_t begin,
                                    std::size_t end, std::size_t partition) {
  const MachineData& machine = MeasuredMachine();
  end = std::min(end, network.layers.size());
  if (begin >= end) return LayersOf(network, 0, network.layers.size(), partition);
  std::vector<OccupantSizes> sizes;
  for (std::size_t i = begin; i < end; ++i) {
    const MeasuredLayer& layer = machine.layers[network.layers[i]];
    sizes.push_back({.us = layer.us[partition],
                     .least_us = std::ranges::min(layer.us),
                     .macs = layer.macs,
                     .in_bytes = layer.in_bytes,
                     .weight_bytes = layer.weight_bytes,
                     .out_bytes = layer.out_bytes,
                     .convolution = layer.convolution ? 1.0 : 0.0});
  }
  return sizes;
}

// Whatever the model was told of the network; a part of it is slowed as the whole.
std::optional<LayerSequence> KnownSequence(const World& world, const SlowdownModel& model,
                                           NetworkId network, std::size_t accelerator) {
  const auto found =
      std::ranges::find(model.known(), world.networks[network.index()].name(), &KnownNetwork::name);
  if (found == model.known().end()) return std::nullopt;
  return found->On(PartitionOf(world, accelerator));
}

// Segments of a network from one to before another, as one on an accelerator; those that cannot run
// there count for nothing.
LayerSequence SequenceOf(const World& world, const SlowdownModel& model, NetworkId network,
                         std::size_t first, std::size_t end, std::size_t accelerator) {
  const KindId kind = world.platform.accelerators[accelerator].kind;
  double us = 0;
  double bytes = 0;
  for (std::size_t s = first; s < end; ++s) {
    const SegmentCost* cost = world.truth->Alone(network, SegmentId{s}, kind);
    if (cost == nullptr) continue;
    us += static_cast<double>(Nanoseconds(cost->latency)) / 1e3;
    bytes += static_cast<double>(cost->dram_bytes);
  }
  if (us == 0) us = 1;
  if (world.scenario.platform.ready == kMeasuredMachine) {
    const auto& networks = MeasuredMachine().networks;
    const auto found =
        std::ranges::find(networks, world.networks[network.index()].name(), &MeasuredNetwork::name);
    CHECK(found != networks.end());
    const auto& bounds = world.bounds[network.index()];
    double weights = 0;
    for (const std::size_t layer : found->layers)
      weights += MeasuredMachine().layers[layer].weight_bytes;
    return {LayersOf(*found, bounds[first], bounds[end], PartitionOf(world, accelerator)), us,
            weights};
  }
  if (auto known = KnownSequence(world, model, network, accelerator)) return std::move(*known);
  const std::vector<OccupantSizes> one = {{.us = us, .least_us = us, .in_bytes = bytes}};
  return {one, us, 0};
}

// Which partition each accelerator is, and back.
struct PartitionsOfWorld {
  explicit PartitionsOfWorld(const World& world)
      : accelerator_of(world.platform.accelerators.size()) {
    for (std::size_t a = 0; a < accelerator_of.size(); ++a) {
      partition_of.push_back(PartitionOf(world, a));
      accelerator_of[partition_of.back()] = a;
    }
  }
  std::vector<std::size_t> partition_of;
  std::vector<std::size_t> accelerator_of;
};

// Every segment by itself, or every network as one.
enum class Parts : std::uint8_t { kSegments, kWholes };

std::shared_ptr<const SegmentSlowdowns> SlowdownsOf(const World& world, Parts parts,
                                                    std::shared_ptr<const SlowdownModel> model,
                                                    std::shared_ptr<SlowdownMemory> memory) {
  PartitionsOfWorld partitions(world);
  std::vector<std::size_t> first_of;
  std::vector<LayerSequence> sequences;
  RememberedNetworks remembered{.memory = std::move(memory), .numbers = {}};
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    const std::uint64_t number = StableHash(world.networks[n].name());
    remembered.numbers.push_back(parts == Parts::kWholes ? ~number : number);
    first_of.push_back(sequences.size() / partitions.partition_of.size());
    const std::size_t size = world.networks[n].size();
    const std::size_t length = parts == Parts::kWholes ? size : 1;
    for (std::size_t s = 0; s < size; s += length) {
      for (const std::size_t accelerator : partitions.accelerator_of)
        sequences.push_back(SequenceOf(world, *model, NetworkId{n}, s, s + length, accelerator));
    }
  }
  return std::make_shared<SegmentSlowdowns>(std::move(model), std::move(partitions.partition_of),
                                            std::move(first_of), std::move(sequences),
                                            std::move(remembered));
}

Status CheckPlatform(const World& world, const Place& place) {
  constexpr std::size_t kMost = 32;
  if (world.platform.accelerators.size() > kMost)
    return FailAt(place, "interference: {} accelerators; models of slowdowns take up to {}",
                  world.platform.accelerators.size(), kMost);
  for (const AcceleratorKind& kind : world.platform.kinds) {
    if (kind.units > 1)
      return FailAt(place,
                    "interference: '{}' has {} units; models of slowdowns know one segment on each "
                    "accelerator",
                    kind.name, kind.units);
  }
  return {};
}

// A curve of pressure, which takes any number of segments on an accelerator. Nobody believes it.
bool IsPressure(const World& world, const SlowdownName& name) {
  return AreMeasuredCores(world.scenario.platform.ready) && name.text == kAsMeasured &&
         &name == &world.scenario.interference.truth;
}

Status Resolve(World& world, const SlowdownName& name, const FileReader& read,
               std::shared_ptr<const SlowdownModel>& found) {
  if (name.text.empty() || name.text == kShared || IsPressure(world, name)) return {};
  RETURN_IF_ERROR(CheckPlatform(world, name.place));
  auto model = FindSlowdownModel(world, name.text, read);
  if (!model.has_value()) return FailAt(name.place, "interference: {}", model.error().message);
  found = std::make_shared<SlowdownModel>(std::move(*model));
  return {};
}

// Of one segment on one accelerator. Sums do not depend on the order of networks.
double MeanSlowdown(const World& world, const SegmentSlowdowns& slowdowns,
                    const PlacedOccupant& one, const std::set<NetworkId>& beside) {
  std::vector<double> all;
  std::vector<PlacedOccupant> others;
  for (const NetworkId network : beside) {
    const std::size_t segments = world.networks[network.index()].size();
    const std::size_t looked_at = std::min(segments, kMostLookedAt);
    for (std::size_t i = 0; i < looked_at; ++i) {
      const std::size_t s = i * segments / looked_at;
      others.clear();
      for (std::size_t a = 0; a < slowdowns.accelerators(); ++a) {
        if (AcceleratorId{a} != one.accelerator)
          others.push_back({AcceleratorId{a}, network, SegmentId{s}});
      }
      all.push_back(slowdowns.Of(one, others) / static_cast<double>(looked_at));
    }
  }
  std::ranges::sort(all);
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(beside.size());
}

// How networks are believed to slow each other; `means` (by network and kind) are in the latencies.
// Several do less than the product of what each does alone: by how much is asked of the model where
// one network is everywhere. Sums are of whole numbers, and accelerators are taken by partition, so
// that the arrangement changes nothing. Null where that were too large a table.
std::shared_ptr<const BesideSlowdowns> BesideTable(
    const World& world, std::shared_ptr<const SegmentSlowdowns> slowdowns,
    const std::set<NetworkId>& named, const std::map<std::pair<NetworkId, KindId>, double>& means) {
  const std::size_t accelerators = slowdowns->accelerators();
  if (world.networks.size() * accelerators > BesideSlowdowns::kMostPlaces ||
      named.size() * accelerators > kMostPlacesAsked)
    return nullptr;
  const auto is_one = [](const NetworkGraph& network) { return network.size() == 1; };
  if (!std::ranges::all_of(world.networks, is_one)) {
    slowdowns = SlowdownsOf(world, Parts::kWholes, world.believed_slowdowns, world.believed_memory);
  }
  std::vector<AcceleratorId> by_partition(accelerators);
  for (std::size_t a = 0; a < accelerators; ++a)
    by_partition[slowdowns->PartitionOf(AcceleratorId{a})] = AcceleratorId{a};
  const auto whole = [](NetworkId network, AcceleratorId a) {
    return PlacedOccupant{a, network, SegmentId{std::size_t{0}}};
  };
  auto table = std::make_shared<BesideSlowdowns>(world.networks.size(), accelerators);
  for (const NetworkId network : named) {
    for (const AcceleratorId a : by_partition) {
      const BesideSlowdowns::Placed one{network, a};
      const KindId kind = world.platform.accelerators[a.index()].kind;
      if (const auto mean = means.find({network, kind}); mean != means.end())
        table->SetMean(one, BesideSlowdowns::LogOf(mean->second));
      std::vector<std::int64_t> sums(accelerators, 0);   // by the number of others: of pairs
      std::vector<std::int64_t> found(accelerators, 0);  // of the model
      for (const NetworkId other : named) {
        std::vector<PlacedOccupant> others;
        std::int64_t sum = 0;
        for (const AcceleratorId b : by_partition) {
          if (b == a) continue;
          const PlacedOccupant beside = whole(other, b);
          const auto pair =
              BesideSlowdowns::LogOf(slowdowns->Of(whole(network, a), std::span(&beside, 1)));
          table->SetPair(one, {other, b}, pair);
          others.push_back(beside);
          sums[others.size()] += sum += pair;
          found[others.size()] += BesideSlowdowns::LogOf(slowdowns->Of(whole(network, a), others));
        }
      }
      for (std::size_t count = 1; count < accelerators; ++count) {
        if (sums[count] <= 0) continue;
        const double factor = std::min(
            static_cast<double>(found[count]) / static_cast<double>(sums[count]), kMostTogether);
        table->SetFactor(one, count,
                         static_cast<BesideSlowdowns::Log>(
                             std::lround(factor * (1 << BesideSlowdowns::kLogBits))));
      }
    }
  }
  return table;
}

}  // namespace

Status ResolveSlowdowns(World& world, const FileReader& read) {
  const InterferenceConfig& config = world.scenario.interference;
  RETURN_IF_ERROR(Resolve(world, config.truth, read, world.true_slowdowns));
  return Resolve(world, config.belief, read, world.believed_slowdowns);
}

void SetTrueSlowdowns(World& world, std::shared_ptr<const SlowdownModel> truth) {
  world.true_slowdowns = std::move(truth);
  world.true_memory = std::make_shared<SlowdownMemory>();
}

void SetBelievedSlowdowns(World& world, std::shared_ptr<const SlowdownModel> belief) {
  world.believed_slowdowns = std::move(belief);
  world.believed_memory = std::make_shared<SlowdownMemory>();
}

std::shared_ptr<const SegmentSlowdowns> SlowdownsIn(const World& world,
                                                    std::shared_ptr<const SlowdownModel> model) {
  return SlowdownsOf(world, Parts::kSegments, std::move(model), nullptr);
}

std::unique_ptr<InterferenceModel> TrueInterference(const World& world) {
  if (IsPressure(world, world.scenario.interference.truth))
    return MakePressureInterference(MeasuredCoresCurve(world.scenario.platform.ready));
  if (world.true_slowdowns != nullptr)
    return MakeSlowdownInterference(
        SlowdownsOf(world, Parts::kSegments, world.true_slowdowns, world.true_memory));
  return MakeBandwidthSharing(world.scenario.platform.sharing, world.platform.bandwidth);
}

CostTable BesideOthers(const World& world, CostTable beliefs) {
  if (world.believed_slowdowns == nullptr) return beliefs;
  const auto slowdowns =
      SlowdownsOf(world, Parts::kSegments, world.believed_slowdowns, world.believed_memory);
  std::set<NetworkId> beside;
  for (const PlannedAgreement& planned : world.agreements) beside.insert(planned.agreement.network);
  if (beside.empty()) return beliefs;
  CostTable table(world.networks, world.platform);
  table.SetHandOvers(beliefs.hand_overs());
  for (std::size_t k = 0; k < beliefs.kinds(); ++k)
    table.SetSwitching(KindId{k}, beliefs.Switching(KindId{k}));
  for (std::size_t n = 0; n < world.networks.size(); ++n) {
    for (std::size_t s = 0; s < world.networks[n].size(); ++s)
      table.SetAliveBytes(NetworkId{n}, SegmentId{s},
                          beliefs.AliveBytes(NetworkId{n}, SegmentId{s}));
  }
  std::map<std::pair<NetworkId, KindId>, double> means;  // of first segments
  beliefs.ForEach([&](const CostRow& row) {
    const auto first = std::ranges::find(world.platform.accelerators, row.kind, &Accelerator::kind);
    SegmentCost cost = row.cost;
    if (first != world.platform.accelerators.end() && beside.contains(row.network)) {
      const AcceleratorId accelerator{
          static_cast<std::size_t>(first - world.platform.accelerators.begin())};
      const double slowdown =
          MeanSlowdown(world, *slowdowns, {accelerator, row.network, row.segment}, beside);
      means.emplace(std::pair(row.network, row.kind), slowdown);
      const auto alone = static_cast<double>(Nanoseconds(cost.latency));
      const double most = std::max(alone, kMostNanoseconds);
      cost.latency = Duration{static_cast<std::int64_t>(std::min(alone * slowdown, most))};
    }
    table.Set(row.network, row.segment, row.kind, row.configuration, cost);
  });
  table.SetSlowdowns(BesideTable(world, slowdowns, beside, means));
  table.Seal(world.networks);
  return table;
}

}  // namespace fairlead
