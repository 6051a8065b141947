// Builds the layers of a network, so that its description reads like the table in its paper.
//
// Every operator that costs something becomes a layer: convolutions, linear layers, pools,
// residual additions, gates, batch norms that stand before their convolution, resizes and channel
// shuffles. What costs nothing is not: a batch norm and an activation right behind a layer work on
// its results before they are written; concatenations and splits of channels only say where data
// lies; flattening and dropout do nothing. docs/networks.md has the reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/costs/layer.h"
#include "fairlead/costs/layer_list.h"
#include "fairlead/costs/layered_network.h"

namespace fairlead {

// Data on its way from layer to layer.
struct Tensor {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  LayerIndices from;  // the layers that it waits for

  std::int64_t Elements() const { return channels * height * width; }
};

// What is added after the weights: scale and shift, a shift, or nothing.
enum class Epilogue : std::uint8_t { kBatchNorm, kBias, kNothing };

struct ConvolutionSpec {
  std::int64_t outputs = 0;
  std::int64_t height = 1;  // of the kernel
  std::int64_t width = 1;
  std::int64_t stride = 1;
  std::int64_t pad_height = 0;
  std::int64_t pad_width = 0;
  std::int64_t groups = 1;
  Epilogue epilogue = Epilogue::kBatchNorm;

  ConvolutionSpec With(Epilogue other) const {
    ConvolutionSpec spec = *this;
    spec.epilogue = other;
    return spec;
  }
};

// A square kernel that keeps the size at stride 1.
ConvolutionSpec Same(std::int64_t outputs, std::int64_t kernel, std::int64_t stride = 1);
// A square kernel without padding.
ConvolutionSpec Valid(std::int64_t outputs, std::int64_t kernel, std::int64_t stride = 1);
// Like Same, each output from its own input.
ConvolutionSpec Depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1);

struct PoolSpec {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  enum class Round : std::uint8_t { kDown, kUp } round = Round::kDown;  // of the output's size
};

class NetworkBuilder {
 public:
  static Tensor Input(std::int64_t channels, std::int64_t height, std::int64_t width) {
    return {channels, height, width, {}};
  }

  Tensor Convolution(std::string name, const Tensor& in, const ConvolutionSpec& spec);
  // Flattens what it is given; has a bias.
  Tensor Linear(std::string name, const Tensor& in, std::int64_t outputs);
  Tensor Pool(std::string name, const Tensor& in, const PoolSpec& spec);
  Tensor GlobalPool(std::string name, const Tensor& in);
  Tensor Add(std::string name, const Tensor& a, const Tensor& b);
  // Multiplies each channel by its gate.
  Tensor Gate(std::string name, const Tensor& in, const Tensor& gates);
  // A batch norm, with activation, that no layer before it can absorb.
  Tensor BatchNorm(std::string name, const Tensor& in);
  Tensor Upsample(std::string name, const Tensor& in, std::int64_t factor);
  Tensor ShuffleChannels(std::string name, const Tensor& in);

  // Free: these only shape the data.
  Tensor Concatenate(const std::vector<Tensor>& parts) const;
  static Tensor Half(const Tensor& in) { return {in.channels / 2, in.height, in.width, in.from}; }

  std::vector<NetworkLayer> Take() { return layers_.Take(); }

 private:
  Tensor Append(std::string name, const LayerIndices& from, const LayerShape& shape,
                std::int64_t parameters);

  LayerList layers_;
};

}  // namespace fairlead
