// The steps of FuseOperators, in the order in which they are done. Each turns a graph into one that
// computes the same, in one walk.
#pragma once

#include <cstddef>
#include <span>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// What is computed from constants alone becomes a constant.
OperatorGraph EvaluateConstants(OperatorGraph graph);

// Arithmetic with a constant that has one number, or one for each channel, becomes an activation
// kLinear or kClip, or a ChannelScale.
OperatorGraph ScalesFromConstants(OperatorGraph graph);

// What moves or changes nothing goes or becomes a Reshape, reshapes of reshapes become one, and
// reductions over whole images become pools.
OperatorGraph SimplifyShapes(OperatorGraph graph);

// SiLU, hard swish, hard sigmoid, ReLU and clips from the operators that exporters make of them.
OperatorGraph RecogniseActivations(OperatorGraph graph);

// Scales go into the weights and bias of the convolution or linear layer before them, or into the
// scale before them.
OperatorGraph FoldScales(OperatorGraph graph);

// Padding goes into the convolution or average pool after it.
OperatorGraph FoldPadding(OperatorGraph graph);

// Activations and additions go into what computes their operand, in the same segment.
OperatorGraph AbsorbPostOperations(OperatorGraph graph, std::span<const std::size_t> segments);

}  // namespace fairlead
