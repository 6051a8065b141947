#include "fairlead/networks/reference_operators.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

double ResizePosition(ResizeGrid grid, std::int64_t i, std::int64_t input, std::int64_t output) {
  const auto pixel = static_cast<double>(i);
  const auto in = static_cast<double>(input);
  const auto out = static_cast<double>(output);
  switch (grid) {
    case ResizeGrid::kHalfPixel: return (pixel + 0.5) * in / out - 0.5;
    case ResizeGrid::kAlignCorners: return output == 1 ? 0 : pixel * (in - 1) / (out - 1);
    case ResizeGrid::kAsymmetric: return pixel * in / out;
  }
  return 0;
}

double ResizeRounded(ResizeRounding rounding, double position) {
  switch (rounding) {
    case ResizeRounding::kFloor: return std::floor(position);
    case ResizeRounding::kCeil: return std::ceil(position);
    case ResizeRounding::kHalfDown: return std::ceil(position - 0.5);
    case ResizeRounding::kHalfUp: return std::floor(position + 0.5);
  }
  return position;
}

// Where the numbers of a tensor lie, row-major.

// A tensor along one axis: numbers that differ only in their index there are `stride` apart.
struct AlongAxis {
  AlongAxis(const TensorDims& dims, std::size_t axis);

  std::size_t size = 1;    // of the axis
  std::size_t stride = 1;  // numbers behind it
  std::size_t outer = 1;   // numbers before it

  // Where the line with this outer and inner index begins.
  std::size_t Begin(std::size_t outer_index, std::size_t inner_index) const {
    return outer_index * size * stride + inner_index;
  }
};

// All indices of a tensor in row-major order: Next makes the next one, false after the last.
class IndexWalk {
 public:
  explicit IndexWalk(const TensorDims& dims) : dims_(dims), index_(dims.size(), 0) {}
  const TensorDims& index() const { return index_; }
  bool Next();

 private:
  const TensorDims& dims_;
  TensorDims index_;
};

// Numbers on their way to being rounded.
using ExactValues = std::vector<double>;
using SampleViews = std::span<const SampleView>;

AlongAxis::AlongAxis(const TensorDims& dims, std::size_t axis)
    : size(static_cast<std::size_t>(dims[axis])) {
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(dims[i]);
  for (std::size_t i = axis + 1; i < dims.size(); ++i) stride *= static_cast<std::size_t>(dims[i]);
}

bool IndexWalk::Next() {
  for (std::size_t i = index_.size(); i-- > 0;) {
    if (++index_[i] < dims_[i]) return true;
    index_[i] = 0;
  }
  return false;
}

// Where an index lies; an index that has more dimensions has them in front, and those of size 1 are
// stretched.
std::size_t PlaceOf(const TensorDims& index, const TensorDims& dims) {
  CHECK(index.size() >= dims.size());
  std::int64_t place = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t here = index[index.size() - dims.size() + i];
    CHECK(here >= 0 && (dims[i] == 1 || here < dims[i]));
    place = place * dims[i] + (dims[i] == 1 ? 0 : here);
  }
  return static_cast<std::size_t>(place);
}

namespace {

double Combined(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return a / b;
    case BinaryKind::kMaximum: return std::max(a, b);
    case BinaryKind::kMinimum: return std::min(a, b);
  }
  return a;
}

// Replaces a line of numbers, `stride` apart, by their softmax.
void SoftmaxLine(double* begin, std::size_t size, std::size_t stride, bool logarithm) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size; ++i) maximum = std::max(maximum, begin[i * stride]);
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += std::exp(begin[i * stride] - maximum);
  for (std::size_t i = 0; i < size; ++i) {
    const double exponent = begin[i * stride] - maximum - std::log(sum);
    begin[i * stride] = logarithm ? exponent : std::exp(exponent);
  }
}

}  // namespace

ExactValues Exact(const ChannelScale& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis channels(dims, 0);
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t channel = i / channels.stride;
    if (body.scale != nullptr) result[i] *= double{body.scale->values[channel]};
    if (body.shift != nullptr) result[i] += double{body.shift->values[channel]};
  }
  return result;
}

ExactValues Exact(const Activation& body, SampleViews inputs, const TensorDims&) {
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (double& value : result) value = ReferenceValue(body, value);
  return result;
}

