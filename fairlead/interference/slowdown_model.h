// How much slower layers and networks run beside others than alone: learned from measurements, or
// assumed.
//
// Layers are predicted from the sizes of what runs on each partition. A network (or a part of one)
// integrates over its layers, each beside the mean layer of its neighbours; where mixes of networks
// were measured, a second regressor corrects that, since a layer that repeats keeps its weights in
// the cache, and networks push each other out of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/regression/regressor.h"

namespace fairlead {

// What runs on a partition, as slowdown models see it: a layer, or the mean over the layers of a
// segment; and the numbers that models of layers are given about what runs side by side.
struct OccupantSizes {
  double us = 1;        // alone, here
  double least_us = 1;  // alone, on the partition where it is fastest
  double macs = 0;
  double in_bytes = 0;
  double weight_bytes = 0;
  double out_bytes = 0;
  double convolution = 1;  // 0 for linear layers
};

// Logarithms are taken once, not for every set that it runs in.
class Occupant {
 public:
  explicit Occupant(const OccupantSizes& sizes);

  static constexpr std::size_t kAsMeasured = 11;
  static constexpr std::size_t kAsNeighbour = 7;
  std::array<float, kAsMeasured> as_measured;
  std::array<float, kAsNeighbour> as_neighbour;
  // Each sums up over those beside: bytes and their rates (per µs), operations per µs.
  struct Sums {
    float bytes = 0;
    float weights = 0;
    float in = 0;
    float out = 0;
    float byte_rate = 0;
    float weight_rate = 0;
    float in_rate = 0;
    float out_rate = 0;
    float mac_rate = 0;
  } sums;
};

// How many numbers there are about a set on so many partitions.
std::size_t LayerInputs(std::size_t partitions);
// The numbers for the occupant of `partition` beside those of others; null: idle.
void FillLayerInputs(std::span<const Occupant* const> occupants, std::size_t partition,
                     std::span<float> inputs);

// Layers one after the other on one partition.
class LayerSequence {
 public:
  // `us` is what the whole takes, with what lies between its layers; `weight_bytes` are those of
  // the network that it is a part of.
  LayerSequence(std::span<const OccupantSizes> layers, double us, double weight_bytes);

  std::vector<Occupant> layers;
  std::vector<float> shares;  // of the layers' time
  Occupant mean;              // as its neighbours see it
  float log_us;
  float log_weights;
  float weights;
  float layers_share;  // of the whole time
};

// A network as it was measured, for worlds that know only how long it takes.
struct KnownNetwork {
  std::string name;
  std::vector<double> us;                          // alone, by partition
  std::vector<std::vector<OccupantSizes>> layers;  // by partition; as many on each
  LayerSequence On(std::size_t partition) const;
};

// What is fitted: a regressor, and what it is called.
struct LearnedPart {
  std::string learner;
  std::unique_ptr<const Regressor> regressor;
};

class SlowdownModel {
 public:
  enum class Kind : std::uint8_t { kNone, kConstant, kSharedBandwidth, kLearned };

  static SlowdownModel None() { return SlowdownModel(Kind::kNone, 0, 1); }
  static SlowdownModel Constant(double factor) { return SlowdownModel(Kind::kConstant, 0, factor); }
  // Bytes per second that all share in proportion.
  static SlowdownModel SharedBandwidth(double bandwidth) {
    return SlowdownModel(Kind::kSharedBandwidth, 0, bandwidth);
  }
  static SlowdownModel Learned(std::size_t partitions) {
    return SlowdownModel(Kind::kLearned, partitions, 1);
  }
  // "none", "constant:1.2", "shared-bandwidth:4.8TB/s"; nothing for other words.
  static Result<std::optional<SlowdownModel>> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  std::size_t partitions() const { return partitions_; }  // 0: any number
  const LearnedPart& of_layers() const { return of_layers_; }
  const LearnedPart& of_networks() const { return of_networks_; }
  void SetLayers(LearnedPart part) { of_layers_ = std::move(part); }
  void SetNetworks(LearnedPart part) { of_networks_ = std::move(part); }
  // The networks of the mixes that it learned from.
  const std::vector<KnownNetwork>& known() const { return known_; }
  void SetKnown(std::vector<KnownNetwork> known) { known_ = std::move(known); }

  // Time beside the others over time alone, for the occupant of a partition; null: idle.
  double OfLayer(std::span<const Occupant* const> occupants, std::size_t partition) const;
  // The same for sequences of layers; without the correction that mixes taught, if asked to.
  enum class Correction : std::uint8_t { kNone, kLearned };
  double OfSequence(std::span<const LayerSequence* const> occupants, std::size_t partition,
                    Correction correction = Correction::kLearned) const;

  // As text that Read takes; learned models only.
  std::string Write() const;
  static Result<SlowdownModel> Read(const std::string& file, std::string_view text);

 private:
  SlowdownModel(Kind kind, std::size_t partitions, double number)
      : kind_(kind), partitions_(partitions), number_(number) {}

  Kind kind_;
  std::size_t partitions_;
  double number_;  // the factor, or the bandwidth
  LearnedPart of_layers_;
  LearnedPart of_networks_;
  std::vector<KnownNetwork> known_;
};

// The numbers that the correction is given, and how many there are.
std::size_t NetworkInputs(std::size_t partitions);
void FillNetworkInputs(std::span<const LayerSequence* const> occupants, std::size_t partition,
                       double integrated, std::span<float> inputs);

}  // namespace fairlead
