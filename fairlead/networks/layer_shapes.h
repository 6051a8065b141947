// Shapes of layers from the dimensions of what they read and write, for operators of a graph and
// for those that are known only by what they cost.
#pragma once

#include <cstdint>

#include "fairlead/networks/layer.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// In any number of spatial dimensions, of which shapes have two.
struct ConvolutionGeometry {
  std::int64_t batch = 1;
  std::int64_t inputs = 1;  // channels
  std::int64_t outputs = 1;
  std::int64_t groups = 1;
  TensorDims size;  // of the result; of a transposed convolution: of its input
  TensorDims kernel;
  TensorDims strides;
};
LayerShape ConvolutionShape(const ConvolutionGeometry& geometry);
// Each input position meets the whole kernel: as a convolution at the input's size that computes
// stride x stride times the outputs, each from a part of the kernel.
LayerShape TransposedConvolutionShape(const ConvolutionGeometry& geometry);

struct ProductGeometry {
  std::int64_t batch = 1;
  std::int64_t rows = 1;  // of one input
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  std::int64_t matrices = 1;  // each a group
};
LayerShape LinearShape(const ProductGeometry& geometry);

// A layer that does not multiply, by the dimensions of what it writes for one input, and by how
// many elements it reads for it.
LayerShape PassShape(LayerKind kind, const TensorDims& dims, std::int64_t operands);
// Each output of the layer comes from a window of these dimensions.
LayerShape WithWindow(LayerShape shape, const TensorDims& kernel, std::int64_t stride = 1);

// Its counts stay below 10^14, so that sums over layers do not overflow.
bool IsBelievable(const LayerShape& shape);

}  // namespace fairlead
