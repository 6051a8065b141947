// Copies numbers between two arrangements in memory: slices, transpositions, parts of a
// concatenation, and the way from one layout of an image to another are all this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairlead {

// One dimension: how often, and how many numbers further each time.
struct StridedDimension {
  std::int64_t size = 1;
  std::int64_t from_stride = 0;  // negative: backwards
  std::int64_t to_stride = 0;
};

class StridedCopy {
 public:
  // The first dimension is the outermost. Dimensions of 1, and neighbours that run on into each
  // other, are merged.
  StridedCopy(const std::vector<StridedDimension>& dimensions, std::int64_t from_offset,
              std::int64_t to_offset);

  void Run(const float* from, float* to) const;

 private:
  void RunDimension(std::size_t dimension, const float* from, float* to) const;

  std::vector<StridedDimension> dimensions_;
  std::int64_t from_offset_;
  std::int64_t to_offset_;
};

// Row-major strides.
std::vector<std::int64_t> DenseStrides(const std::vector<std::int64_t>& dims);

}  // namespace fairlead
