// Builds the graph of a network, so that its description reads like the table in its paper.
//
// Convolutions and linear layers become layers of the graph. Pooling, additions, concatenations
// and upsampling cost next to nothing beside them: here they only shape the data and carry the
// dependencies, so a convolution behind a concatenation waits for all branches. Dependencies that
// others imply are left out.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/costs/layer.h"
#include "fairlead/domain/network_graph.h"

namespace fairlead {

struct NetworkLayer {
  std::string name;
  LayerShape shape;
  std::int64_t parameters = 0;  // weights, and two a channel for a batch norm or one for a bias
  std::vector<std::uint32_t> after;
};

// Data on its way from layer to layer.
struct Tensor {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint32_t> from;  // the layers that it waits for
};

// What is added after the weights.
enum class Epilogue : std::uint8_t { kBatchNorm, kBias };

struct ConvolutionSpec {
  std::int64_t outputs = 0;
  std::int64_t height = 1;  // of the kernel
  std::int64_t width = 1;
  std::int64_t stride = 1;
  std::int64_t pad_height = 0;
  std::int64_t pad_width = 0;
  Epilogue epilogue = Epilogue::kBatchNorm;
};

// A square kernel that keeps the size at stride 1.
ConvolutionSpec Same(std::int64_t outputs, std::int64_t kernel, std::int64_t stride = 1);
// A square kernel without padding.
ConvolutionSpec Valid(std::int64_t outputs, std::int64_t kernel, std::int64_t stride = 1);

class NetworkBuilder {
 public:
  static Tensor Input(std::int64_t channels, std::int64_t height, std::int64_t width) {
    return {channels, height, width, {}};
  }

  Tensor Convolution(std::string name, const Tensor& in, const ConvolutionSpec& spec);
  Tensor Linear(std::string name, const Tensor& in, std::int64_t outputs);
  static Tensor Pool(const Tensor& in, std::int64_t kernel, std::int64_t stride,
                     std::int64_t pad = 0);
  static Tensor Resized(const Tensor& in, std::int64_t height, std::int64_t width);
  Tensor Add(const Tensor& a, const Tensor& b) const;
  Tensor Concatenate(std::initializer_list<Tensor> parts) const;

  std::vector<NetworkLayer> Take() { return std::move(layers_); }

 private:
  Tensor Append(std::string name, const Tensor& in, const LayerShape& shape, Epilogue epilogue);
  // The union, without what the rest implies.
  std::vector<std::uint32_t> Merge(const std::vector<std::uint32_t>& a,
                                   const std::vector<std::uint32_t>& b) const;

  std::vector<NetworkLayer> layers_;
  std::vector<std::vector<bool>> ancestors_;  // per layer: which layers it waits for, however far
};

}  // namespace fairlead
