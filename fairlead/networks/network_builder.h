// Builds the graph of a network so that its description reads like the table in its paper. Weights
// have dimensions, but no values as yet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/networks/graph_builder.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

inline constexpr Activation kIdentity{ActivationKind::kLinear, 1, 0};
inline constexpr Activation kRelu{ActivationKind::kRelu};
inline constexpr Activation kRelu6{ActivationKind::kClip, 0, 6};
inline constexpr Activation kLeakyRelu{ActivationKind::kLeakyRelu, 0.1F};
inline constexpr Activation kSigmoid{ActivationKind::kSigmoid};
inline constexpr Activation kHardSigmoid{ActivationKind::kHardSigmoid, 1.0F / 6, 0.5F};
inline constexpr Activation kSilu{ActivationKind::kSilu};
inline constexpr Activation kHardSwish{ActivationKind::kHardSwish};

// Data on its way from operator to operator.
struct Tensor {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  TensorIndex index = 0;  // in the graph

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
  std::optional<Activation> activation = {};  // none: the network's

  ConvolutionSpec With(Epilogue other) const {
    ConvolutionSpec spec = *this;
    spec.epilogue = other;
    return spec;
  }
  ConvolutionSpec With(Activation other) const {
    ConvolutionSpec spec = *this;
    spec.activation = other;
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
  PoolKind kind = PoolKind::kMax;
};

class NetworkBuilder {
 public:
  // `activation` is what follows a convolution or batch norm that says nothing else.
  explicit NetworkBuilder(Activation activation = kRelu) : activation_(activation) {}

  Tensor Input(std::int64_t channels, std::int64_t height, std::int64_t width);

  Tensor Convolution(const std::string& name, const Tensor& in, const ConvolutionSpec& spec);
  // Flattens what it is given; has a bias, and no activation.
  Tensor Linear(std::string name, const Tensor& in, std::int64_t outputs);
  Tensor Pool(std::string name, const Tensor& in, const PoolSpec& spec);
  // The average of each channel.
  Tensor GlobalPool(std::string name, const Tensor& in);
  Tensor Add(std::string name, const Tensor& a, const Tensor& b);
  // Multiplies each channel by its gate.
  Tensor Gate(std::string name, const Tensor& in, const Tensor& gates);
  // A batch norm, with activation, that no layer before it can absorb.
  Tensor BatchNorm(const std::string& name, const Tensor& in);
  Tensor Upsample(std::string name, const Tensor& in, std::int64_t factor);
  // The first of the one half, the first of the other, the second of the one, and so on.
  Tensor ShuffleChannels(const std::string& name, const Tensor& in);

  // The network's own activation.
  Tensor Activate(const Tensor& in) { return Activated(in, activation_); }
  Tensor Flatten(const Tensor& in);
  Tensor Concatenate(const std::vector<Tensor>& parts);
  std::array<Tensor, 2> Halves(const Tensor& in);

  // What nothing reads is an output.
  OperatorGraph Take();

 private:
  Tensor TensorAt(TensorIndex index) const;
  Tensor Activated(const Tensor& in, const Activation& activation);
  TensorIndex Normalised(const std::string& name, TensorIndex in);
  std::string NameBehind(TensorIndex tensor, const char* what) const;

  Activation activation_;
  GraphBuilder graph_;
};

}  // namespace fairlead
