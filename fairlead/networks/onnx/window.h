// The window that a convolution or a pool slides over its input.
#pragma once

#include <cstdint>

#include "fairlead/base/result.h"
#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

// One entry for each spatial dimension.
struct Window {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims pads_before;
  Dims pads_after;

  bool IsOnePoint() const;  // it neither combines nor skips anything
  bool IsDilated() const;
};

// The dimensions of an image after its batch and channels.
inline Dims Spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

// Of Conv, MaxPool, AveragePool and LpPool over `spatial` dimensions. A convolution's kernel is the
// weights' where the node does not say. Refuses what is not positive, or does not fit `spatial`.
Result<Window> ReadWindow(const onnx::NodeProto& node, std::size_t spatial, const Dims& weights);

// The size of each spatial dimension of the output; at least 1, or an error.
Result<Dims> SlideWindow(const onnx::NodeProto& node, const Window& window, const Dims& sizes);

// The same with the pads that `auto_pad` stands for; an error where it stands for none that we
// know. Of Conv and pools, not ConvTranspose.
Result<Window> WithAutoPads(const onnx::NodeProto& node, Window window, const Dims& sizes);

}  // namespace fairlead
