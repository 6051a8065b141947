// Numbers from 0 on for whatever tells lanes apart, in order of appearance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairlead {

class LaneNumbers {
 public:
  // O(log n); O(n) for a new code.
  std::size_t Of(std::uint64_t code) {
    const auto found = std::ranges::lower_bound(known_, code, {}, &Known::code);
    if (found != known_.end() && found->code == code) return found->lane;
    const std::size_t lane = known_.size();
    known_.insert(found, {code, lane});
    return lane;
  }

 private:
  struct Known {
    std::uint64_t code;
    std::size_t lane;
  };
  std::vector<Known> known_;  // by code
};

}  // namespace fairlead
