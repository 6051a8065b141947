#include "fairlead/running/hand_over_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "fairlead/base/statistics.h"

namespace fairlead {
namespace {

using Sample = std::vector<std::int64_t>;  // of times: nanoseconds

std::int64_t Median(Sample sample) { return NearestRankPercentiles(std::move(sample)).p50; }
Duration MedianTime(Sample sample) { return Duration{Median(std::move(sample))}; }

Duration AtLeastZero(Duration time) { return std::max(time, Duration::zero()); }

class Fit {
 public:
  Fit(std::span<const WatchedSegment> segments, std::span<const KindId> kinds,
      std::size_t kind_count)
      : segments_(segments), kinds_(kinds), costs_(kind_count) {}

  HandOverCosts Make() {
    FindWorkInPlace();
    for (std::size_t k = 0; k < costs_.kinds(); ++k) FitKind(KindId{k});
    for (std::size_t from = 0; from < costs_.kinds(); ++from) {
      for (std::size_t to = 0; to < costs_.kinds(); ++to) FitPair(KindId{from}, KindId{to});
    }
    return costs_;
  }

 private:
  using Key = std::tuple<NetworkId, SegmentId, KindId>;

  KindId KindOf(AcceleratorId accelerator) const { return kinds_[accelerator.index()]; }
  Key KeyOf(const WatchedSegment& segment) const {
    return {segment.seen.network, segment.seen.segment, KindOf(segment.seen.accelerator)};
  }

  void FindWorkInPlace() {
    std::map<Key, Sample> samples;
    for (const WatchedSegment& segment : segments_) {
      if (segment.seen.passage == Passage::kGoesOn)
        samples[KeyOf(segment)].push_back(segment.work.count());
    }
    for (auto& [key, sample] : samples) in_place_[key] = MedianTime(std::move(sample));
  }

  std::optional<Duration> Beyond(const WatchedSegment& segment) const {
    const auto found = in_place_.find(KeyOf(segment));
    if (found == in_place_.end()) return std::nullopt;
    return segment.work - found->second;
  }

  void FitKind(KindId kind) {
    Sample around;
    Sample taking_over;
    for (const WatchedSegment& segment : segments_) {
      if (KindOf(segment.seen.accelerator) != kind) continue;
      if (segment.seen.passage == Passage::kGoesOn)
        around.push_back((segment.seen.time - segment.work).count());
      if (segment.seen.passage != Passage::kTakesOver) continue;
      if (const auto beyond = Beyond(segment)) taking_over.push_back(beyond->count());
    }
    if (!around.empty()) costs_.SetHandOver(kind, AtLeastZero(MedianTime(std::move(around))));
    if (!taking_over.empty())
      costs_.SetTakeOver(kind, AtLeastZero(MedianTime(std::move(taking_over))));
  }

  void FitPair(KindId from, KindId to) {
    std::vector<WatchedMove> moves;
    for (const WatchedSegment& segment : segments_) {
      if (segment.seen.passage != Passage::kMoves || KindOf(segment.seen.from) != from ||
          KindOf(segment.seen.accelerator) != to)
        continue;
      const auto beyond = Beyond(segment);
      if (!beyond.has_value()) continue;
      const Duration taken = segment.seen.alone_there ? Duration::zero() : costs_.TakeOver(to);
      moves.push_back({.bytes = segment.alive_bytes, .beyond = *beyond - taken});
    }
    if (!moves.empty()) costs_.SetMove(from, to, FitMove(std::move(moves)));
  }

  std::span<const WatchedSegment> segments_;
  std::span<const KindId> kinds_;
  HandOverCosts costs_;
  std::map<Key, Duration> in_place_;
};

struct Middle {
  double bytes = 0;
  double beyond = 0;  // nanoseconds
};

Middle MiddleOf(std::span<const WatchedMove> moves) {
  Sample bytes;
  Sample beyond;
  for (const WatchedMove& move : moves) {
    bytes.push_back(move.bytes);
    beyond.push_back(move.beyond.count());
  }
  return {static_cast<double>(Median(std::move(bytes))),
          static_cast<double>(Median(std::move(beyond)))};
}

}  // namespace

MoveCost FitMove(std::vector<WatchedMove> moves) {
  std::ranges::sort(moves, {}, &WatchedMove::bytes);
  const std::span all(moves);
  if (moves.size() < 2) {
    return {.fixed = moves.empty() ? Duration::zero() : AtLeastZero(moves.front().beyond)};
  }
  const Middle small = MiddleOf(all.first(all.size() / 2));
  const Middle large = MiddleOf(all.subspan(all.size() / 2));
  const double bytes = large.bytes - small.bytes;
  const double slope = bytes > 0 ? (large.beyond - small.beyond) / bytes : 0;
  if (slope <= 0) {
    return {.fixed = AtLeastZero(Duration{static_cast<std::int64_t>(MiddleOf(all).beyond)})};
  }
  const double fixed = std::max(small.beyond - slope * small.bytes, 0.0);
  return {.fixed = Duration{std::llround(fixed)},
          .bandwidth = std::max<std::int64_t>(std::llround(1e9 / slope), 1)};
}

HandOverCosts FitHandOvers(std::span<const WatchedSegment> segments, std::span<const KindId> kinds,
                           std::size_t kind_count) {
  return Fit(segments, kinds, kind_count).Make();
}

}  // namespace fairlead