ExactValues Exact(const Binary& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  IndexWalk walk(dims);
  do {
    result.push_back(Combined(body.kind, inputs[0].values[PlaceOf(walk.index(), inputs[0].dims)],
                              inputs[1].values[PlaceOf(walk.index(), inputs[1].dims)]));
  } while (walk.Next());
  return result;
}

ExactValues Exact(const Softmax& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis axis(dims, body.axis);
  ExactValues result(inputs[0].values.begin(), inputs[0].values.end());
  for (std::size_t outer = 0; outer < axis.outer; ++outer) {
    for (std::size_t inner = 0; inner < axis.stride; ++inner)
      SoftmaxLine(&result[axis.Begin(outer, inner)], axis.size, axis.stride, body.logarithm);
  }
  return result;
}

ExactValues Exact(const Reduction& body, SampleViews inputs, const TensorDims& dims) {
  TensorDims kept = inputs[0].dims;  // with the axes, of size 1
  for (std::size_t axis : body.axes) kept[axis] = 1;
  CHECK(ElementsOf(kept) == ElementsOf(dims));
  const bool maximum = body.kind == ReductionKind::kMaximum;
  const double nothing = maximum ? -std::numeric_limits<double>::infinity() : 0;
  ExactValues result(static_cast<std::size_t>(ElementsOf(dims)), nothing);
  IndexWalk walk(inputs[0].dims);
  for (float value : inputs[0].values) {
    double& so_far = result[PlaceOf(walk.index(), kept)];
    so_far = maximum ? std::max<double>(so_far, value) : so_far + double{value};
    walk.Next();
  }
  if (body.kind == ReductionKind::kMean) {
    const auto count =
        static_cast<double>(inputs[0].values.size()) / static_cast<double>(result.size());
    for (double& value : result) value /= count;
  }
  return result;
}

namespace {

// What a line of `input` numbers, `stride` apart, is at a position; its ends go on forever.
double ValueAt(const Resize& resize, const double* line, std::int64_t input, std::size_t stride,
               double position) {
  const auto at = [&](double pixel) {
    const double clamped = std::clamp(pixel, 0.0, static_cast<double>(input - 1));
    return line[static_cast<std::size_t>(clamped) * stride];
  };
  if (resize.kind == ResizeKind::kNearest) return at(ResizeRounded(resize.rounding, position));
  const double left = std::floor(position);
  const double share = position - left;
  return (1 - share) * at(left) + share * at(left + 1);
}

ExactValues ResizedAlong(const Resize& resize, const ExactValues& values, const TensorDims& dims,
                         std::size_t axis, std::int64_t size) {
  const AlongAxis in(dims, axis);
  TensorDims resized = dims;
  resized[axis] = size;
  const AlongAxis out(resized, axis);
  ExactValues result(out.outer * out.size * out.stride);
  for (std::size_t outer = 0; outer < out.outer; ++outer) {
    for (std::size_t inner = 0; inner < out.stride; ++inner) {
      for (std::int64_t i = 0; i < size; ++i)
        result[out.Begin(outer, inner) + static_cast<std::size_t>(i) * out.stride] =
            ValueAt(resize, &values[in.Begin(outer, inner)], dims[axis], in.stride,
                    ResizePosition(resize.grid, i, dims[axis], size));
    }
  }
  return result;
}

}  // namespace

ExactValues Exact(const Concatenation& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis whole(dims, body.axis);
  ExactValues result;
  for (std::size_t outer = 0; outer < whole.outer; ++outer) {
    for (const SampleView& part : inputs) {
      const auto block = static_cast<std::size_t>(part.dims[body.axis]) * whole.stride;
      const std::span<const float> values = part.values.subspan(outer * block, block);
      result.insert(result.end(), values.begin(), values.end());
    }
  }
  return result;
}

ExactValues Exact(const Slice& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  IndexWalk walk(dims);
  do {
    TensorDims from = walk.index();
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = body.start[i] + from[i] * body.step[i];
    result.push_back(inputs[0].values[PlaceOf(from, inputs[0].dims)]);
  } while (walk.Next());
  return result;
}

