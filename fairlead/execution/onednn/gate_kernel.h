// Multiplies each channel of an image by its own number: the gates of squeeze-and-excitation. In
// oneDNN 2.6 this is a slow loop for batches beyond one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fairlead/execution/onednn/layout.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class GateKernel {
 public:
  GateKernel(const TensorDims& dims, std::size_t batch, Layout layout);

  // The gates are in the same layout as the images.
  void Run(const float* images, const float* gates, float* output) const;

 private:
  std::int64_t groups_;  // batch times runs of channels that lie together
  std::int64_t pixels_;
  std::int64_t lanes_;  // channels that lie together
};

}  // namespace fairlead
