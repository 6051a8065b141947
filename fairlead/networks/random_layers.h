// Layers drawn at random, as a graph to measure one by one: slowdowns are learned from these, and
// judged by the layers of networks.
//
// Each stands between a small convolution that feeds it and a pool, so that an executor may keep
// its operands in whatever layout it likes, as within a network. One more, the press, is a linear
// layer of half a gigabyte that is bound by memory wherever it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

inline constexpr std::string_view kDrawnLayer = "drawn";  // how their operators' names begin
inline constexpr std::string_view kPressLayer = "press";

// Weights have dimensions, but no values as yet. Shapes are like those of networks: convolutions of
// 1 to 7 pixels (three in five), depthwise ones (one in five) and linear layers (one in five), each
// from 10^5 to 10^9 multiplications and at most 64 MiB of weights.
OperatorGraph RandomLayers(std::size_t count, std::uint64_t seed);

}  // namespace fairlead
