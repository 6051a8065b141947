// Scored segments in their order, as far as somebody asks.
//
// Arranging spreads them over groups by whether they are covered, by rank and by the leading bits
// in which their scores differ, which takes no comparisons that a processor has to guess; a group
// is sorted when it is asked for, a large one part by part. O(n), and O(k log k) for the first k;
// O(n log n) for all. Allocates only at a new height above kRoomAtFirst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

class ScoredOrder {
 public:
  static constexpr std::size_t kRoomAtFirst = 1024;

  ScoredOrder();
  // Copies the segments, which come in any order.
  void Arrange(std::span<const ScoredSegment> segments);
  // Those that come next, in order; empty when none is left.
  std::span<const ScoredSegment> Next();

 private:
  // Which group a segment belongs to. Never falls from one segment to a later one.
  struct Grouping {
    explicit Grouping(std::span<const ScoredSegment> segments);  // not empty
    std::size_t Of(const ScoredSegment& segment) const;

    std::int64_t first_rank = 0;
    std::size_t ranks = 1;  // of covered segments; those of the others follow
    std::uint64_t first_bits = 0;
    std::size_t groups_per_rank = 1;
    int shift = 0;
  };

  void Spread(std::span<const ScoredSegment> segments);

  std::vector<ScoredSegment> segments_;
  std::vector<std::uint32_t> ends_;    // of the groups, in segments_
  std::vector<std::uint32_t> groups_;  // of each segment as it came; scratch
  std::size_t next_group_ = 0;
  std::size_t next_ = 0;
  std::size_t at_once_ = 0;  // of a large group
};

}  // namespace fairlead
