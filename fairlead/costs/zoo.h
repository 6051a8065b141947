// The built-in networks, by their convolution and linear layers, with their real dependencies.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/costs/network_builder.h"

namespace fairlead {

struct ZooNetwork {
  std::string_view name;
  std::string_view description;
  std::string_view input;  // "3x224x224"
  std::vector<NetworkLayer> layers;

  std::int64_t Macs() const;
  std::int64_t Parameters() const;
};

// Built once, on first use.
std::span<const ZooNetwork> Zoo();

}  // namespace fairlead
