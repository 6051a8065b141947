// Slowdowns of the segments of a world, by its ids: what a simulated world obeys, or what policies
// believe. Two objects, whatever models they are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// What a model has said about sets of segments, for runs of a world one after the other: asking it
// costs more than remembering. Not for several threads.
class SlowdownMemory {
 public:
  using Set = std::vector<std::uint64_t>;  // who is asked about, and who is where
  std::optional<double> Find(const Set& set) const;
  void Keep(const Set& set, double slowdown);

 private:
  struct SetHash {
    std::size_t operator()(const Set& set) const;
  };
  std::unordered_map<Set, double, SetHash> known_;
};

// Networks by number, whatever ids a run gives them.
struct RememberedNetworks {
  std::shared_ptr<SlowdownMemory> memory;  // null: nothing is remembered
  std::vector<std::uint64_t> numbers;      // of each network; alike in all runs that share it
};

class SegmentSlowdowns {
 public:
  // `partition_of` has the model's partition of each accelerator, `first_of` the number of each
  // network's first segment, `sequences` what each segment by number is on each partition.
  SegmentSlowdowns(std::shared_ptr<const SlowdownModel> model,
                   std::vector<std::size_t> partition_of, std::vector<std::size_t> first_of,
                   std::vector<LayerSequence> sequences, RememberedNetworks remembered = {});

  // Time beside the others over time alone, from 1 to kMostSlowdown. At most one on each
  // accelerator; the result does not depend on their order.
  double Of(const PlacedOccupant& one, std::span<const PlacedOccupant> others) const;
  std::size_t accelerators() const { return partition_of_.size(); }
  std::size_t partitions() const { return partitions_; }
  std::size_t PartitionOf(AcceleratorId accelerator) const {
    return partition_of_[accelerator.index()];
  }
  // A segment as models see it.
  const LayerSequence& SequenceOf(const PlacedOccupant& one) const;

 private:
  double Asked(const PlacedOccupant& one, std::span<const PlacedOccupant> others) const;

  std::shared_ptr<const SlowdownModel> model_;
  std::vector<std::size_t> partition_of_;
  std::size_t partitions_;
  std::vector<std::size_t> first_of_;
  std::vector<LayerSequence> sequences_;  // by segment number and partition
  RememberedNetworks remembered_;
};

// A world that obeys them. Caps on bandwidth hold beside that.
std::unique_ptr<InterferenceModel> MakeSlowdownInterference(
    std::shared_ptr<const SegmentSlowdowns> slowdowns);

}  // namespace fairlead
