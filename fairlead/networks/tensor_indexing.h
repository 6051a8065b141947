// Where the numbers of a tensor lie, row-major.
#pragma once

#include <cstddef>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

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

// Where an index lies; an index that has more dimensions has them in front, and those of size 1 are
// stretched.
std::size_t PlaceOf(const TensorDims& index, const TensorDims& dims);

}  // namespace fairlead
