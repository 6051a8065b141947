// A request as it arrives on the wire, and how it can end. Once admitted it is a job.
#pragma once

#include <cstdint>
#include <string_view>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"

namespace fairlead {

// The number that a request carries in files and outcomes.
using RequestNumber = std::uint64_t;

struct Request {
  RequestNumber number = 0;
  AgreementId agreement;
  Instant arrival{};
  Duration deadline{};  // relative to arrival
  int priority = 1;
};

enum class Outcome : std::uint8_t {
  kHit,       // finished inside its deadline
  kMiss,      // finished late
  kDropped,   // given up after its first segment started
  kRejected,  // given up before
};
inline constexpr int kOutcomes = 4;

constexpr std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHit: return "hit";
    case Outcome::kMiss: return "miss";
    case Outcome::kDropped: return "dropped";
    case Outcome::kRejected: return "rejected";
  }
  return "?";
}

}  // namespace fairlead
