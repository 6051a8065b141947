#include "fairlead/workload/presence.h"

#include <algorithm>

namespace fairlead {

Presence::Presence(const Platform& platform, std::span<const PresenceChange> changes, Instant from,
                   Instant to)
    : stretches_{{from, platform.CountByKind()}},
      spells_of_kind_(platform.kinds.size()),
      seconds_of_kind_(platform.kinds.size()) {
  std::vector<bool> there(platform.accelerators.size(), true);
  for (const PresenceChange& change : changes) {
    if (change.at >= to) break;
    if (there[change.accelerator.index()] == change.there) continue;
    there[change.accelerator.index()] = change.there;
    if (change.at > stretches_.back().from)
      stretches_.push_back({change.at, stretches_.back().count});
    const KindId kind = platform.accelerators[change.accelerator.index()].kind;
    stretches_.back().count[kind.index()] += change.there ? 1 : -1;
  }
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Instant begin = stretches_[i].from;
    const Instant end = i + 1 < stretches_.size() ? stretches_[i + 1].from : to;
    for (std::size_t kind = 0; kind < spells_of_kind_.size(); ++kind) {
      const int count = stretches_[i].count[kind];
      if (count == 0) continue;
      seconds_of_kind_[kind] += count * Seconds(end - begin);
      // Who is there at the end stays.
      const Instant until = i + 1 < stretches_.size() ? end : kNever;
      std::vector<Spell>& spells = spells_of_kind_[kind];
      if (!spells.empty() && spells.back().to == begin) {
        spells.back().to = until;
      } else {
        spells.push_back({begin, until});
      }
    }
  }
}

bool Presence::IsThere(std::size_t kind, Instant arrival, Instant deadline) const {
  const std::vector<Spell>& spells = spells_of_kind_[kind];
  const auto found = std::ranges::upper_bound(spells, arrival, {}, &Spell::to);
  return found != spells.end() && found->from <= deadline;
}

}  // namespace fairlead
