#include "fairlead/interference/slowdown_fit.h"

#include <algorithm>
#include <cmath>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

constexpr std::size_t kFewestExamples = 50;

OccupantSizes SizesOf(const MeasuredLayer& layer, std::size_t partition) {
  return {.us = layer.us[partition],
          .least_us = std::ranges::min(layer.us),
          .macs = layer.macs,
          .in_bytes = layer.in_bytes,
          .weight_bytes = layer.weight_bytes,
          .out_bytes = layer.out_bytes,
          .convolution = layer.convolution ? 1.0 : 0.0};
}

template <typename Others>
std::uint32_t BitsOf(const Others& others, std::size_t partition) {
  std::uint32_t bits = 0;
  for (std::size_t p = 0; p < others.size(); ++p) {
    if (p != partition && others[p].has_value()) bits |= 1U << p;
  }
  return bits;
}

Status Enough(const Examples& examples, std::string_view what) {
  if (examples.size() >= kFewestExamples) return {};
  return Fail("{} {}; at least {} are needed to learn from", examples.size(), what,
              kFewestExamples);
}

// The fold of each of `count` things.
std::vector<std::size_t> Deal(std::size_t count, std::size_t folds, std::uint64_t seed) {
  RandomStream random(seed, "folds");
  std::vector<std::size_t> dealt;
  for (std::size_t i = 0; i < count; ++i) dealt.push_back(i % folds);
  for (std::size_t i = count; i > 1; --i) std::swap(dealt[i - 1], dealt[random.Below(i)]);
  return dealt;
}

}  // namespace

MachineOccupants::MachineOccupants(const MachineData& machine) : partitions_(machine.partitions) {
  for (const MeasuredLayer& layer : machine.layers) {
    for (std::size_t p = 0; p < partitions_; ++p) layers_.emplace_back(SizesOf(layer, p));
  }
  for (const MeasuredNetwork& network : machine.networks) {
    double weights = 0;
    for (const std::size_t layer : network.layers) weights += machine.layers[layer].weight_bytes;
    for (std::size_t p = 0; p < partitions_; ++p) {
      std::vector<OccupantSizes> sizes;
      for (const std::size_t layer : network.layers)
        sizes.push_back(SizesOf(machine.layers[layer], p));
      networks_.emplace_back(sizes, network.us[p], weights);
    }
  }
}

std::vector<const Occupant*> MachineOccupants::Of(const CoRun& run) const {
  std::vector<const Occupant*> occupants(partitions_, nullptr);
  for (std::size_t p = 0; p < partitions_; ++p) {
    if (run.beside[p].has_value()) occupants[p] = &Layer(*run.beside[p], p);
  }
  occupants[run.partition] = &Layer(run.layer, run.partition);
  return occupants;
}

std::vector<const LayerSequence*> MachineOccupants::Of(const NetworkMixture& mixture) const {
  std::vector<const LayerSequence*> occupants(partitions_, nullptr);
  for (std::size_t p = 0; p < partitions_; ++p) {
    if (mixture.networks[p].has_value()) occupants[p] = &Network(*mixture.networks[p], p);
  }
  return occupants;
}

Accuracy AccuracyOf(std::span<const Judged> judged) {
  Accuracy accuracy{.count = judged.size()};
  double error = 0;
  double error_of_slowed = 0;
  double error_of_none = 0;
  for (const Judged& one : judged) {
    const double off = std::abs(one.predicted / one.measured - 1);
    error += off;
    error_of_none += std::abs(1 / one.measured - 1);
    if (one.measured <= kSlowed) continue;
    ++accuracy.slowed_count;
    error_of_slowed += off;
  }
  if (accuracy.count > 0) accuracy.overall = 1 - error / static_cast<double>(accuracy.count);
  if (accuracy.slowed_count > 0)
    accuracy.slowed = 1 - error_of_slowed / static_cast<double>(accuracy.slowed_count);
  if (error_of_none > 0) accuracy.removed = 1 - error / error_of_none;
  return accuracy;
}

Status SlowdownFitter::FitLayers(SlowdownModel& model, std::span<const CoRun> runs) const {
  Examples examples;
  examples.width = LayerInputs(occupants_.partitions());
  std::vector<float> inputs(examples.width);
  for (const CoRun& run : runs) {
    const double alone = machine_.layers[run.layer].us[run.partition];
    FillLayerInputs(occupants_.Of(run), run.partition, inputs);
    examples.Add(inputs, static_cast<float>(std::log(run.us / alone)));
  }
  RETURN_IF_ERROR(Enough(examples, "co-runs"));
  model.SetLayers({std::string(by_.layers.name), by_.layers.fit(examples, options_)});
  return {};
}

