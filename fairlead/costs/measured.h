// Profiles from measurements: layers and whole networks that were timed on parts of one machine.
//
// Three tables: `layers` (shapes, and the latency of each alone), `models` (networks as sequences
// of them) and `networks` (the latency of each whole network). A network exceeds the sum of its
// layers by what its other operators cost: they follow as one last layer. Where timing layers one
// by one took longer than the whole network, they are scaled down to it; where a configuration was
// timed for networks only, its layers are those of the configuration before, scaled likewise.
//
// The traffic of a layer is its inputs, weights and outputs once; that of the other operators is
// counted on the network of the zoo with the same name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/costs/profile.h"

namespace fairlead {

struct NamedText {
  std::string_view file;
  std::string_view text;
};

// A column of latencies in microseconds: the kind of accelerator and the units that it was taken
// on.
struct MeasuredColumn {
  std::string_view column;
  std::string_view kind;
  int units = 1;
};

struct Measurements {
  NamedText layers;
  NamedText models;
  NamedText networks;
  std::span<const MeasuredColumn> columns;  // of one kind by increasing units
  std::int64_t word_bytes = 4;
};

// Networks are called as in the zoo: "mobilenet_v2" becomes "mobilenet-v2".
Result<Profile> ProfileOf(const Measurements& measurements);

// Costs for numbers of units that nobody measured, between those that somebody did.

// Adds a row for every number of units up to the largest: between two measured ones, of the same
// layer, kind, batch and version, latencies lie on a straight line of logarithms, alone and pressed
// (where one of the two has no pressed latency, it is pressed as alone), and the traffic is that of
// fewer units. Below the fewest there is still none.
Profile WithAllUnits(Profile profile);

}  // namespace fairlead
