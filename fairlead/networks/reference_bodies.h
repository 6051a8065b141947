// The parts of the reference: one function for each kind of operator, without post-operations.
#pragma once

#include <span>
#include <vector>

#include "fairlead/networks/operator_graph.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {

// Numbers on their way to being rounded.
using ExactValues = std::vector<double>;
using SampleViews = std::span<const SampleView>;

// reference_windows.cc
ExactValues Exact(const Convolution& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Linear& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Pool& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const LocalResponseNorm& body, SampleViews inputs, const TensorDims& dims);

// reference_arithmetic.cc
ExactValues Exact(const ChannelScale& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Activation& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Binary& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Softmax& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Reduction& body, SampleViews inputs, const TensorDims& dims);

// reference_moves.cc
ExactValues Exact(const Concatenation& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Slice& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Transposition& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Reshape& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Resize& body, SampleViews inputs, const TensorDims& dims);
ExactValues Exact(const Padding& body, SampleViews inputs, const TensorDims& dims);

// reference_operators.cc: a bug of ours, since nobody knows what it computes.
ExactValues Exact(const Opaque& body, SampleViews inputs, const TensorDims& dims);

}  // namespace fairlead