ExactValues Exact(const Transposition& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  IndexWalk walk(dims);
  do {
    TensorDims from(dims.size());
    for (std::size_t i = 0; i < from.size(); ++i) from[body.order[i]] = walk.index()[i];
    result.push_back(inputs[0].values[PlaceOf(from, inputs[0].dims)]);
  } while (walk.Next());
  return result;
}

ExactValues Exact(const Reshape&, SampleViews inputs, const TensorDims&) {
  return {inputs[0].values.begin(), inputs[0].values.end()};
}

// One axis after the other: both the nearest and the linear interpolation allow for that.
ExactValues Exact(const Resize& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues values(inputs[0].values.begin(), inputs[0].values.end());
  TensorDims so_far = inputs[0].dims;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    values = ResizedAlong(body, values, so_far, axis, dims[axis]);
    so_far[axis] = dims[axis];
  }
  return values;
}

ExactValues Exact(const Padding& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  IndexWalk walk(dims);
  do {
    TensorDims from = walk.index();
    bool inside = true;
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] -= body.before[i];
      inside = inside && from[i] >= 0 && from[i] < inputs[0].dims[i];
    }
    result.push_back(inside ? inputs[0].values[PlaceOf(from, inputs[0].dims)] : body.value);
  } while (walk.Next());
  return result;
}

namespace {

// One channel of an image.
struct Plane {
  Plane(const SampleView& image, std::int64_t channel)
      : height(image.dims[1]),
        width(image.dims[2]),
        values(image.values.subspan(static_cast<std::size_t>(channel * height * width),
                                    static_cast<std::size_t>(height * width))) {}

  double At(std::int64_t y, std::int64_t x) const {
    return values[static_cast<std::size_t>(y * width + x)];
  }

  std::int64_t height;
  std::int64_t width;
  std::span<const float> values;
};

// Where the window of the i-th result has its k-th point, in height (axis 0) or width.
std::int64_t PointOf(const ImageWindow& window, std::size_t axis, std::int64_t i, std::int64_t k) {
  return i * window.stride[axis] + k * window.dilation[axis] - window.pad_before[axis];
}

bool Inside(std::int64_t point, std::int64_t size) { return point >= 0 && point < size; }

// Adds `weight` times what one point of the window sees, to all pixels of a result's channel.
void AddPoint(const ImageWindow& window, std::int64_t r, std::int64_t s, double weight,
              const Plane& in, std::int64_t height, std::int64_t width, double* result) {
  for (std::int64_t p = 0; p < height; ++p) {
    const std::int64_t y = PointOf(window, 0, p, r);
    if (!Inside(y, in.height)) continue;
    for (std::int64_t q = 0; q < width; ++q) {
      const std::int64_t x = PointOf(window, 1, q, s);
      if (Inside(x, in.width)) result[p * width + q] += weight * in.At(y, x);
    }
  }
}

// Of a transposed convolution: inputs and results have changed sides.
void AddPointTransposed(const ImageWindow& window, std::int64_t r, std::int64_t s, double weight,
                        const Plane& in, std::int64_t height, std::int64_t width, double* result) {
  for (std::int64_t y = 0; y < in.height; ++y) {
    const std::int64_t p = PointOf(window, 0, y, r);
    if (!Inside(p, height)) continue;
    for (std::int64_t x = 0; x < in.width; ++x) {
      const std::int64_t q = PointOf(window, 1, x, s);
      if (Inside(q, width)) result[p * width + q] += weight * in.At(y, x);
    }
  }
}

// Calls visit(y, x) for each point of a result's window that is inside the image.
template <typename Visit>
void ForEachInside(const ImageWindow& window, const Plane& in, std::int64_t p, std::int64_t q,
                   const Visit& visit) {
  for (std::int64_t r = 0; r < window.kernel[0]; ++r) {
    for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
      const std::int64_t y = PointOf(window, 0, p, r);
      const std::int64_t x = PointOf(window, 1, q, s);
      if (Inside(y, in.height) && Inside(x, in.width)) visit(y, x);
    }
  }
}

