// A network as operators on tensors: the one description of a network, from which its layers
// follow (graph_layers.h), and which executors carry out.
//
// Dimensions are those of one sample. Every tensor that is computed has the batch before them, so a
// graph runs at any batch size; operators that would mix samples have no place here. Images are
// channels x height x width.
//
// A graph comes from an ONNX file (networks/onnx) or from the zoo. Its weights may have dimensions
// only, which is all that costs depend on. FuseOperators turns it into one with fewer operators
// that computes the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/networks/layer.h"

namespace fairlead {

using TensorDims = std::vector<std::int64_t>;

std::int64_t ElementsOf(const TensorDims& dims);

// Numbers that do not depend on the input; row-major.
struct Weights {
  TensorDims dims;
  std::vector<float> values;                          // none: not known as yet
  std::shared_ptr<const Weights> original = nullptr;  // the weights that these are, in other order
};
using WeightsPointer = std::shared_ptr<const Weights>;  // null: there are none

// Index into OperatorGraph::tensors.
using TensorIndex = std::uint32_t;

enum class ActivationKind : std::uint8_t {
  kRelu,
  kLeakyRelu,  // alpha below zero
  kClip,       // to [alpha, beta]
  kSigmoid,
  kHardSigmoid,  // alpha x + beta, clipped to [0, 1]
  kHardSwish,    // x times the hard sigmoid with 1/6 and 1/2
  kSilu,         // x sigmoid(x)
  kTanh,
  kElu,   // alpha (e^x - 1) below zero
  kGelu,  // by the error function
  kExp,
  kSqrt,
  kAbs,
  kLinear,  // alpha x + beta
};

struct Activation {
  ActivationKind kind = ActivationKind::kRelu;
  float alpha = 0;
  float beta = 0;
};

// Height and width.
struct ImageWindow {
  std::array<std::int64_t, 2> kernel{1, 1};
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> dilation{1, 1};
  std::array<std::int64_t, 2> pad_before{0, 0};
  std::array<std::int64_t, 2> pad_after{0, 0};  // of a pool: as far as its last window reaches
};

struct Convolution {
  ImageWindow window;
  std::int64_t groups = 1;
  WeightsPointer weights;  // outputs x inputs per group x height x width
  WeightsPointer bias;     // outputs; null: none
  // Then the weights are inputs x outputs per group x height x width, and what pad_before and
  // pad_after say is cut off the result; below 0: added to it (before the bias, so zeros).
  bool transposed = false;
};

// On the last dimension.
struct Linear {
  WeightsPointer weights;  // outputs x inputs
  WeightsPointer bias;     // outputs; null: none
};

enum class PoolKind : std::uint8_t {
  kMax,
  kAverage,         // of what is inside the image
  kAveragePadding,  // padding counts as zeros
};
struct Pool {
  PoolKind kind = PoolKind::kMax;
  ImageWindow window;
};

// Each channel times its scale, plus its shift: a batch norm that nothing absorbed.
struct ChannelScale {
  WeightsPointer scale;
  WeightsPointer shift;
};

enum class BinaryKind : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kMaximum, kMinimum };
// Of two tensors, dimensions of 1 (and missing ones in front) stretched to the other's.
struct Binary {
  BinaryKind kind = BinaryKind::kAdd;
};

struct Concatenation {
  std::size_t axis = 0;
};

// From `start` on, as many as the result has, every `step`-th; one entry for each dimension.
struct Slice {
  TensorDims start;
  TensorDims step;
};

// The i-th dimension of the result is the input's `order[i]`-th.
struct Transposition {
  std::vector<std::size_t> order;
};

// The same numbers in the same order, with other dimensions.
struct Reshape {};

enum class ResizeKind : std::uint8_t { kNearest, kLinear };
// Where the result's pixel i lies in the input, with s = output size / input size.
enum class ResizeGrid : std::uint8_t {
  kHalfPixel,     // (i + 0.5) / s - 0.5
  kAlignCorners,  // i (input - 1) / (output - 1)
  kAsymmetric,    // i / s
};
enum class ResizeRounding : std::uint8_t { kFloor, kCeil, kHalfDown, kHalfUp };
struct Resize {
  ResizeKind kind = ResizeKind::kNearest;
  ResizeGrid grid = ResizeGrid::kHalfPixel;
  ResizeRounding rounding = ResizeRounding::kFloor;  // of the nearest
};

struct Softmax {
  std::size_t axis = 0;
  bool logarithm = false;
};

// Across `size` channels: x / (bias + alpha / size * sum of squares) ^ beta.
struct LocalResponseNorm {
  std::int64_t size = 5;
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1;
};

enum class ReductionKind : std::uint8_t { kMean, kSum, kMaximum };
// Over these axes, which the result has with size 1 or not at all.
struct Reduction {
  ReductionKind kind = ReductionKind::kMean;
  std::vector<std::size_t> axes;
};

struct Padding {
  TensorDims before;
  TensorDims after;
  float value = 0;
};

