#include "fairlead/networks/layered_network.h"

namespace fairlead {

std::int64_t LayeredNetwork::Macs() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.shape.Macs();
  return total;
}

std::int64_t LayeredNetwork::Parameters() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.parameters;
  return total;
}

std::int64_t LayeredNetwork::Activations() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.shape.Outputs() / layer.shape.n;
  return total;
}

}  // namespace fairlead
