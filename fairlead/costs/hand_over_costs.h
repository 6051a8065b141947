// What it costs to go on with a job, beside the work of its segments: where the job is, and who was
// there before, decide.
//
// Three parts, which add up where a segment begins:
//
//   hand_over  every segment: the boundary before it, even if nothing changes there
//   take_over  where the last job that began a segment on the accelerator was another one, or none
//   move       for each predecessor of the segment that ran on another accelerator: what is alive
//              at that boundary is fetched from there, a fixed part and the bytes at a bandwidth
//
// What nobody measured costs nothing. Kinds are numbered by whoever owns the costs (a profile, a
// cost table).
//
// As a file: CSV `what,from,to,fixed_ns,bytes_per_s`, `what` one of the three words; `to` is where
// the segment begins, `from` where its job was (of a move alone); `bytes_per_s` belongs to a move
// and may be empty: bytes cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

struct MoveCost {
  Duration fixed{};
  std::int64_t bandwidth = 0;  // bytes per second; 0: bytes cost nothing

  // Rounded up. No move takes longer than kLongest.
  static constexpr Duration kLongest{10'000'000'000'000};
  Duration For(std::int64_t bytes) const;
  friend bool operator==(const MoveCost&, const MoveCost&) = default;
};

class HandOverCosts {
 public:
  // What files may say.
  static constexpr Duration kLongestPart = std::chrono::hours{1};
  static constexpr std::int64_t kMostBandwidth = 1'000'000'000'000'000;

  explicit HandOverCosts(std::size_t kinds = 0)
      : hand_over_(kinds), take_over_(kinds), moves_(kinds * kinds) {}

  std::size_t kinds() const { return hand_over_.size(); }
  Duration HandOver(KindId kind) const { return hand_over_[kind.index()]; }
  Duration TakeOver(KindId kind) const { return take_over_[kind.index()]; }
  const MoveCost& Move(KindId from, KindId to) const {
    return moves_[from.index() * kinds() + to.index()];
  }
  // Where a segment begins matters: something beside `hand_over` costs time.
  bool DependOnPlaces() const { return depend_on_places_; }
  // A move costs time by its bytes.
  bool CountBytes() const;
  bool None() const;

  void SetHandOver(KindId kind, Duration cost) { hand_over_[kind.index()] = cost; }
  void SetTakeOver(KindId kind, Duration cost);
  void SetMove(KindId from, KindId to, const MoveCost& cost);

  // The same costs by other numbers: `kinds[k]` is the number here of the kind called k there; an
  // invalid one is not known here and costs nothing.
  HandOverCosts Renumbered(std::span<const KindId> kinds) const;

  friend bool operator==(const HandOverCosts&, const HandOverCosts&) = default;

 private:
  std::vector<Duration> hand_over_;
  std::vector<Duration> take_over_;
  std::vector<MoveCost> moves_;  // by `from`, then `to`
  bool depend_on_places_ = false;
};

// Kinds are numbered as in `kinds`. Refuses, with the place: unknown words and kinds, rows that
// stand twice, negative or huge numbers, and fields that do not belong to what the row is about.
Result<HandOverCosts> ParseHandOvers(std::string_view file, std::string_view text,
                                     std::span<const std::string> kinds);
// Costs of zero are left out.
std::string FormatHandOvers(const HandOverCosts& costs, std::span<const std::string> kinds);

}  // namespace fairlead
