#include <fmt/format.h>

#include <array>
#include <string>

#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {
namespace {

Tensor Stem(NetworkBuilder& net) {
  const Tensor x = net.Convolution("conv1", net.Input(3, 224, 224), Same(64, 7, 2));
  return net.Pool("pool1", x, {.kernel = 3, .stride = 2, .pad = 1});
}

// Stages of residual blocks, each of half the size and twice the width; `block` appends the layers
// of one, given the input, the prefix of its names, the stage's width and the stride.
template <typename Block>
OperatorGraph ResNet(const std::array<int, 4>& blocks, Block block) {
  NetworkBuilder net;
  Tensor x = Stem(net);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::string name = fmt::format("stage{}.{}.", stage + 1, i);
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      const Tensor y = block(net, x, name, std::int64_t{64} << stage, stride);
      if (x.channels != y.channels)
        x = net.Convolution(name + "shortcut", x, Same(y.channels, 1, stride).With(kIdentity));
      x = net.Activate(net.Add(name + "add", y, x));
    }
  }
  net.Linear("fc", net.GlobalPool("pool", x), 1000);
  return net.Take();
}

// Stride on the 3x3, as in torchvision; the outer width is four times the stage's.
OperatorGraph BottleneckResNet(const std::array<int, 4>& blocks, std::int64_t widen) {
  return ResNet(blocks, [widen](NetworkBuilder& net, const Tensor& in, const std::string& name,
                                std::int64_t width, std::int64_t stride) {
    Tensor x = net.Convolution(name + "reduce", in, Same(widen * width, 1));
    x = net.Convolution(name + "conv", x, Same(widen * width, 3, stride));
    return net.Convolution(name + "expand", x, Same(4 * width, 1).With(kIdentity));
  });
}

}  // namespace

// He et al. (CVPR 2016).
OperatorGraph ResNet18() {
  return ResNet({2, 2, 2, 2}, [](NetworkBuilder& net, const Tensor& in, const std::string& name,
                                 std::int64_t width, std::int64_t stride) {
    const Tensor x = net.Convolution(name + "conv1", in, Same(width, 3, stride));
    return net.Convolution(name + "conv2", x, Same(width, 3).With(kIdentity));
  });
}

OperatorGraph ResNet50() { return BottleneckResNet({3, 4, 6, 3}, 1); }

// Zagoruyko and Komodakis (BMVC 2016).
OperatorGraph WideResNet50() { return BottleneckResNet({3, 4, 6, 3}, 2); }

// Huang et al. (CVPR 2017), growing by 32 channels a layer. Batch norms stand before their
// convolutions, over all channels so far, so nothing absorbs them.
OperatorGraph DenseNet121() {
  constexpr std::array kBlocks = {6, 12, 24, 16};
  constexpr std::int64_t kGrowth = 32;
  const auto bare = [](const ConvolutionSpec& spec) {
    return spec.With(Epilogue::kNothing).With(kIdentity);
  };
  NetworkBuilder net;
  Tensor x = Stem(net);
  for (std::size_t block = 1; block <= kBlocks.size(); ++block) {
    for (int i = 1; i <= kBlocks[block - 1]; ++i) {
      const std::string name = fmt::format("dense{}.{}.", block, i);
      Tensor y = net.BatchNorm(name + "norm", x);
      y = net.Convolution(name + "reduce", y, Same(4 * kGrowth, 1));
      y = net.Convolution(name + "conv", y, bare(Same(kGrowth, 3)));
      x = net.Concatenate({x, y});
    }
    if (block == kBlocks.size()) break;
    const std::string name = fmt::format("transition{}.", block);
    x = net.BatchNorm(name + "norm", x);
    x = net.Convolution(name + "conv", x, bare(Same(x.channels / 2, 1)));
    x = net.Pool(name + "pool", x, {.kernel = 2, .stride = 2, .kind = PoolKind::kAverage});
  }
  x = net.BatchNorm("norm", x);
  net.Linear("fc", net.GlobalPool("pool", x), 1000);
  return net.Take();
}

}  // namespace fairlead
