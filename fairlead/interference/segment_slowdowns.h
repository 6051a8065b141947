// Slowdowns of the segments of a world, by its ids: what a simulated world obeys, or what policies
// believe. Two objects, whatever models they are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/interference/slowdown_model.h"

namespace fairlead {

// A segment, and where it runs.
struct PlacedOccupant {
  AcceleratorId accelerator;
  NetworkId network;
  SegmentId segment;
};

// Whatever a model says.
inline constexpr double kMostSlowdown = 1000;

class SegmentSlowdowns {
 public:
  // `partition_of` has the model's partition of each accelerator, `first_of` the number of each
  // network's first segment, `sequences` what each segment by number is on each partition.
  SegmentSlowdowns(std::shared_ptr<const SlowdownModel> model,
                   std::vector<std::size_t> partition_of, std::vector<std::size_t> first_of,
                   std::vector<LayerSequence> sequences);

  // Time beside the others over time alone, from 1 to kMostSlowdown. At most one on each
  // accelerator; the result does not depend on their order.
  double Of(const PlacedOccupant& one, std::span<const PlacedOccupant> others) const;
  std::size_t accelerators() const { return partition_of_.size(); }

 private:
  const LayerSequence& SequenceOf(const PlacedOccupant& one) const;

  std::shared_ptr<const SlowdownModel> model_;
  std::vector<std::size_t> partition_of_;
  std::size_t partitions_;
  std::vector<std::size_t> first_of_;
  std::vector<LayerSequence> sequences_;  // by segment number and partition
};

// A world that obeys them. Caps on bandwidth hold beside that.
std::unique_ptr<InterferenceModel> MakeSlowdownInterference(
    std::shared_ptr<const SegmentSlowdowns> slowdowns);

}  // namespace fairlead
