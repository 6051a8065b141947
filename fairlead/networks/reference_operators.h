// What the operators of a graph mean, in plain loops and double precision: the specification that
// executors are compared with. Slow, and meant to be obviously right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Where the pixels of a resized image come from, along one axis: what Resize's grid and rounding
// mean, for the reference and all executors.

// The place in an axis of `input` pixels that pixel i of `output` pixels is taken from.
double ResizePosition(ResizeGrid grid, std::int64_t i, std::int64_t input, std::int64_t output);

// The pixel nearest to a place; may lie outside of the axis.
double ResizeRounded(ResizeRounding rounding, double position);

// One sample of a tensor.
struct SampleView {
  const TensorDims& dims;
  std::span<const float> values;  // row-major
};

double ReferenceValue(const Activation& activation, double x);

// The operator's result for one sample, with its post-operations. `reads` are in the order of
// GraphOperator::Reads; `dims` are those of the result.
std::vector<float> ReferenceSample(const GraphOperator& op, std::span<const SampleView> reads,
                                   const TensorDims& dims);

// The graph's outputs for its inputs; all row-major, the batch first.
std::vector<std::vector<float>> ReferenceOutputs(const OperatorGraph& graph, std::int64_t batch,
                                                 const std::vector<std::vector<float>>& inputs);

}  // namespace fairlead
