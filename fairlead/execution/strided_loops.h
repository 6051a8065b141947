// Loops over tensors of any dimensions, for what no library does: slow next to vector code, and
// seldom needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// Copies numbers between two arrangements in memory: slices, transpositions, parts of a
// concatenation, and the way from one layout of an image to another are all this.

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

// output[i] = a[i] (kind) b[i]; strides of 0 repeat. All have the same number of dimensions; the
// output is row-major.
class StridedBinary {
 public:
  StridedBinary(BinaryKind kind, TensorDims a_strides, TensorDims b_strides, TensorDims dims);
  void Run(const float* a, const float* b, float* output) const;

 private:
  float* RunDimension(std::size_t dimension, const float* a, const float* b, float* output) const;

  BinaryKind kind_;
  TensorDims a_strides_;
  TensorDims b_strides_;
  TensorDims dims_;
};

// Combines over some dimensions. The output is row-major over the others.
class StridedReduction {
 public:
  // `dims` with the batch in front, which `axes` do not count.
  StridedReduction(const Reduction& reduction, const TensorDims& dims);
  void Run(const float* from, float* output) const;

 private:
  double Combine(std::size_t dimension, const float* from, double so_far) const;
  float* RunDimension(std::size_t dimension, const float* from, float* output) const;

  struct Dimension {
    std::int64_t size = 1;
    std::int64_t stride = 1;
  };
  ReductionKind kind_;
  std::vector<Dimension> kept_;
  std::vector<Dimension> reduced_;
  double count_ = 1;
};

// Images to another size: each row and column of the result between two of the input.
class ImageResize {
 public:
  // `images`: batch times channels.
  ImageResize(const Resize& resize, std::int64_t images, std::int64_t height, std::int64_t width,
              std::int64_t to_height, std::int64_t to_width);
  void Run(const float* from, float* output) const;

 private:
  struct Source {
    std::int64_t first = 0;
    std::int64_t second = 0;
    float share = 0;  // of the second
  };
  static std::vector<Source> SourcesOf(const Resize& resize, std::int64_t from, std::int64_t to);

  std::int64_t images_;
  std::int64_t height_;
  std::int64_t width_;
  std::vector<Source> rows_;
  std::vector<Source> columns_;
};

// Local response normalisation; the window of an even size reaches one channel further up than
// down.
class ChannelNormLoops {
 public:
  ChannelNormLoops(const LocalResponseNorm& norm, const TensorDims& dims, std::int64_t batch);
  void Run(const float* from, float* output) const;

 private:
  LocalResponseNorm norm_;
  std::int64_t channels_;
  std::int64_t pixels_;
  std::int64_t batch_;
};

}  // namespace fairlead
