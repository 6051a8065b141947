#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {
namespace {

// A thin input expanded, filtered channel by channel, perhaps gated, and projected to a thin
// output; added to the input where the shapes agree.
struct InvertedResidual {
  std::int64_t kernel = 0;
  std::int64_t expanded = 0;
  std::int64_t outputs = 0;
  std::int64_t stride = 1;
  std::int64_t squeezed = 0;                  // width of the gates' bottleneck; 0: no gates
  std::optional<Activation> activation = {};  // none: the network's
};

class MobileBuilder {
 public:
  struct Activations {
    Activation usual = kRelu;
    Activation squeezed = kRelu;  // in the gates' bottleneck
    Activation gate = kSigmoid;
  };

  explicit MobileBuilder(const Activations& activations)
      : net(activations.usual), activations_(activations) {}

  Tensor Stem(std::int64_t outputs) {
    return net.Convolution("conv1", net.Input(3, 224, 224), Same(outputs, 3, 2));
  }

  Tensor Block(const Tensor& in, const InvertedResidual& block) {
    const std::string name = fmt::format("block{}.", ++blocks_);
    const Activation activation = block.activation.value_or(activations_.usual);
    Tensor x = in;
    if (block.expanded != in.channels)
      x = net.Convolution(name + "expand", x, Same(block.expanded, 1).With(activation));
    x = net.Convolution(name + "depthwise", x,
                        Depthwise(block.expanded, block.kernel, block.stride).With(activation));
    if (block.squeezed > 0) x = SqueezeAndExcite(name, x, block.squeezed);
    x = net.Convolution(name + "project", x, Same(block.outputs, 1).With(kIdentity));
    if (block.stride > 1 || block.outputs != in.channels) return x;
    return net.Add(name + "add", x, in);
  }

  // `repeats` times; only the first has the stride.
  Tensor Stage(Tensor x, std::int64_t expansion, InvertedResidual block, int repeats) {
    for (int i = 0; i < repeats; ++i) {
      block.expanded = expansion * x.channels;
      x = Block(x, block);
      block.stride = 1;
    }
    return x;
  }

  OperatorGraph Classify(const Tensor& in, std::int64_t features) {
    const Tensor x = net.Convolution("conv_last", in, Same(features, 1));
    net.Linear("fc", net.GlobalPool("pool", x), 1000);
    return net.Take();
  }

  NetworkBuilder net;

 private:
  Tensor SqueezeAndExcite(const std::string& name, const Tensor& in, std::int64_t squeezed) {
    Tensor gates = net.GlobalPool(name + "squeeze", in);
    gates = net.Convolution(name + "gate1", gates,
                            Same(squeezed, 1).With(Epilogue::kBias).With(activations_.squeezed));
    gates = net.Convolution(name + "gate2", gates,
                            Same(in.channels, 1).With(Epilogue::kBias).With(activations_.gate));
    return net.Gate(name + "gate", in, gates);
  }

  Activations activations_;
  int blocks_ = 0;
};

}  // namespace

// Sandler et al. (CVPR 2018).
OperatorGraph MobileNetV2() {
  MobileBuilder net({.usual = kRelu6});
  Tensor x = net.Stem(32);
  x = net.Stage(x, 1, {.kernel = 3, .outputs = 16}, 1);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 24, .stride = 2}, 2);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 32, .stride = 2}, 3);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 64, .stride = 2}, 4);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 96}, 3);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 160, .stride = 2}, 3);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 320}, 1);
  return net.Classify(x, 1280);
}

// Howard et al. (ICCV 2019), large.
OperatorGraph MobileNetV3() {
  constexpr InvertedResidual kBlocks[] = {
      {3, 16, 16, 1, 0, kRelu},  {3, 64, 24, 2, 0, kRelu},   {3, 72, 24, 1, 0, kRelu},
      {5, 72, 40, 2, 24, kRelu}, {5, 120, 40, 1, 32, kRelu}, {5, 120, 40, 1, 32, kRelu},
      {3, 240, 80, 2, 0},        {3, 200, 80, 1, 0},         {3, 184, 80, 1, 0},
      {3, 184, 80, 1, 0},        {3, 480, 112, 1, 120},      {3, 672, 112, 1, 168},
      {5, 672, 160, 2, 168},     {5, 960, 160, 1, 240},      {5, 960, 160, 1, 240}};
  MobileBuilder mobile({.usual = kHardSwish, .gate = kHardSigmoid});
  Tensor x = mobile.Stem(16);
  for (const InvertedResidual& block : kBlocks) x = mobile.Block(x, block);
  x = mobile.net.Convolution("conv_last", x, Same(960, 1));
  x = mobile.net.GlobalPool("pool", x);
  x = mobile.net.Activate(mobile.net.Linear("fc1", x, 1280));
  mobile.net.Linear("fc2", x, 1000);
  return mobile.net.Take();
}

