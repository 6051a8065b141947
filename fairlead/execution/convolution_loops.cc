#include "fairlead/execution/convolution_loops.h"

namespace fairlead {

ConvolutionLoops::ConvolutionLoops(const Convolution& convolution, const TensorDims& input,
                                   const TensorDims& output, std::int64_t batch)
    : window_(convolution.window),
      transposed_(convolution.transposed),
      input_(input),
      output_(output),
      batch_(batch),
      group_inputs_(input[0] / convolution.groups),
      group_outputs_(output[0] / convolution.groups) {}

void ConvolutionLoops::Run(const float* images, const float* weights, const float* bias,
                           float* output) const {
  for (std::int64_t sample = 0; sample < batch_; ++sample) {
    for (std::int64_t channel = 0; channel < output_[0]; ++channel) {
      const float start = bias == nullptr ? 0 : bias[channel];
      for (std::int64_t row = 0; row < output_[1]; ++row) {
        for (std::int64_t column = 0; column < output_[2]; ++column)
          *output++ = start + At(images, weights, channel, row, column);
      }
    }
    images += ElementsOf(input_);
  }
}

std::int64_t ConvolutionLoops::Seen(std::size_t axis, std::int64_t out, std::int64_t kernel) const {
  const std::int64_t before = window_.pad_before[axis];
  std::int64_t seen = out * window_.stride[axis] + kernel * window_.dilation[axis] - before;
  if (transposed_) {
    seen = out + before - kernel * window_.dilation[axis];
    if (seen % window_.stride[axis] != 0) return -1;
    seen /= window_.stride[axis];
  }
  return seen < input_[axis + 1] ? seen : -1;
}

float ConvolutionLoops::At(const float* image, const float* weights, std::int64_t channel,
                           std::int64_t row, std::int64_t column) const {
  const std::int64_t group = channel / group_outputs_;
  const std::int64_t points = window_.kernel[0] * window_.kernel[1];
  float sum = 0;
  for (std::int64_t i = 0; i < group_inputs_; ++i) {
    const std::int64_t input = group * group_inputs_ + i;
    const std::int64_t place = transposed_ ? input * group_outputs_ + channel % group_outputs_
                                           : channel * group_inputs_ + i;
    const float* const kernel = weights + place * points;
    for (std::int64_t y = 0; y < window_.kernel[0]; ++y) {
      const std::int64_t from_row = Seen(0, row, y);
      if (from_row < 0) continue;
      for (std::int64_t x = 0; x < window_.kernel[1]; ++x) {
        const std::int64_t from_column = Seen(1, column, x);
        if (from_column < 0) continue;
        sum += kernel[y * window_.kernel[1] + x] *
               image[(input * input_[1] + from_row) * input_[2] + from_column];
      }
    }
  }
  return sum;
}

}  // namespace fairlead
