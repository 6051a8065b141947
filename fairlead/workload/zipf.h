// Dealing a few values to many tenants by Zipf's law, with exact counts.
//
// The share of the value of rank r is proportional to 1 / r^exponent. Counts follow the shares by
// largest remainder, so that a population of a hundred is the same in every seed; only who gets
// which value is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {

// Divides `seats` in proportion to the weights (>= 0, not all 0): everyone gets the whole part of
// its quota, and what is left goes to the largest remainders, ties to the first.
std::vector<std::size_t> Apportion(std::span<const double> weights, std::size_t seats);

// One of the values for each of `count` receivers: the first value has rank 1. Exponent 0 deals
// equal numbers. The order is shuffled by the stream.
std::vector<double> DealByZipf(std::span<const double> values, std::size_t count, double exponent,
                               RandomStream& random);

}  // namespace fairlead