double Pooled(const Pool& pool, const Plane& in, std::int64_t p, std::int64_t q) {
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0;
  std::int64_t count = 0;
  ForEachInside(pool.window, in, p, q, [&](std::int64_t y, std::int64_t x) {
    maximum = std::max(maximum, in.At(y, x));
    sum += in.At(y, x);
    ++count;
  });
  if (pool.kind == PoolKind::kMax) return maximum;
  if (pool.kind == PoolKind::kAveragePadding) count = pool.window.kernel[0] * pool.window.kernel[1];
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

ExactValues Exact(const Convolution& body, SampleViews inputs, const TensorDims& dims) {
  const SampleView& image = inputs[0];
  const TensorDims& kernel = body.weights->dims;
  const std::int64_t inputs_of_group = image.dims[0] / body.groups;
  const std::int64_t outputs_of_group = dims[0] / body.groups;
  const std::int64_t pixels = dims[1] * dims[2];
  CHECK(kernel[body.transposed ? 1 : 0] * (body.transposed ? body.groups : 1) == dims[0]);
  CHECK(kernel[body.transposed ? 0 : 1] * (body.transposed ? 1 : body.groups) == image.dims[0]);
  ExactValues result(static_cast<std::size_t>(ElementsOf(dims)), 0);
  for (std::int64_t k = 0; k < dims[0]; ++k) {
    double* plane = result.data() + k * pixels;
    if (body.bias != nullptr)
      std::fill_n(plane, pixels, body.bias->values[static_cast<std::size_t>(k)]);
    const std::int64_t group = k / outputs_of_group;
    for (std::int64_t c = 0; c < inputs_of_group; ++c) {
      const std::int64_t channel = group * inputs_of_group + c;
      const std::int64_t filter = body.transposed
                                      ? channel * outputs_of_group + k % outputs_of_group
                                      : k * inputs_of_group + c;
      for (std::int64_t point = 0; point < kernel[2] * kernel[3]; ++point) {
        const double weight =
            body.weights->values[static_cast<std::size_t>(filter * kernel[2] * kernel[3] + point)];
        (body.transposed ? AddPointTransposed : AddPoint)(
            body.window, point / kernel[3], point % kernel[3], weight, Plane(image, channel),
            dims[1], dims[2], plane);
      }
    }
  }
  return result;
}

ExactValues Exact(const Linear& body, SampleViews inputs, const TensorDims& dims) {
  const auto outputs = static_cast<std::size_t>(body.weights->dims[0]);
  const auto width = static_cast<std::size_t>(body.weights->dims[1]);
  CHECK(!dims.empty() && dims.back() == body.weights->dims[0]);
  CHECK(inputs[0].dims.back() == body.weights->dims[1]);
  ExactValues result(static_cast<std::size_t>(ElementsOf(dims)), 0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t row = i / outputs;
    const std::size_t output = i % outputs;
    if (body.bias != nullptr) result[i] = body.bias->values[output];
    for (std::size_t j = 0; j < width; ++j)
      result[i] += double{body.weights->values[output * width + j]} *
                   double{inputs[0].values[row * width + j]};
  }
  return result;
}

ExactValues Exact(const Pool& body, SampleViews inputs, const TensorDims& dims) {
  ExactValues result;
  for (std::int64_t channel = 0; channel < dims[0]; ++channel) {
    const Plane in(inputs[0], channel);
    for (std::int64_t p = 0; p < dims[1]; ++p) {
      for (std::int64_t q = 0; q < dims[2]; ++q) result.push_back(Pooled(body, in, p, q));
    }
  }
  return result;
}

// The window over channels is centred; of an even size, it has one more behind than before.
ExactValues Exact(const LocalResponseNorm& body, SampleViews inputs, const TensorDims& dims) {
  const AlongAxis channels(dims, 0);
  const auto before = static_cast<std::size_t>((body.size - 1) / 2);
  const auto behind = static_cast<std::size_t>(body.size - 1) - before;
  ExactValues result(inputs[0].values.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t channel = i / channels.stride;
    const std::size_t first = channel - std::min(channel, before);
    const std::size_t last = std::min(channel + behind, channels.size - 1);
    double squares = 0;
    for (std::size_t c = first; c <= last; ++c) {
      const double x = inputs[0].values[c * channels.stride + i % channels.stride];
      squares += x * x;
    }
    const double share = double{body.alpha} / static_cast<double>(body.size);
    result[i] = double{inputs[0].values[i]} /
                std::pow(double{body.bias} + share * squares, double{body.beta});
  }
  return result;
}

namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double Clip(double x, double low, double high) { return std::min(std::max(x, low), high); }

void Apply(const Activation& activation, ExactValues& values) {
  for (double& value : values) value = ReferenceValue(activation, value);
}

void AddTo(ExactValues& values, std::span<const float> added) {
  CHECK(added.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += double{added[i]};
}

// The tensors of one sample on its way through a graph.
class SampleRun {
 public:
  SampleRun(const OperatorGraph& graph, std::int64_t sample,
            const std::vector<std::vector<float>>& inputs)
      : graph_(graph), computed_(graph.tensors.size()), views_(graph.tensors.size()) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (graph.tensors[i].constant != nullptr) views_[i] = graph.tensors[i].constant->values;
    }
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const auto size = static_cast<std::size_t>(ElementsOf(graph.tensors[graph.inputs[i]].dims));
      views_[graph.inputs[i]] =
          std::span(inputs[i]).subspan(static_cast<std::size_t>(sample) * size, size);
    }
  }

  void Run() {
    for (const GraphOperator& op : graph_.operators) {
      std::vector<SampleView> reads;
      for (TensorIndex tensor : op.Reads())
        reads.push_back({graph_.tensors[tensor].dims, views_[tensor]});
      computed_[op.output] = ReferenceSample(op, reads, graph_.tensors[op.output].dims);
      views_[op.output] = computed_[op.output];
    }
  }

  std::span<const float> Values(TensorIndex tensor) const { return views_[tensor]; }

 private:
  const OperatorGraph& graph_;
  std::vector<std::vector<float>> computed_;
  std::vector<std::span<const float>> views_;
};

}  // namespace

