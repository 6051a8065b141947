#include <algorithm>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"
#include "fairlead/networks/reference_bodies.h"
#include "fairlead/networks/tensor_indexing.h"

namespace fairlead {
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

}  // namespace fairlead
