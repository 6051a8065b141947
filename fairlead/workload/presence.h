// Which accelerators are there, when.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/platform.h"

namespace fairlead {

// An accelerator goes away or comes back.
struct PresenceChange {
  Instant at{};
  AcceleratorId accelerator;
  bool there = true;
};

// From an instant on, until the next such stretch begins.
struct PresenceStretch {
  Instant from{};
  std::vector<int> count;  // of accelerators that are there, by kind
};

class Presence {
 public:
  // What is there between two instants. All accelerators are there before the first change; changes
  // are in order of time.
  Presence(const Platform& platform, std::span<const PresenceChange> changes, Instant from,
           Instant to);

  // The first one begins at `from`.
  std::span<const PresenceStretch> stretches() const { return stretches_; }
  // Accelerators of each kind times seconds, over all the time.
  const std::vector<double>& seconds_of_kind() const { return seconds_of_kind_; }

  // Whether an accelerator of the kind is there at any time from `arrival` to `deadline`.
  bool IsThere(std::size_t kind, Instant arrival, Instant deadline) const;

 private:
  struct Spell {
    Instant from{};
    Instant to{};
  };

  std::vector<PresenceStretch> stretches_;
  std::vector<std::vector<Spell>> spells_of_kind_;  // in which at least one is there
  std::vector<double> seconds_of_kind_;
};

}  // namespace fairlead