ExactValues Exact(const Opaque& body, SampleViews /*inputs*/, const TensorDims& /*dims*/) {
  CHECK_MSG(false, body.type);
  return {};
}

double ReferenceValue(const Activation& activation, double x) {
  const double alpha = activation.alpha;
  const double beta = activation.beta;
  switch (activation.kind) {
    case ActivationKind::kRelu: return std::max(x, 0.0);
    case ActivationKind::kLeakyRelu: return x < 0 ? alpha * x : x;
    case ActivationKind::kClip: return Clip(x, alpha, beta);
    case ActivationKind::kSigmoid: return Sigmoid(x);
    case ActivationKind::kHardSigmoid: return Clip(alpha * x + beta, 0, 1);
    case ActivationKind::kHardSwish: return x * Clip(x / 6 + 0.5, 0, 1);
    case ActivationKind::kSilu: return x * Sigmoid(x);
    case ActivationKind::kTanh: return std::tanh(x);
    case ActivationKind::kElu: return x < 0 ? alpha * std::expm1(x) : x;
    case ActivationKind::kGelu: return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
    case ActivationKind::kExp: return std::exp(x);
    case ActivationKind::kSqrt: return std::sqrt(x);
    case ActivationKind::kAbs: return std::abs(x);
    case ActivationKind::kLinear: return alpha * x + beta;
  }
  return x;
}

std::vector<float> ReferenceSample(const GraphOperator& op, std::span<const SampleView> reads,
                                   const TensorDims& dims) {
  const SampleViews inputs = reads.first(op.inputs.size());
  SampleViews added = reads.subspan(op.inputs.size());
  ExactValues values =
      std::visit([&](const auto& body) { return Exact(body, inputs, dims); }, op.body);
  for (const PostOperation& post : op.then) {
    if (const auto* activation = std::get_if<Activation>(&post)) {
      Apply(*activation, values);
    } else {
      AddTo(values, added.front().values);
      added = added.subspan(1);
    }
  }
  CHECK(static_cast<std::int64_t>(values.size()) == ElementsOf(dims));
  return {values.begin(), values.end()};
}

std::vector<std::vector<float>> ReferenceOutputs(const OperatorGraph& graph, std::int64_t batch,
                                                 const std::vector<std::vector<float>>& inputs) {
  CHECK(inputs.size() == graph.inputs.size());
  std::vector<std::vector<float>> outputs(graph.outputs.size());
  for (std::int64_t sample = 0; sample < batch; ++sample) {
    SampleRun run(graph, sample, inputs);
    run.Run();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const float> values = run.Values(graph.outputs[i]);
      outputs[i].insert(outputs[i].end(), values.begin(), values.end());
    }
  }
  return outputs;
}

}  // namespace fairlead