// Tan et al. (CVPR 2019), variant B1 at full depth.
OperatorGraph MnasNet() {
  MobileBuilder net({.usual = kRelu});
  Tensor x = net.Stem(32);
  x = net.Stage(x, 1, {.kernel = 3, .outputs = 16}, 1);
  x = net.Stage(x, 3, {.kernel = 3, .outputs = 24, .stride = 2}, 3);
  x = net.Stage(x, 3, {.kernel = 5, .outputs = 40, .stride = 2}, 3);
  x = net.Stage(x, 6, {.kernel = 5, .outputs = 80, .stride = 2}, 3);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 96}, 2);
  x = net.Stage(x, 6, {.kernel = 5, .outputs = 192, .stride = 2}, 4);
  x = net.Stage(x, 6, {.kernel = 3, .outputs = 320}, 1);
  return net.Classify(x, 1280);
}

// Tan and Le (ICML 2019). Gates are squeezed to a quarter of the block's input.
OperatorGraph EfficientNetB0() {
  MobileBuilder net({.usual = kSilu, .squeezed = kSilu});
  const auto stage = [&net](Tensor x, std::int64_t expansion, InvertedResidual block, int repeats) {
    for (int i = 0; i < repeats; ++i) {
      block.squeezed = x.channels / 4;
      x = net.Stage(x, expansion, block, 1);
      block.stride = 1;
    }
    return x;
  };
  Tensor x = net.Stem(32);
  x = stage(x, 1, {.kernel = 3, .outputs = 16}, 1);
  x = stage(x, 6, {.kernel = 3, .outputs = 24, .stride = 2}, 2);
  x = stage(x, 6, {.kernel = 5, .outputs = 40, .stride = 2}, 2);
  x = stage(x, 6, {.kernel = 3, .outputs = 80, .stride = 2}, 3);
  x = stage(x, 6, {.kernel = 5, .outputs = 112}, 3);
  x = stage(x, 6, {.kernel = 5, .outputs = 192, .stride = 2}, 4);
  x = stage(x, 6, {.kernel = 3, .outputs = 320}, 1);
  return net.Classify(x, 1280);
}

// Ma et al. (ECCV 2018), at full width. A block filters one half of the channels and shuffles both;
// at a stride both halves come from all channels.
OperatorGraph ShuffleNetV2() {
  MobileBuilder mobile({.usual = kRelu});
  NetworkBuilder& net = mobile.net;
  const auto filter = [&net](const std::string& name, Tensor x, std::int64_t width,
                             std::int64_t stride) {
    x = net.Convolution(name + "first", x, Same(width, 1));
    x = net.Convolution(name + "depthwise", x, Depthwise(width, 3, stride).With(kIdentity));
    return net.Convolution(name + "last", x, Same(width, 1));
  };
  struct Stage {
    std::int64_t outputs;
    int blocks;
  };
  constexpr Stage kStages[] = {{116, 4}, {232, 8}, {464, 4}};
  Tensor x = net.Pool("pool1", mobile.Stem(24), {.kernel = 3, .stride = 2, .pad = 1});
  int stage = 1;
  for (const auto& [outputs, blocks] : kStages) {
    ++stage;
    for (int block = 0; block < blocks; ++block) {
      const std::string name = fmt::format("stage{}.{}.", stage, block);
      std::array<Tensor, 2> halves{x, x};
      if (block == 0) {
        halves[0] = net.Convolution(name + "other.depthwise", x,
                                    Depthwise(x.channels, 3, 2).With(kIdentity));
        halves[0] = net.Convolution(name + "other.last", halves[0], Same(outputs / 2, 1));
      } else {
        halves = net.Halves(x);
      }
      halves[1] = filter(name, halves[1], outputs / 2, block == 0 ? 2 : 1);
      x = net.ShuffleChannels(name + "shuffle", net.Concatenate({halves[0], halves[1]}));
    }
  }
  return mobile.Classify(x, 1024);
}

}  // namespace fairlead
