// A platform cut into fixed partitions for its tenants, in proportion to their weights.
//
// Accelerators are laid out in rows, and the units of each row cut from its beginning: a partition
// has whole accelerators, and at its ends perhaps a part of one. Mixed, each kind is a row, so
// every partition has a part of every kind, and there are at most as many as the scarcest kind has
// units. By units, all are one row, one of each kind in turn, and there are at most as many
// partitions as units.
//
// If there are enough partitions, each tenant has its own. Else tenants are packed onto them: the
// largest load first, each to the partition with the least load so far, ties to the lower tenant
// and partition. Of each row a partition has one unit, and of the others its part by weight,
// rounded by largest remainders, ties to the lower partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/domain/platform.h"

namespace fairlead {

enum class CutBy : std::uint8_t { kMixed, kUnits };

struct PartitionTenant {
  double weight = 1;
  double load = 1;  // what it is expected to ask for, relative to others
};

struct PartitionSlice {
  AcceleratorId accelerator;
  int units = 0;
  friend bool operator==(const PartitionSlice&, const PartitionSlice&) = default;
};

struct Partitions {
  std::vector<std::vector<PartitionSlice>> slices;  // per partition
  std::vector<std::size_t> of_tenant;               // the partition of each
};

// Cuts the accelerators that are marked, by id. Without tenants there is no partition.
Partitions CutPlatform(const Platform& platform, const std::vector<bool>& there,
                       std::span<const PartitionTenant> tenants, CutBy by);

}  // namespace fairlead
