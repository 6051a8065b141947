#include "fairlead/policies/scored_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace fairlead {
namespace {

constexpr std::size_t kGroups = 1024;
// So few are sorted at once; of a large group the first so many, then twice as many, and so on.
constexpr std::size_t kFew = 64;

// Numbers in the order of their bits, as unsigned integers; both zeros are the same.
std::uint64_t OrderedBits(double number) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

ScoredOrder::ScoredOrder() {
  segments_.reserve(kRoomAtFirst);
  groups_.reserve(kRoomAtFirst);
  ends_.reserve(kGroups + 1);
}

ScoredOrder::Grouping::Grouping(std::span<const ScoredSegment> segments) {
  std::int64_t last_rank = segments.front().rank;
  double lowest = segments.front().score;
  double highest = lowest;
  bool all_covered = true;
  first_rank = last_rank;
  for (const ScoredSegment& segment : segments) {
    first_rank = std::min<std::int64_t>(first_rank, segment.rank);
    last_rank = std::max<std::int64_t>(last_rank, segment.rank);
    all_covered = all_covered && segment.covered;
    lowest = std::min(lowest, segment.score);
    highest = std::max(highest, segment.score);
  }
  ranks = static_cast<std::size_t>(last_rank - first_rank + 1);
  const std::size_t in_all = all_covered ? ranks : 2 * ranks;
  if (in_all <= kGroups) groups_per_rank = std::bit_floor(kGroups / in_all);
  first_bits = OrderedBits(lowest);
  const auto width = static_cast<int>(std::bit_width(OrderedBits(highest) - first_bits));
  shift = std::max(width - std::countr_zero(groups_per_rank), 0);
}

std::size_t ScoredOrder::Grouping::Of(const ScoredSegment& segment) const {
  const std::size_t rank =
      static_cast<std::size_t>(segment.rank - first_rank) + (segment.covered ? 0 : ranks);
  if (groups_per_rank == 1) return std::min(rank, kGroups - 1);
  return rank * groups_per_rank + ((OrderedBits(segment.score) - first_bits) >> shift);
}

void ScoredOrder::Arrange(std::span<const ScoredSegment> segments) {
  next_group_ = 0;
  next_ = 0;
  at_once_ = kFew;
  segments_.resize(segments.size());
  if (segments.size() > kFew) return Spread(segments);
  std::ranges::copy(segments, segments_.begin());
  ends_.assign(1, static_cast<std::uint32_t>(segments.size()));
}

void ScoredOrder::Spread(std::span<const ScoredSegment> segments) {
  const Grouping grouping(segments);
  ends_.assign(kGroups + 1, 0);
  groups_.resize(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    groups_[i] = static_cast<std::uint32_t>(grouping.Of(segments[i]));
    ++ends_[groups_[i] + 1];
  }
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());  // now where each group begins
  for (std::size_t i = 0; i < segments.size(); ++i) segments_[ends_[groups_[i]]++] = segments[i];
}

std::span<const ScoredSegment> ScoredOrder::Next() {
  while (next_group_ < ends_.size() && ends_[next_group_] == next_) ++next_group_;
  if (next_group_ == ends_.size()) return {};
  const auto before = [](const auto& a, const auto& b) { return a < b; };
  auto group = std::span(segments_).subspan(next_, ends_[next_group_] - next_);
  if (group.size() > 2 * at_once_) {
    std::ranges::nth_element(group, group.begin() + static_cast<std::ptrdiff_t>(at_once_), before);
    group = group.first(at_once_);
    at_once_ *= 2;
  }
  std::ranges::sort(group, before);
  next_ += group.size();
  return group;
}

}  // namespace fairlead
