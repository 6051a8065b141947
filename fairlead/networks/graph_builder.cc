#include "fairlead/networks/graph_builder.h"

#include <algorithm>
#include <span>

#include "fairlead/base/check.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {
namespace {

std::int64_t Extent(const ImageWindow& window, std::size_t axis) {
  return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

// The size of the image after the window went over it, with so many channels.
TensorDims WindowDims(const ImageWindow& window, const TensorDims& image, std::int64_t channels) {
  CHECK(image.size() == 3);
  TensorDims dims{channels, 0, 0};
  for (std::size_t axis : {0, 1}) {
    const std::int64_t room =
        image[axis + 1] + window.pad_before[axis] + window.pad_after[axis] - Extent(window, axis);
    CHECK(room >= 0);
    dims[axis + 1] = room / window.stride[axis] + 1;
  }
  return dims;
}

TensorDims TransposedDims(const Convolution& convolution, const TensorDims& image) {
  const ImageWindow& window = convolution.window;
  TensorDims dims{convolution.weights->dims[1] * convolution.groups, 0, 0};
  for (std::size_t axis : {0, 1}) {
    dims[axis + 1] = (image[axis + 1] - 1) * window.stride[axis] + Extent(window, axis) -
                     window.pad_before[axis] - window.pad_after[axis];
    CHECK(dims[axis + 1] > 0);
  }
  return dims;
}

TensorDims StretchedDims(TensorDims a, TensorDims b) {
  if (a.size() < b.size()) std::swap(a, b);
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i] == b[i] || a[i] == 1 || b[i] == 1);
    a[i] = std::max(a[i], b[i]);
  }
  return a;
}

struct Rules {
  std::span<const TensorDims> inputs;

  TensorDims operator()(const Convolution& body) const {
    if (body.transposed) return TransposedDims(body, inputs[0]);
    return WindowDims(body.window, inputs[0], body.weights->dims[0]);
  }
  TensorDims operator()(const Linear& body) const {
    TensorDims dims = inputs[0];
    dims.back() = body.weights->dims[0];
    return dims;
  }
  TensorDims operator()(const Pool& body) const {
    return WindowDims(body.window, inputs[0], inputs[0][0]);
  }
  TensorDims operator()(const ChannelScale&) const { return inputs[0]; }
  TensorDims operator()(const Activation&) const { return inputs[0]; }
  TensorDims operator()(const Softmax&) const { return inputs[0]; }
  TensorDims operator()(const LocalResponseNorm&) const { return inputs[0]; }
  TensorDims operator()(const Binary&) const { return StretchedDims(inputs[0], inputs[1]); }
  TensorDims operator()(const Concatenation& body) const {
    TensorDims dims = inputs[0];
    for (const TensorDims& part : inputs.subspan(1)) dims[body.axis] += part[body.axis];
    return dims;
  }
  TensorDims operator()(const Transposition& body) const {
    TensorDims dims;
    for (std::size_t axis : body.order) dims.push_back(inputs[0][axis]);
    return dims;
  }
  TensorDims operator()(const Padding& body) const {
    TensorDims dims = inputs[0];
    for (std::size_t i = 0; i < dims.size(); ++i) dims[i] += body.before[i] + body.after[i];
    return dims;
  }
  // Slice, Reshape, Resize, Reduction.
  template <typename Body>
  TensorDims operator()(const Body&) const {
    CHECK_MSG(false, "its dimensions do not follow from its inputs");
    return {};
  }
};

// For operators whose result follows from their inputs: all but Slice, Reshape, Resize and
// Reduction. Pools round down. The inputs must fit the operator and each other.
TensorDims ResultDims(const OperatorBody& body, std::span<const TensorDims> inputs) {
  return std::visit(Rules{inputs}, body);
}

}  // namespace

WeightsPointer MakeWeights(TensorDims dims, std::vector<float> values) {
  CHECK(ElementsOf(dims) == static_cast<std::int64_t>(values.size()));
  return std::make_shared<const Weights>(
      Weights{.dims = std::move(dims), .values = std::move(values)});
}

TensorIndex GraphBuilder::NewTensor(std::string name, TensorDims dims) {
  graph_.tensors.push_back({.name = std::move(name), .dims = std::move(dims), .constant = nullptr});
  return static_cast<TensorIndex>(graph_.tensors.size() - 1);
}

TensorIndex GraphBuilder::Input(std::string name, TensorDims dims) {
  const TensorIndex tensor = NewTensor(std::move(name), std::move(dims));
  graph_.inputs.push_back(tensor);
  return tensor;
}

TensorIndex GraphBuilder::Constant(std::string name, TensorDims dims, std::vector<float> values) {
  const TensorIndex tensor = NewTensor(std::move(name), dims);
  graph_.tensors[tensor].constant = MakeWeights(std::move(dims), std::move(values));
  return tensor;
}

TensorIndex GraphBuilder::Apply(std::string name, OperatorBody body,
                                std::vector<TensorIndex> inputs) {
  std::vector<TensorDims> input_dims;
  for (TensorIndex input : inputs) input_dims.push_back(dims(input));
  TensorDims result = ResultDims(body, input_dims);
  return Apply(std::move(name), std::move(body), std::move(inputs), std::move(result));
}

TensorIndex GraphBuilder::Apply(std::string name, OperatorBody body,
                                std::vector<TensorIndex> inputs, TensorDims dims) {
  const TensorIndex output = NewTensor(name, std::move(dims));
  graph_.operators.push_back({.name = std::move(name),
                              .body = std::move(body),
                              .inputs = std::move(inputs),
                              .output = output,
                              .then = {}});
  return output;
}

}  // namespace fairlead
