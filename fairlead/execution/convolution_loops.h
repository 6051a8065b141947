// A convolution in plain loops, for the few that no library carries out safely.
#pragma once

#include <cstdint>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

class ConvolutionLoops {
 public:
  ConvolutionLoops(const Convolution& convolution, const TensorDims& input,
                   const TensorDims& output, std::int64_t batch);

  // All row-major, as in Convolution; `bias` may be null.
  void Run(const float* images, const float* weights, const float* bias, float* output) const;

 private:
  float At(const float* image, const float* weights, std::int64_t channel, std::int64_t row,
           std::int64_t column) const;
  // The row or column of the input that a point of the window sees; -1: none.
  std::int64_t Seen(std::size_t axis, std::int64_t out, std::int64_t kernel) const;

  ImageWindow window_;
  bool transposed_;
  TensorDims input_;
  TensorDims output_;
  std::int64_t batch_;
  std::int64_t group_inputs_;
  std::int64_t group_outputs_;
};

}  // namespace fairlead
