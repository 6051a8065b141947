// Fixed partitions: each tenant has its part of the platform and nothing else, served by earliest
// deadline.
//
// Assumes     weights say what tenants are worth; all agreements bring as many requests.
// Steps       1. The platform is cut among the tenants that are there, by the rules of
//                partitions (below), once; and anew when a tenant joins.
//             2. A partition walks its tenants' ready segments by deadline, and gives each the
//                slice where it is believed to finish first; if that one is busy, the segment
//                waits. A slice, the part of an accelerator that a partition has, runs one segment
//                at a time on all its units.
//             3. A segment that no slice of its partition can run is a guest anywhere: it starts
//                where units are free after all partitions were served, and finishes first.
// Guarantees  without guests no tenant of another partition ever delays one's own, but for the
//             shared memory. Idle parts are not lent, so much is wasted under uneven load.
// Source      textbook; Multi-Instance GPUs are cut so.
// Cost        O(running + partitions) per decision, O(log n) per ready segment, O(slices of its
//             partition) for each one walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/platform.h"
#include "fairlead/policies/early_drop.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

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

struct StaticPartitionOptions {
  CutBy cut = CutBy::kMixed;
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeStaticPartition(std::string name,
                                                      const StaticPartitionOptions& options);

// The same with feedback that moves units between partitions (PARTIES).
//
// Assumes     requests of a tenant keep coming, so that the past says something of the future.
// Steps       The platform is cut as above. At the first decision after each interval the slack of
//             a partition is what the slowest of its requests that ended since (of a hundred the
//             second) left of its time. The one with least slack, if that is tight, gets one unit
//             of the one with most that shares an accelerator with it and has a unit to spare, if
//             that is not tight itself. Where nobody is tight nothing moves; one who gave too much
//             is tight at the next interval, and gets it back.
// Guarantees  every partition keeps a unit on each accelerator where it had one. No promise.
// Source      PARTIES (Chen, Delimitrou, Martinez, ASPLOS'19), its description; cores alone.
// Cost        as above, and O(partitions^2) at each interval.
struct PartiesOptions {
  Duration interval = std::chrono::milliseconds{500};
  double tight = 0.05;  // slack that is too small, of the time to the deadline
  CutBy cut = CutBy::kMixed;
  DropRule drop = DropRule::kNone;
};

std::unique_ptr<SchedulingPolicy> MakeParties(std::string name, const PartiesOptions& options);

}  // namespace fairlead
