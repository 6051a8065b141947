#include "fairlead/interference/slowdown_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostPartitions = 32;
constexpr std::size_t kMostInputs = 256;
constexpr float kAbsent = -20;
constexpr std::size_t kAboutOne = 7;
constexpr std::size_t kAboutOther = 3;
constexpr std::size_t kAboutSums = 3;

float LogOf(double value) { return static_cast<float>(std::log(std::max(value, 2e-9))); }

// Layers weigh as much as they take of the time.
OccupantSizes MeanOf(std::span<const OccupantSizes> layers) {
  OccupantSizes mean{.us = 0, .least_us = 0, .convolution = 0};
  double us = 0;
  for (const OccupantSizes& layer : layers) us += layer.us;
  for (const OccupantSizes& layer : layers) {
    const auto number = static_cast<double>(layers.size());
    mean.us += layer.us / number;
    mean.least_us += layer.least_us / number;
    mean.macs += layer.macs / number;
    mean.in_bytes += layer.in_bytes / number;
    mean.weight_bytes += layer.weight_bytes / number;
    mean.out_bytes += layer.out_bytes / number;
    mean.convolution += layer.convolution * layer.us / us;
  }
  return mean;
}

// All who run slow each other by the same factor where they want more than there is.
double Shared(double bandwidth, double bytes_per_us) {
  return std::max(1.0, bytes_per_us * 1e6 / bandwidth);
}

}  // namespace

LayerSequence::LayerSequence(std::span<const OccupantSizes> all, double us, double weight_bytes)
    : mean(MeanOf(all)),
      log_us(LogOf(us)),
      log_weights(LogOf(weight_bytes)),
      weights(static_cast<float>(weight_bytes)),
      layers_share(0) {
  double sum = 0;
  for (const OccupantSizes& layer : all) sum += layer.us;
  for (const OccupantSizes& layer : all) {
    layers.emplace_back(layer);
    shares.push_back(static_cast<float>(layer.us / sum));
  }
  layers_share = static_cast<float>(sum / us);
}

LayerSequence KnownNetwork::On(std::size_t partition) const {
  double weights = 0;
  for (const OccupantSizes& layer : layers[partition]) weights += layer.weight_bytes;
  return {layers[partition], us[partition], weights};
}

Result<std::optional<SlowdownModel>> SlowdownModel::Parse(std::string_view text) {
  if (text == "none") return std::optional(None());
  constexpr std::string_view kConstant = "constant:";
  if (text.starts_with(kConstant)) {
    ASSIGN_OR_RETURN(const double factor, ParseNumber(text.substr(kConstant.size())));
    if (factor < 1 || factor > 1000) return Fail("'{}': expected a factor from 1 to 1000", text);
    return std::optional(Constant(factor));
  }
  constexpr std::string_view kShared = "shared-bandwidth:";
  if (text.starts_with(kShared)) {
    ASSIGN_OR_RETURN(const std::int64_t bandwidth, ParseBandwidth(text.substr(kShared.size())));
    return std::optional(SharedBandwidth(static_cast<double>(bandwidth)));
  }
  return std::optional<SlowdownModel>();
}

double SlowdownModel::OfLayer(std::span<const Occupant* const> occupants,
                              std::size_t partition) const {
  const auto busy =
      std::ranges::count_if(occupants, [](const auto* one) { return one != nullptr; });
  switch (kind_) {
    case Kind::kNone: return 1;
    case Kind::kConstant: return busy > 1 ? number_ : 1;
    case Kind::kSharedBandwidth: {
      double rate = 0;
      for (const Occupant* occupant : occupants)
        if (occupant != nullptr) rate += double{occupant->sums.byte_rate};
      return Shared(number_, rate);
    }
    case Kind::kLearned: break;
  }
  CHECK(occupants.size() == partitions_);
  if (busy == 1 || of_layers_.regressor == nullptr) return 1;
  std::array<float, kMostInputs> inputs;
  const std::span<float> used = std::span(inputs).first(LayerInputs(partitions_));
  FillLayerInputs(occupants, partition, used);
  return std::exp(of_layers_.regressor->Predict(used));
}

std::size_t NetworkInputs(std::size_t partitions) {
  return kAboutOne + partitions * kAboutOther + kAboutSums;
}

void FillNetworkInputs(std::span<const LayerSequence* const> occupants, std::size_t partition,
                       double integrated, std::span<float> inputs) {
  const LayerSequence& own = *occupants[partition];
  float* next = inputs.data();
  float busy = 0;
  float rates = 0;
  float weights = 0;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) continue;
    ++busy;
    rates += occupants[p]->mean.sums.byte_rate;
    weights += occupants[p]->weights;
  }
  for (const float value : {static_cast<float>(partition), LogOf(integrated), own.log_us,
                            own.log_weights, own.mean.as_neighbour[0], own.layers_share, busy})
    *next++ = value;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) {
      next = std::fill_n(next, kAboutOther, kAbsent);
      continue;
    }
    *next++ = occupants[p]->mean.as_neighbour[0];
    *next++ = occupants[p]->log_weights;
    *next++ = occupants[p]->log_us;
  }
  *next++ = LogOf(rates);
  *next++ = LogOf(weights);
  *next++ = LogOf(weights + own.weights);
}

double SlowdownModel::OfSequence(std::span<const LayerSequence* const> occupants,
                                 std::size_t partition, Correction correction) const {
  CHECK(occupants.size() <= kMostPartitions && occupants[partition] != nullptr);
  std::array<const Occupant*, kMostPartitions> others{};
  const std::span<const Occupant*> used = std::span(others).first(occupants.size());
  bool alone = true;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (occupants[p] == nullptr) continue;
    used[p] = &occupants[p]->mean;
    alone = alone && p == partition;
  }
  if (kind_ != Kind::kLearned) return OfLayer(used, partition);
  if (alone) return 1;
  const LayerSequence& own = *occupants[partition];
  double integrated = 0;
  if (of_layers_.regressor == nullptr) {
    integrated = 1;
  } else {
    for (std::size_t i = 0; i < own.layers.size(); ++i) {
      used[partition] = &own.layers[i];
      integrated += double{own.shares[i]} * OfLayer(used, partition);
    }
  }
  if (correction == Correction::kNone || of_networks_.regressor == nullptr) return integrated;
  std::array<float, kMostInputs> inputs;
  const std::span<float> about = std::span(inputs).first(NetworkInputs(partitions_));
  FillNetworkInputs(occupants, partition, integrated, about);
  return std::exp(of_networks_.regressor->Predict(about));
}

}  // namespace fairlead
