// ONNX files with weights: whatever the bytes, an error that names the file, or a graph that an
// executor can carry out without checking it again: tensors are there before they are read, and
// operators fit the dimensions of what they read and write.

#include <algorithm>
#include <unordered_set>

#include "fairlead/base/check.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::int64_t kMostWeights = 100'000;

void CheckWeights(const WeightsPointer& weights, const TensorDims& dims) {
  CHECK(weights != nullptr && weights->dims == dims);
  CHECK(ElementsOf(dims) == static_cast<std::int64_t>(weights->values.size()));
}

// Along one dimension of an image. Windows of a pool start where the image and its padding are.
void CheckWindow(const ImageWindow& window, const TensorDims& in, const TensorDims& out,
                 bool transposed, bool pool) {
  CHECK(in.size() == 3 && out.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    CHECK(std::min({window.kernel[i], window.stride[i], window.dilation[i]}) >= 1);
    CHECK(window.pad_before[i] >= 0);
    if (transposed) {
      CHECK(out[i + 1] == (in[i + 1] - 1) * window.stride[i] + extent - window.pad_before[i] -
                              window.pad_after[i]);
      continue;
    }
    CHECK(window.pad_after[i] >= 0);
    const std::int64_t room = in[i + 1] + window.pad_before[i] + window.pad_after[i] - extent;
    CHECK(room >= 0 && room / window.stride[i] + 1 == out[i + 1]);
    if (pool) CHECK(window.pad_after[i] == 0 || room % window.stride[i] == 0);
  }
}

class OperatorChecker {
 public:
  OperatorChecker(const OperatorGraph& graph, const GraphOperator& op)
      : graph_(graph), op_(op), in_(DimsOf(op.inputs.at(0))), out_(DimsOf(op.output)) {}

