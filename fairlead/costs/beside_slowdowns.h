// What is believed of how networks slow each other, beside the latencies of a cost table: how much
// of these is slowdown, and how much it would be beside given others.
//
// A network is slowed beside several by the sum of what each does alone, times a factor for their
// number, all in logarithms. These are whole numbers, and sums of them do not depend on the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/id.h"

namespace fairlead {

class BesideSlowdowns {
 public:
  // The logarithm of a slowdown in units of 2^-20.
  using Log = std::int32_t;
  static constexpr int kLogBits = 20;
  static Log LogOf(double slowdown);         // of at least 1/1000 and at most 1000
  static double FactorOf(std::int64_t log);  // back

  struct Placed {
    NetworkId network;
    AcceleratorId accelerator;
  };

  // More places (networks times accelerators) than this would make too large a table.
  static constexpr std::size_t kMostPlaces = 512;
  BesideSlowdowns(std::size_t networks, std::size_t accelerators);

  // What the latencies of the table have in them. 0 unless set.
  void SetMean(const Placed& one, Log log) { means_[Number(one)] = log; }
  // Beside one other alone. 0 unless set.
  void SetPair(const Placed& one, const Placed& other, Log log) {
    pairs_[Number(one) * means_.size() + Number(other)] = log;
  }
  // What the sum is multiplied by beside so many (at least 1) others, in units of 2^-20.
  void SetFactor(const Placed& one, std::size_t others, Log factor) {
    factors_[Number(one) * accelerators_ + others] = factor;
  }

  // Networks that were not there when this was made slow nobody, and nobody slows them.
  Log Mean(const Placed& one) const { return Knows(one) ? means_[Number(one)] : 0; }
  // Over all accelerators.
  Log UsualMean(NetworkId network) const;
  // Beside these, at most one on each other accelerator.
  std::int64_t Beside(const Placed& one, std::span<const Placed> others) const;

  std::size_t networks() const { return networks_; }
  std::size_t accelerators() const { return accelerators_; }
  // All of it as numbers, in an order of its own, for recordings.
  std::vector<Log> Numbers() const;
  // False: they are too few or too many.
  bool SetNumbers(std::span<const Log> numbers);

 private:
  bool Knows(const Placed& one) const { return one.network.index() < networks_; }
  std::size_t Number(const Placed& one) const {
    return one.network.index() * accelerators_ + one.accelerator.index();
  }

  std::size_t networks_;
  std::size_t accelerators_;
  std::vector<Log> means_;    // by network and accelerator
  std::vector<Log> pairs_;    // by those two and those of the other
  std::vector<Log> factors_;  // by those two and the number of others
};

}  // namespace fairlead
