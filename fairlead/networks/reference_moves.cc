#include <algorithm>
#include <cmath>

#include "fairlead/networks/reference_bodies.h"
#include "fairlead/networks/resize_grid.h"
#include "fairlead/networks/tensor_indexing.h"

namespace fairlead {

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

}  // namespace fairlead
