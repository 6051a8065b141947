// A network as a list of layers, each by its shape, with the layers that it waits for. The zoo
// builds such networks, files are imported as such, and the cost models price them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/networks/layer.h"

namespace fairlead {

struct NetworkLayer {
  std::string name;
  LayerShape shape;
  std::int64_t parameters = 0;  // weights, and two a channel for a batch norm or one for a bias
  std::vector<std::uint32_t> after;  // earlier layers; without those that others imply
};

struct LayeredNetwork {
  std::string name;
  std::string description;
  std::string input;  // "3x224x224"
  std::vector<NetworkLayer> layers;

  std::int64_t Macs() const;
  std::int64_t Parameters() const;
  // What all layers write for one input, in elements.
  std::int64_t Activations() const;
};

}  // namespace fairlead