  void operator()(const Convolution& body) const {
    CheckOneInput();
    CheckWindow(body.window, in_, out_, body.transposed, false);
    CHECK(body.groups >= 1 && in_[0] % body.groups == 0 && out_[0] % body.groups == 0);
    const auto [rows, columns] = body.window.kernel;
    if (body.transposed) {
      CheckWeights(body.weights, {in_[0], out_[0] / body.groups, rows, columns});
    } else {
      CheckWeights(body.weights, {out_[0], in_[0] / body.groups, rows, columns});
    }
    if (body.bias != nullptr) CheckWeights(body.bias, {out_[0]});
  }
  void operator()(const Linear& body) const {
    CheckOneInput();
    CHECK(!in_.empty() && !out_.empty());
    CheckWeights(body.weights, {out_.back(), in_.back()});
    if (body.bias != nullptr) CheckWeights(body.bias, {out_.back()});
    TensorDims expected = in_;
    expected.back() = out_.back();
    CHECK(out_ == expected);
  }
  void operator()(const Pool& body) const {
    CheckOneInput();
    CheckWindow(body.window, in_, out_, false, true);
    CHECK(in_[0] == out_[0]);
  }
  void operator()(const ChannelScale& body) const {
    CheckSame();
    CHECK(!in_.empty());
    CheckWeights(body.scale, {in_[0]});
    CheckWeights(body.shift, {in_[0]});
  }
  void operator()(const Activation& /*body*/) const { CheckSame(); }
  void operator()(const Binary& /*body*/) const {
    CHECK(op_.inputs.size() == 2 && ReadsComputed());
    TensorDims expected(out_.size(), 1);
    for (TensorIndex input : op_.inputs) {
      const TensorDims& dims = DimsOf(input);
      CHECK(dims.size() <= out_.size());
      for (std::size_t i = 0; i < dims.size(); ++i) {
        std::int64_t& dim = expected[out_.size() - dims.size() + i];
        CHECK(dim == 1 || dims[i] == 1 || dim == dims[i]);
        dim = std::max(dim, dims[i]);
      }
    }
    CHECK(expected == out_);
  }
  void operator()(const Concatenation& body) const {
    CHECK(body.axis < out_.size() && ReadsComputed());
    std::int64_t joined = 0;
    for (TensorIndex input : op_.inputs) {
      TensorDims dims = DimsOf(input);
      CHECK(dims.size() == out_.size());
      joined += dims[body.axis];
      dims[body.axis] = out_[body.axis];
      CHECK(dims == out_);
    }
    CHECK(joined == out_[body.axis]);
  }
  void operator()(const Slice& body) const {
    CheckOneInput();
    CHECK(body.start.size() == in_.size() && body.step.size() == in_.size());
    CHECK(out_.size() == in_.size());
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const std::int64_t last = body.start[i] + (out_[i] - 1) * body.step[i];
      CHECK(std::min(body.start[i], last) >= 0 && std::max(body.start[i], last) < in_[i]);
    }
  }
  void operator()(const Transposition& body) const {
    CheckOneInput();
    CHECK(body.order.size() == in_.size() && out_.size() == in_.size());
    std::unordered_set<std::size_t> seen;
    for (std::size_t i = 0; i < out_.size(); ++i)
      CHECK(seen.insert(body.order[i]).second && out_[i] == in_.at(body.order[i]));
  }
  void operator()(const Reshape& /*body*/) const {
    CheckOneInput();
    CHECK(ElementsOf(in_) == ElementsOf(out_));
  }
  void operator()(const Resize& /*body*/) const {
    CheckOneInput();
    CHECK(in_.size() == 3 && out_.size() == 3 && in_[0] == out_[0]);
  }
  void operator()(const Softmax& body) const {
    CheckSame();
    CHECK(body.axis < in_.size());
  }
  void operator()(const LocalResponseNorm& body) const {
    CheckSame();
    CHECK(in_.size() == 3 && body.size >= 1 && body.size % 2 == 1);
  }
  void operator()(const Reduction& body) const {
    CheckOneInput();
    CHECK(!body.axes.empty() && std::ranges::is_sorted(body.axes));
    CHECK(std::ranges::adjacent_find(body.axes) == body.axes.end());
    std::int64_t kept = ElementsOf(in_);
    for (std::size_t axis : body.axes) kept /= in_.at(axis);
    CHECK(ElementsOf(out_) == kept);
  }
  void operator()(const Padding& body) const {
    CheckOneInput();
    CHECK(body.before.size() == in_.size() && body.after.size() == in_.size());
    for (std::size_t i = 0; i < in_.size(); ++i) {
      CHECK(body.before[i] >= 0 && body.after[i] >= 0);
      CHECK(out_.at(i) == in_[i] + body.before[i] + body.after[i]);
    }
  }
  void operator()(const Opaque& /*body*/) const { CHECK(false); }  // nobody could carry it out

 private:
  const TensorDims& DimsOf(TensorIndex tensor) const { return graph_.tensors.at(tensor).dims; }

  // Of those that combine nothing, which is computed.
  void CheckOneInput() const {
    CHECK(op_.inputs.size() == 1 && graph_.tensors[op_.inputs[0]].constant == nullptr);
  }
  bool ReadsComputed() const {
    return std::ranges::any_of(
        op_.inputs, [&](TensorIndex input) { return graph_.tensors[input].constant == nullptr; });
  }
  void CheckSame() const {
    CheckOneInput();
    CHECK(in_ == out_);
  }

  const OperatorGraph& graph_;
  const GraphOperator& op_;
  const TensorDims& in_;
  const TensorDims& out_;
};

void CheckGraph(const OperatorGraph& graph) {
  std::unordered_set<TensorIndex> ready(graph.inputs.begin(), graph.inputs.end());
  CHECK(!graph.inputs.empty() && ready.size() == graph.inputs.size());
  for (TensorIndex i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& tensor = graph.tensors[i];
    CHECK(std::ranges::all_of(tensor.dims, [](std::int64_t dim) { return dim >= 1; }));
    if (tensor.constant == nullptr) continue;
    CheckWeights(tensor.constant, tensor.dims);
    CHECK(ready.insert(i).second);
  }
  std::unordered_set<std::string> names;
  for (const GraphOperator& op : graph.operators) {
    for (TensorIndex input : op.inputs) CHECK(ready.contains(input));
    CHECK(op.then.empty() && !op.name.empty() && names.insert(op.name).second);
    std::visit(OperatorChecker(graph, op), op.body);
    CHECK(ready.insert(op.output).second);
  }
  CHECK(!graph.outputs.empty());
  for (TensorIndex output : graph.outputs) {
    CHECK(ready.contains(output) && graph.tensors[output].constant == nullptr);
    CHECK(std::ranges::find(graph.inputs, output) == graph.inputs.end());
  }
  CHECK(graph.WeightCount() <= 2 * kMostWeights);  // drawn ones, and those made of them
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = TextOf(data, size);
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>(1), {}}) {
    const auto graph =
        ImportOperators("fuzz.onnx", bytes, {.weights_seed = seed, .most_weights = kMostWeights});
    if (graph.has_value()) {
      CheckGraph(*graph);
    } else {
      CHECK(graph.error().message.starts_with("fuzz.onnx: "));
    }
  }
  return 0;
}

}  // namespace fairlead
