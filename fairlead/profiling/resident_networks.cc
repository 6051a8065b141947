#include "fairlead/profiling/resident_networks.h"

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

// Numbers like those of a normalised image; the same in every run.
void FillInputs(const LoadedNetwork& network, NetworkRun& run) {
  RandomStream random(1, network.graph().name);
  for (std::size_t i = 0; i < network.graph().inputs.size(); ++i) {
    for (float& number : run.Input(i)) number = static_cast<float>(2 * random.Uniform() - 1);
  }
}

}  // namespace

Result<std::unique_ptr<ResidentNetworks>> ResidentNetworks::Load(
    std::span<const OperatorGraph* const> graphs, std::span<const std::int64_t> batches,
    std::span<PartitionThread* const> partitions) {
  std::unique_ptr<ResidentNetworks> networks(new ResidentNetworks);
  networks->batches_ = batches.size();
  networks->partitions_.assign(partitions.begin(), partitions.end());
  networks->residents_.resize(partitions.size());
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    Status status;
    partitions[p]->Do([&] { status = networks->LoadOn(p, graphs, batches); });
    if (!status.has_value()) return tl::unexpected(status.error());
  }
  return networks;
}

Status ResidentNetworks::LoadOn(std::size_t partition, std::span<const OperatorGraph* const> graphs,
                                std::span<const std::int64_t> batches) {
  Processor& processor = partitions_[partition]->processor();
  std::size_t alike = 0;
  while (alike < partition && !processor.SharesRunsWith(partitions_[alike]->processor())) ++alike;
  for (const OperatorGraph* graph : graphs) {
    for (std::int64_t batch : batches) {
      Resident resident;
      if (alike < partition) {
        resident.network = residents_[alike][residents_[partition].size()].network;
      } else {
        auto loaded = processor.Load(*graph, static_cast<std::size_t>(batch));
        if (!loaded.has_value())
          return Fail("{} on {}: {}", graph->name, processor.name(), loaded.error().message);
        resident.network = std::move(*loaded);
      }
      resident.run = resident.network->NewRun();
      FillInputs(*resident.network, *resident.run);
      residents_[partition].push_back(std::move(resident));
    }
  }
  return {};
}

ResidentNetworks::~ResidentNetworks() {
  for (std::size_t p = 0; p < residents_.size(); ++p)
    partitions_[p]->Do([this, p] { residents_[p].clear(); });
}

Lane ResidentNetworks::Whole(std::size_t network, std::size_t batch, std::size_t partition) const {
  return {.partition = partitions_[partition],
          .run = &Run(network, batch, partition),
          .last = Network(network, batch, partition).LayerCount()};
}

Lane ResidentNetworks::Layer(std::size_t network, std::size_t batch, std::size_t partition,
                             std::size_t layer) const {
  Lane lane = Whole(network, batch, partition);
  lane.first = layer;
  lane.last = layer + 1;
  return lane;
}

}  // namespace fairlead
