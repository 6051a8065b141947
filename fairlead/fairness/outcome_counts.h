// Requests counted by how they ended.
#pragma once

#include <array>
#include <cstdint>

#include "fairlead/domain/request.h"

namespace fairlead {

// How many requests ended in each way.
struct OutcomeCounts {
  std::array<std::int64_t, kOutcomes> by_outcome{};

  std::int64_t Of(Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::int64_t hits() const { return Of(Outcome::kHit); }
  std::int64_t ended() const;
  std::int64_t failures() const { return ended() - hits(); }
  // The share of hits, or the given value when nothing ended yet.
  double HitRateOr(double without_outcomes) const;

  OutcomeCounts& operator+=(const OutcomeCounts& other);
  OutcomeCounts& operator-=(const OutcomeCounts& other);
  friend bool operator==(const OutcomeCounts&, const OutcomeCounts&) = default;
};

}  // namespace fairlead
