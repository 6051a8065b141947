#include "fairlead/execution/strided_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fairlead/networks/reference_operators.h"

namespace fairlead {

StridedCopy::StridedCopy(const std::vector<StridedDimension>& dimensions, std::int64_t from_offset,
                         std::int64_t to_offset)
    : from_offset_(from_offset), to_offset_(to_offset) {
  for (const StridedDimension& next : dimensions) {
    if (next.size == 1) continue;
    if (!dimensions_.empty()) {
      StridedDimension& outer = dimensions_.back();
      if (outer.from_stride == next.size * next.from_stride &&
          outer.to_stride == next.size * next.to_stride) {
        outer = {outer.size * next.size, next.from_stride, next.to_stride};
        continue;
      }
    }
    dimensions_.push_back(next);
  }
  if (dimensions_.empty()) dimensions_.push_back({.size = 1, .from_stride = 1, .to_stride = 1});
}

void StridedCopy::Run(const float* from, float* to) const {
  RunDimension(0, from + from_offset_, to + to_offset_);
}

void StridedCopy::RunDimension(std::size_t dimension, const float* from, float* to) const {
  const auto [size, from_stride, to_stride] = dimensions_[dimension];
  if (dimension + 1 < dimensions_.size()) {
    for (std::int64_t i = 0; i < size; ++i)
      RunDimension(dimension + 1, from + i * from_stride, to + i * to_stride);
  } else if (from_stride == 1 && to_stride == 1) {
    std::copy_n(from, size, to);
  } else {
    for (std::int64_t i = 0; i < size; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

std::vector<std::int64_t> DenseStrides(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

namespace {

float Apply(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return a / b;
    case BinaryKind::kMaximum: return std::max(a, b);
    case BinaryKind::kMinimum: return std::min(a, b);
  }
  return 0;
}

}  // namespace

StridedBinary::StridedBinary(BinaryKind kind, TensorDims a_strides, TensorDims b_strides,
                             TensorDims dims)
    : kind_(kind),
      a_strides_(std::move(a_strides)),
      b_strides_(std::move(b_strides)),
      dims_(std::move(dims)) {}

void StridedBinary::Run(const float* a, const float* b, float* output) const {
  RunDimension(0, a, b, output);
}

float* StridedBinary::RunDimension(std::size_t dimension, const float* a, const float* b,
                                   float* output) const {
  if (dimension == dims_.size()) {
    *output = Apply(kind_, *a, *b);
    return output + 1;
  }
  for (std::int64_t i = 0; i < dims_[dimension]; ++i) {
    output = RunDimension(dimension + 1, a, b, output);
    a += a_strides_[dimension];
    b += b_strides_[dimension];
  }
  return output;
}

StridedReduction::StridedReduction(const Reduction& reduction, const TensorDims& dims)
    : kind_(reduction.kind) {
  const TensorDims strides = DenseStrides(dims);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool reduced = i > 0 && std::ranges::find(reduction.axes, i - 1) != reduction.axes.end();
    (reduced ? reduced_ : kept_).push_back({dims[i], strides[i]});
    if (reduced) count_ *= static_cast<double>(dims[i]);
  }
}

void StridedReduction::Run(const float* from, float* output) const {
  RunDimension(0, from, output);
}

double StridedReduction::Combine(std::size_t dimension, const float* from, double so_far) const {
  if (dimension == reduced_.size()) {
    const auto number = static_cast<double>(*from);
    return kind_ == ReductionKind::kMaximum ? std::max(so_far, number) : so_far + number;
  }
  const auto [size, stride] = reduced_[dimension];
  for (std::int64_t i = 0; i < size; ++i)
    so_far = Combine(dimension + 1, from + i * stride, so_far);
  return so_far;
}

float* StridedReduction::RunDimension(std::size_t dimension, const float* from,
                                      float* output) const {
  if (dimension == kept_.size()) {
    const bool maximum = kind_ == ReductionKind::kMaximum;
    const double start = maximum ? -std::numeric_limits<double>::infinity() : 0;
    const double combined = Combine(0, from, start);
    *output = static_cast<float>(kind_ == ReductionKind::kMean ? combined / count_ : combined);
    return output + 1;
  }
  const auto [size, stride] = kept_[dimension];
  for (std::int64_t i = 0; i < size; ++i)
    output = RunDimension(dimension + 1, from + i * stride, output);
  return output;
}

ImageResize::ImageResize(const Resize& resize, std::int64_t images, std::int64_t height,
                         std::int64_t width, std::int64_t to_height, std::int64_t to_width)
    : images_(images),
      height_(height),
      width_(width),
      rows_(SourcesOf(resize, height, to_height)),
      columns_(SourcesOf(resize, width, to_width)) {}

std::vector<ImageResize::Source> ImageResize::SourcesOf(const Resize& resize, std::int64_t from,
                                                        std::int64_t to) {
  const auto place = [&](std::int64_t i) { return ResizePosition(resize.grid, i, from, to); };
  const auto inside = [&](double at) {
    return std::clamp(static_cast<std::int64_t>(at), std::int64_t{0}, from - 1);
  };
  std::vector<Source> sources;
  for (std::int64_t i = 0; i < to; ++i) {
    if (resize.kind == ResizeKind::kNearest) {
      const std::int64_t source = inside(ResizeRounded(resize.rounding, place(i)));
      sources.push_back({source, source, 0});
    } else {
      const double at = std::clamp(place(i), 0.0, static_cast<double>(from - 1));
      const double low = std::floor(at);
      sources.push_back({inside(low), inside(low + 1), static_cast<float>(at - low)});
    }
  }
  return sources;
}

void ImageResize::Run(const float* from, float* output) const {
  for (std::int64_t image = 0; image < images_; ++image) {
    for (const Source& row : rows_) {
      const float* const upper = from + row.first * width_;
      const float* const lower = from + row.second * width_;
      for (const Source& column : columns_) {
        const float above =
            upper[column.first] * (1 - column.share) + upper[column.second] * column.share;
        const float below =
            lower[column.first] * (1 - column.share) + lower[column.second] * column.share;
        *output++ = above * (1 - row.share) + below * row.share;
      }
    }
    from += height_ * width_;
  }
}

ChannelNormLoops::ChannelNormLoops(const LocalResponseNorm& norm, const TensorDims& dims,
                                   std::int64_t batch)
    : norm_(norm), channels_(dims[0]), pixels_(ElementsOf(dims) / dims[0]), batch_(batch) {}

void ChannelNormLoops::Run(const float* from, float* output) const {
  const std::int64_t down = (norm_.size - 1) / 2;
  for (std::int64_t sample = 0; sample < batch_; ++sample) {
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      const std::int64_t first = std::max<std::int64_t>(channel - down, 0);
      const std::int64_t last = std::min(channel - down + norm_.size, channels_);
      for (std::int64_t pixel = 0; pixel < pixels_; ++pixel) {
        float squares = 0;
        for (std::int64_t i = first; i < last; ++i)
          squares += from[i * pixels_ + pixel] * from[i * pixels_ + pixel];
        const float scale = norm_.bias + norm_.alpha / static_cast<float>(norm_.size) * squares;
        *output++ = from[channel * pixels_ + pixel] / std::pow(scale, norm_.beta);
      }
    }
    from += channels_ * pixels_;
  }
}

}  // namespace fairlead