// What an operator is to the layers of its network.
enum class LayerRole : std::uint8_t {
  kFree,       // costs nothing
  kPadding,    // free if all that read its result pad as they read; else as kAlone
  kPointwise,  // a layer or part of one
  kLayer,      // a layer that absorbs what is pointwise
  kAlone,      // a layer that absorbs nothing
};

// What no executor carries out: known only by what it costs. Costs are all that a graph with such
// an operator is for.
struct Opaque {
  std::string type;  // in the ONNX file
  LayerRole role = LayerRole::kAlone;
  // Where it multiplies. Otherwise only the kind, the window and the stride: the rest follows from
  // what it reads and writes.
  LayerShape shape = {};
  std::int64_t constants = 0;      // elements that it reads besides its inputs
  std::int64_t other_results = 0;  // elements that it writes besides its output
  std::vector<WeightsPointer> weights = {};
};

using OperatorBody = std::variant<Convolution, Linear, Pool, ChannelScale, Activation, Binary,
                                  Concatenation, Slice, Transposition, Reshape, Resize, Softmax,
                                  LocalResponseNorm, Reduction, Padding, Opaque>;

// "Convolution", "Linear", ...: for messages and tables.
std::string_view NameOf(const OperatorBody& body);

// What else happens to each number before it is written, in order: a tensor of the same dimensions
// is added, or a function applied.
struct AddedTensor {
  TensorIndex tensor = 0;
};
using PostOperation = std::variant<AddedTensor, Activation>;

struct GraphOperator {
  std::string name;
  OperatorBody body;
  std::vector<TensorIndex> inputs;  // those of the body
  TensorIndex output = 0;
  std::vector<PostOperation> then;  // filled by FuseOperators
  std::uint32_t layer = 0;          // of the network, that it is part of; set by OrderByLayers

  // All that it reads: the inputs, and what is added.
  std::vector<TensorIndex> Reads() const;
};

// Calls `use` with all weights of the operator itself; constant tensors that it reads are not among
// them.
template <typename Use>
void ForEachWeights(const GraphOperator& op, const Use& use) {
  const auto give = [&](const WeightsPointer& weights) {
    if (weights != nullptr) use(weights);
  };
  if (const auto* convolution = std::get_if<Convolution>(&op.body)) {
    give(convolution->weights);
    give(convolution->bias);
  } else if (const auto* linear = std::get_if<Linear>(&op.body)) {
    give(linear->weights);
    give(linear->bias);
  } else if (const auto* scale = std::get_if<ChannelScale>(&op.body)) {
    give(scale->scale);
    give(scale->shift);
  } else if (const auto* opaque = std::get_if<Opaque>(&op.body)) {
    for (const WeightsPointer& weights : opaque->weights) give(weights);
  }
}

// What the numbers of an input or output are in the network's file, and to its clients. Executors
// compute in 32-bit floats whatever they are.
enum class ElementType : std::uint8_t {
  kFp32,
  kFp16,
  kBf16,
  kFp64,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
};

struct GraphTensor {
  std::string name;
  TensorDims dims;
  WeightsPointer constant;  // set: not computed, and the same for all samples
  // The dimensions are those of all samples together. Only Opaque operators touch such a tensor.
  bool mixes_samples = false;
  ElementType element = ElementType::kFp32;  // of inputs and outputs of the network
};

// Which of several ways an executor should prefer: what is fastest while nobody else runs, or what
// touches little memory, and so gives and takes less of what partitions share.
enum class ExecutionManner : std::uint8_t { kFast, kGentle };

struct OperatorGraph {
  std::string name;
  ExecutionManner manner = ExecutionManner::kFast;
  std::vector<GraphTensor> tensors;
  std::vector<GraphOperator> operators;  // each after those that it reads from
  std::vector<TensorIndex> inputs;
  std::vector<TensorIndex> outputs;
  bool open_batch = false;  // its file leaves the number of samples open

  std::int64_t WeightCount() const;  // shared ones once
};

// Shapes of layers from the dimensions of what they read and write, for operators of a graph and
// for those that are known only by what they cost.

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

// What operators of a graph are to its layers.
LayerRole LayerRoleOf(const OperatorGraph& graph, const GraphOperator& op);

// Whether the operator's result has the numbers of its first input, in the same order.
bool OnlyReshapes(const OperatorBody& body, const TensorDims& in, const TensorDims& out);

// The memory traffic of a network's operators, counted: for machines that do not let us measure it.
//
// A pass touches every weight once, so a cache that cannot hold them all (and what the largest
// operator works on) has lost each one before the next pass comes for it, as caches that forget the
// least recently used do. What an operator reads was just written, so it comes from memory only
// where the operator's own inputs and outputs exceed the cache.

// Bytes of each operator for a batch, with `cache_bytes` of cache; numbers have four bytes.
std::vector<std::int64_t> CountTraffic(const OperatorGraph& graph, std::int64_t batch,
                                       std::int64_t cache_bytes);

}  // namespace fairlead
