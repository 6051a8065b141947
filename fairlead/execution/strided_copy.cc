#include "fairlead/execution/strided_copy.h"

#include <algorithm>

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

}  // namespace fairlead
