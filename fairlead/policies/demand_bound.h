// Which jobs fit: a demand bound over deadlines, as in the feasibility test of EDF.
//
// Deadlines come in order. Before each of them there is room for so much work; the jobs that were
// let in and are due by then may not need more. A job that is let in takes its work from the room
// before its own deadline and before all later ones.
//
// O(deadlines) for Begin, O(log deadlines) for Admit and Take. Allocates only at a new height.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace fairlead {

class DemandBound {
 public:
  void Reserve(std::size_t deadlines) {
    least_.reserve(2 * std::bit_ceil(deadlines));
    taken_.reserve(std::bit_ceil(deadlines));
  }
  // The room before each deadline.
  void Begin(std::span<const double> room) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(room.size(), 1));
    least_.assign(2 * leaves_, std::numeric_limits<double>::infinity());
    taken_.assign(leaves_, 0);
    std::ranges::copy(room, least_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node)
      least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
  }

  // The job with the deadline in this place is let in if its work fits.
  bool Admit(std::size_t place, double work) {
    if (RoomFrom(place) < work) return false;
    Take(place, work);
    return true;
  }

  // It is let in, whether it fits or not.
  void Take(std::size_t place, double work) {
    std::size_t node = place + leaves_;
    least_[node] -= work;
    for (; node > 1; node /= 2) {
      if (node % 2 == 0) {
        least_[node + 1] -= work;
        if (node + 1 < leaves_) taken_[node + 1] += work;
      }
      const std::size_t above = node / 2;
      least_[above] = std::min(least_[2 * above], least_[2 * above + 1]) - taken_[above];
    }
  }

 private:
  double RoomFrom(std::size_t place) const {
    std::size_t node = place + leaves_;
    double room = least_[node];
    for (; node > 1; node /= 2) {
      if (node % 2 == 0) room = std::min(room, least_[node + 1]);
      room -= taken_[node / 2];
    }
    return room;
  }

  // A tree over the deadlines.
  std::size_t leaves_ = 1;
  std::vector<double> least_;  // room below each node, but for what is taken above it
  std::vector<double> taken_;  // from everything below each inner node
};

}  // namespace fairlead