Status SlowdownFitter::FitNetworks(SlowdownModel& model,
                                   std::span<const NetworkMixture> mixtures) const {
  Examples examples;
  examples.width = NetworkInputs(occupants_.partitions());
  std::vector<float> inputs(examples.width);
  for (const NetworkMixture& mixture : mixtures) {
    const auto occupants = occupants_.Of(mixture);
    for (std::size_t p = 0; p < occupants.size(); ++p) {
      if (occupants[p] == nullptr) continue;
      const double alone = machine_.networks[*mixture.networks[p]].us[p];
      const double integrated = model.OfSequence(occupants, p, SlowdownModel::Correction::kNone);
      FillNetworkInputs(occupants, p, integrated, inputs);
      examples.Add(inputs, static_cast<float>(std::log(mixture.us[p] / alone)));
    }
  }
  RETURN_IF_ERROR(Enough(examples, "networks in mixes"));
  model.SetNetworks({std::string(by_.networks.name), by_.networks.fit(examples, options_)});
  std::vector<KnownNetwork> known;
  for (const MeasuredNetwork& network : machine_.networks) {
    if (network.layers.empty()) continue;
    known.push_back({network.name, network.us, {}});
    for (std::size_t p = 0; p < machine_.partitions; ++p) {
      std::vector<OccupantSizes>& sizes = known.back().layers.emplace_back();
      for (const std::size_t layer : network.layers)
        sizes.push_back(SizesOf(machine_.layers[layer], p));
    }
  }
  model.SetKnown(std::move(known));
  return {};
}

std::vector<Judged> SlowdownFitter::Judge(const SlowdownModel& model,
                                          std::span<const CoRun> runs) const {
  std::vector<Judged> judged;
  for (const CoRun& run : runs) {
    const double alone = machine_.layers[run.layer].us[run.partition];
    judged.push_back({run.partition, BitsOf(run.beside, run.partition), run.us / alone,
                      model.OfLayer(occupants_.Of(run), run.partition)});
  }
  return judged;
}

std::vector<Judged> SlowdownFitter::Judge(const SlowdownModel& model,
                                          std::span<const NetworkMixture> mixtures,
                                          SlowdownModel::Correction correction) const {
  std::vector<Judged> judged;
  for (const NetworkMixture& mixture : mixtures) {
    const auto occupants = occupants_.Of(mixture);
    for (std::size_t p = 0; p < occupants.size(); ++p) {
      if (occupants[p] == nullptr) continue;
      const double alone = machine_.networks[*mixture.networks[p]].us[p];
      judged.push_back({p, BitsOf(mixture.networks, p), mixture.us[p] / alone,
                        model.OfSequence(occupants, p, correction)});
    }
  }
  return judged;
}

Result<std::vector<Judged>> SlowdownFitter::CrossValidate(std::span<const CoRun> runs,
                                                          std::size_t folds) const {
  const std::vector<std::size_t> fold = Deal(machine_.layers.size(), folds, options_.seed);
  std::vector<Judged> judged;
  for (std::size_t f = 0; f < folds; ++f) {
    std::vector<CoRun> seen;
    std::vector<CoRun> held;
    for (const CoRun& run : runs) (fold[run.layer] == f ? held : seen).push_back(run);
    SlowdownModel model = SlowdownModel::Learned(machine_.partitions);
    RETURN_IF_ERROR(FitLayers(model, seen));
    std::ranges::move(Judge(model, held), std::back_inserter(judged));
  }
  return judged;
}

Result<std::vector<Judged>> SlowdownFitter::CrossValidate(const SlowdownModel& model,
                                                          std::span<const NetworkMixture> mixtures,
                                                          std::size_t folds) const {
  const std::vector<std::size_t> fold = Deal(mixtures.size(), folds, options_.seed);
  std::vector<Judged> judged;
  ASSIGN_OR_RETURN(SlowdownModel corrected, SlowdownModel::Read("", model.Write()));
  for (std::size_t f = 0; f < folds; ++f) {
    std::vector<NetworkMixture> seen;
    std::vector<NetworkMixture> held;
    for (std::size_t i = 0; i < mixtures.size(); ++i)
      (fold[i] == f ? held : seen).push_back(mixtures[i]);
    RETURN_IF_ERROR(FitNetworks(corrected, seen));
    std::ranges::move(Judge(corrected, held, SlowdownModel::Correction::kLearned),
                      std::back_inserter(judged));
  }
  return judged;
}

}  // namespace fairlead
