#include "fairlead/networks/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/weight_drawing.h"

namespace fairlead {

// Krizhevsky, "One weird trick" (2014), as in torchvision.
OperatorGraph AlexNet() {
  NetworkBuilder net;
  const auto conv = [&net](const char* name, const Tensor& in, const ConvolutionSpec& spec) {
    return net.Convolution(name, in, spec.With(Epilogue::kBias));
  };
  const PoolSpec pool{.kernel = 3, .stride = 2};
  Tensor x = net.Input(3, 224, 224);
  x = conv(
      "conv1", x,
      {.outputs = 64, .height = 11, .width = 11, .stride = 4, .pad_height = 2, .pad_width = 2});
  x = net.Pool("pool1", x, pool);
  x = conv("conv2", x, Same(192, 5));
  x = net.Pool("pool2", x, pool);
  x = conv("conv3", x, Same(384, 3));
  x = conv("conv4", x, Same(256, 3));
  x = conv("conv5", x, Same(256, 3));
  x = net.Pool("pool5", x, pool);
  x = net.Activate(net.Linear("fc6", x, 4096));
  x = net.Activate(net.Linear("fc7", x, 4096));
  net.Linear("fc8", x, 1000);
  return net.Take();
}

// Simonyan and Zisserman (ICLR 2015), configuration D.
OperatorGraph Vgg16() {
  NetworkBuilder net;
  Tensor x = net.Input(3, 224, 224);
  struct Stage {
    std::int64_t width;
    int convolutions;
  };
  constexpr Stage kStages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  int stage = 0;
  for (const auto& [width, convolutions] : kStages) {
    ++stage;
    for (int i = 1; i <= convolutions; ++i) {
      x = net.Convolution(fmt::format("conv{}.{}", stage, i), x,
                          Same(width, 3).With(Epilogue::kBias));
    }
    x = net.Pool(fmt::format("pool{}", stage), x, {.kernel = 2, .stride = 2});
  }
  x = net.Activate(net.Linear("fc6", x, 4096));
  x = net.Activate(net.Linear("fc7", x, 4096));
  net.Linear("fc8", x, 1000);
  return net.Take();
}

// Iandola et al. (2016), version 1.1.
OperatorGraph SqueezeNet() {
  NetworkBuilder net;
  int fires = 1;
  const auto conv = [&net](const std::string& name, const Tensor& in, const ConvolutionSpec& spec) {
    return net.Convolution(name, in, spec.With(Epilogue::kBias));
  };
  const auto fire = [&](const Tensor& in, std::int64_t squeezed, std::int64_t expanded) {
    const std::string name = fmt::format("fire{}.", ++fires);
    const Tensor x = conv(name + "squeeze", in, Same(squeezed, 1));
    return net.Concatenate({conv(name + "expand1x1", x, Same(expanded, 1)),
                            conv(name + "expand3x3", x, Same(expanded, 3))});
  };
  const auto pool = [&](const char* name, const Tensor& in) {
    return net.Pool(name, in, {.kernel = 3, .stride = 2, .round = PoolSpec::Round::kUp});
  };
  Tensor x = conv("conv1", net.Input(3, 224, 224), Valid(64, 3, 2));
  x = pool("pool1", x);
  x = fire(x, 16, 64);
  x = fire(x, 16, 64);
  x = pool("pool3", x);
  x = fire(x, 32, 128);
  x = fire(x, 32, 128);
  x = pool("pool5", x);
  x = fire(x, 48, 192);
  x = fire(x, 48, 192);
  x = fire(x, 64, 256);
  x = fire(x, 64, 256);
  x = conv("conv10", x, Same(1000, 1));
  net.Flatten(net.GlobalPool("pool10", x));
  return net.Take();
}

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

namespace {

// Szegedy et al. (CVPR 2015) as in torchvision: with batch norms, and 3x3 in place of 5x5.
class GoogLeNetBuilder {
 public:
  OperatorGraph Build() {
    Tensor x = net_.Convolution("conv1", net_.Input(3, 224, 224), Same(64, 7, 2));
    x = Halve("pool1", x, 3);
    x = net_.Convolution("conv2", x, Same(64, 1));
    x = net_.Convolution("conv3", x, Same(192, 3));
    x = Halve("pool2", x, 3);
    x = Inception("3a", x, {64, 96, 128, 16, 32, 32});
    x = Inception("3b", x, {128, 128, 192, 32, 96, 64});
    x = Halve("pool3", x, 3);
    x = Inception("4a", x, {192, 96, 208, 16, 48, 64});
    x = Inception("4b", x, {160, 112, 224, 24, 64, 64});
    x = Inception("4c", x, {128, 128, 256, 24, 64, 64});
    x = Inception("4d", x, {112, 144, 288, 32, 64, 64});
    x = Inception("4e", x, {256, 160, 320, 32, 128, 128});
    x = Halve("pool4", x, 2);
    x = Inception("5a", x, {256, 160, 320, 32, 128, 128});
    x = Inception("5b", x, {384, 192, 384, 48, 128, 128});
    net_.Linear("fc", net_.GlobalPool("pool5", x), 1000);
    return net_.Take();
  }

 private:
  // The paper's columns "#1x1", "#3x3 reduce", "#3x3", "#5x5 reduce", "#5x5", "pool proj".
  struct Widths {
    std::int64_t one;
    std::int64_t three_reduce;
    std::int64_t three;
    std::int64_t five_reduce;
    std::int64_t five;
    std::int64_t pool;
  };

  Tensor Halve(const char* name, const Tensor& in, std::int64_t kernel) {
    return net_.Pool(name, in, {.kernel = kernel, .stride = 2, .round = PoolSpec::Round::kUp});
  }

  Tensor Inception(const std::string& block, const Tensor& x, const Widths& widths) {
    const std::string b = block + ".";
    const Tensor one = net_.Convolution(b + "1x1", x, Same(widths.one, 1));
    Tensor three = net_.Convolution(b + "3x3.reduce", x, Same(widths.three_reduce, 1));
    three = net_.Convolution(b + "3x3", three, Same(widths.three, 3));
    Tensor five = net_.Convolution(b + "5x5.reduce", x, Same(widths.five_reduce, 1));
    five = net_.Convolution(b + "5x5", five, Same(widths.five, 3));
    Tensor pool = net_.Pool(b + "pool", x, {.kernel = 3, .stride = 1, .pad = 1});
    pool = net_.Convolution(b + "pool.project", pool, Same(widths.pool, 1));
    return net_.Concatenate({one, three, five, pool});
  }

  NetworkBuilder net_;
};

// Szegedy et al. (CVPR 2016), as in torchvision.
class InceptionV3Builder {
 public:
  OperatorGraph Build() {
    Tensor x = Conv("conv1", net_.Input(3, 299, 299), Valid(32, 3, 2));
    x = Conv("conv2", x, Valid(32, 3));
    x = Conv("conv3", x, Same(64, 3));
    x = net_.Pool("pool3", x, kHalving);
    x = Conv("conv4", x, Valid(80, 1));
    x = Conv("conv5", x, Valid(192, 3));
    x = net_.Pool("pool5", x, kHalving);
    for (std::int64_t pooled : {32, 64, 64}) x = Square(x, pooled);
    x = ReduceTo17(x);
    for (std::int64_t width : {128, 160, 160, 192}) x = Factorised(x, width);
    x = ReduceTo8(x);
    for (int i = 0; i < 2; ++i) x = Expanded(x);
    net_.Linear("fc", net_.GlobalPool("pool", x), 1000);
    return net_.Take();
  }

 private:
  static constexpr PoolSpec kHalving{.kernel = 3, .stride = 2};

  Tensor Conv(const std::string& name, const Tensor& in, const ConvolutionSpec& spec) {
    return net_.Convolution(name, in, spec);
  }
  static ConvolutionSpec Row(std::int64_t outputs, std::int64_t width) {
    return {.outputs = outputs, .width = width, .pad_width = width / 2};
  }
  static ConvolutionSpec Column(std::int64_t outputs, std::int64_t height) {
    return {.outputs = outputs, .height = height, .pad_height = height / 2};
  }
  std::string NextBlock() { return fmt::format("mixed{}.", ++blocks_); }

  Tensor PoolAndProject(const std::string& b, const Tensor& in, std::int64_t outputs) {
    const Tensor x =
        net_.Pool(b + "pool", in, {.kernel = 3, .pad = 1, .kind = PoolKind::kAveragePadding});
    return Conv(b + "pool.project", x, Same(outputs, 1));
  }

  Tensor Square(const Tensor& x, std::int64_t pooled) {
    const std::string b = NextBlock();
    const Tensor one = Conv(b + "1x1", x, Same(64, 1));
    Tensor five = Conv(b + "5x5.reduce", x, Same(48, 1));
    five = Conv(b + "5x5", five, Same(64, 5));
    Tensor three = Conv(b + "3x3.reduce", x, Same(64, 1));
    three = Conv(b + "3x3.a", three, Same(96, 3));
    three = Conv(b + "3x3.b", three, Same(96, 3));
    return net_.Concatenate({one, five, three, PoolAndProject(b, x, pooled)});
  }

  Tensor ReduceTo17(const Tensor& x) {
    const std::string b = NextBlock();
    const Tensor three = Conv(b + "3x3", x, Valid(384, 3, 2));
    Tensor twice = Conv(b + "twice.reduce", x, Same(64, 1));
    twice = Conv(b + "twice.a", twice, Same(96, 3));
    twice = Conv(b + "twice.b", twice, Valid(96, 3, 2));
    return net_.Concatenate({three, twice, net_.Pool(b + "pool", x, kHalving)});
  }

  Tensor Factorised(const Tensor& x, std::int64_t width) {
    const std::string b = NextBlock();
    const Tensor one = Conv(b + "1x1", x, Same(192, 1));
    Tensor seven = Conv(b + "7x7.reduce", x, Same(width, 1));
    seven = Conv(b + "7x7.row", seven, Row(width, 7));
    seven = Conv(b + "7x7.column", seven, Column(192, 7));
    Tensor twice = Conv(b + "twice.reduce", x, Same(width, 1));
    twice = Conv(b + "twice.column.a", twice, Column(width, 7));
    twice = Conv(b + "twice.row.a", twice, Row(width, 7));
    twice = Conv(b + "twice.column.b", twice, Column(width, 7));
    twice = Conv(b + "twice.row.b", twice, Row(192, 7));
    return net_.Concatenate({one, seven, twice, PoolAndProject(b, x, 192)});
  }

  Tensor ReduceTo8(const Tensor& x) {
    const std::string b = NextBlock();
    Tensor three = Conv(b + "3x3.reduce", x, Same(192, 1));
    three = Conv(b + "3x3", three, Valid(320, 3, 2));
    Tensor seven = Conv(b + "7x7.reduce", x, Same(192, 1));
    seven = Conv(b + "7x7.row", seven, Row(192, 7));
    seven = Conv(b + "7x7.column", seven, Column(192, 7));
    seven = Conv(b + "7x7.3x3", seven, Valid(192, 3, 2));
    return net_.Concatenate({three, seven, net_.Pool(b + "pool", x, kHalving)});
  }

  Tensor Expanded(const Tensor& x) {
    const std::string b = NextBlock();
    const Tensor one = Conv(b + "1x1", x, Same(320, 1));
    const Tensor three = Conv(b + "3x3.reduce", x, Same(384, 1));
    const Tensor three_row = Conv(b + "3x3.row", three, Row(384, 3));
    const Tensor three_column = Conv(b + "3x3.column", three, Column(384, 3));
    Tensor twice = Conv(b + "twice.reduce", x, Same(448, 1));
    twice = Conv(b + "twice.3x3", twice, Same(384, 3));
    const Tensor twice_row = Conv(b + "twice.row", twice, Row(384, 3));
    const Tensor twice_column = Conv(b + "twice.column", twice, Column(384, 3));
    return net_.Concatenate(
        {one, three_row, three_column, twice_row, twice_column, PoolAndProject(b, x, 192)});
  }

  NetworkBuilder net_;
  int blocks_ = 0;
};

}  // namespace

OperatorGraph GoogLeNet() { return GoogLeNetBuilder().Build(); }

OperatorGraph InceptionV3() { return InceptionV3Builder().Build(); }

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

namespace {

// Redmon and Farhadi (2018) at 416x416: Darknet-53 and three detection heads.
class YoloV3Builder {
 public:
  OperatorGraph Build() {
    Tensor x = Conv(net_.Input(3, 416, 416), 32, 3);
    x = Stage(x, 64, 1);
    x = Stage(x, 128, 2);
    const Tensor fine = Stage(x, 256, 8);
    const Tensor middle = Stage(fine, 512, 8);
    x = Stage(middle, 1024, 4);
    x = Head(x, 512);
    x = Head(Route(x, 256, middle), 256);
    Head(Route(x, 128, fine), 128);
    return net_.Take();
  }

 private:
  Tensor Conv(const Tensor& in, std::int64_t outputs, std::int64_t kernel,
              std::int64_t stride = 1) {
    return net_.Convolution(fmt::format("conv{}", ++convolutions_), in,
                            Same(outputs, kernel, stride));
  }
  Tensor Stage(const Tensor& in, std::int64_t width, int blocks) {
    Tensor x = Conv(in, width, 3, 2);
    for (int i = 0; i < blocks; ++i) {
      const Tensor y = Conv(Conv(x, width / 2, 1), width, 3);
      x = net_.Add(fmt::format("add{}", ++additions_), y, x);
    }
    return x;
  }
  // Five convolutions, from which the next head branches off, and the detection itself.
  Tensor Head(Tensor x, std::int64_t width) {
    for (int i = 0; i < 2; ++i) x = Conv(Conv(x, width, 1), 2 * width, 3);
    x = Conv(x, width, 1);
    net_.Convolution(fmt::format("detect{}", width), Conv(x, 2 * width, 3),
                     Same(255, 1).With(Epilogue::kBias).With(kIdentity));
    return x;
  }
  Tensor Route(const Tensor& x, std::int64_t width, const Tensor& skip) {
    const Tensor up = net_.Upsample(fmt::format("upsample{}", width), Conv(x, width, 1), 2);
    return net_.Concatenate({up, skip});
  }

  NetworkBuilder net_{kLeakyRelu};
  int convolutions_ = 0;
  int additions_ = 0;
};

}  // namespace

OperatorGraph YoloV3() { return YoloV3Builder().Build(); }

std::optional<OperatorGraph> ZooGraph(std::string_view name, std::uint64_t weights_seed) {
  const auto entry = std::ranges::find(ZooEntries(), name, &ZooEntry::name);
  if (entry == ZooEntries().end()) return std::nullopt;
  OperatorGraph graph = entry->build();
  graph.name = name;
  return DrawWeights(std::move(graph), weights_seed);
}

std::span<const ZooEntry> ZooEntries() {
  static constexpr ZooEntry kEntries[] = {
      {"alexnet", "image classification, 2014; its linear layers are bound by memory", "3x224x224",
       &AlexNet},
      {"densenet121", "image classification, 2017; reads all earlier results again", "3x224x224",
       &DenseNet121},
      {"efficientnet-b0", "image classification, 2019; depthwise, squeeze and excitation",
       "3x224x224", &EfficientNetB0},
      {"googlenet", "image classification, 2015; four branches side by side", "3x224x224",
       &GoogLeNet},
      {"inception-v3", "image classification, 2016; many small branches", "3x299x299",
       &InceptionV3},
      {"mnasnet1-0", "image classification, 2019; found by search for phones", "3x224x224",
       &MnasNet},
      {"mobilenet-v2", "image classification, 2018; inverted residuals", "3x224x224", &MobileNetV2},
      {"mobilenet-v3-large", "image classification, 2019; inverted residuals with gates",
       "3x224x224", &MobileNetV3},
      {"resnet18", "image classification, 2016; residual pairs", "3x224x224", &ResNet18},
      {"resnet50", "image classification, 2016; residual bottlenecks", "3x224x224", &ResNet50},
      {"shufflenet-v2-x1-0", "image classification, 2018; halves of channels, shuffled",
       "3x224x224", &ShuffleNetV2},
      {"squeezenet1-1", "image classification, 2016; few parameters", "3x224x224", &SqueezeNet},
      {"vgg16", "image classification, 2015; plain, with many parameters", "3x224x224", &Vgg16},
      {"wide-resnet50-2", "image classification, 2016; bottlenecks of twice the width", "3x224x224",
       &WideResNet50},
      {"yolo-v3", "object detection, 2018; by far the most arithmetic", "3x416x416", &YoloV3},
  };
  return kEntries;
}

std::span<const LayeredNetwork> Zoo() {
  static const std::vector<LayeredNetwork> zoo = [] {
    std::vector<LayeredNetwork> networks;
    for (const ZooEntry& entry : ZooEntries())
      networks.push_back({std::string(entry.name), std::string(entry.description),
                          std::string(entry.input), LayersOf(entry.build())});
    return networks;
  }();
  return zoo;
}

const LayeredNetwork* FindInZoo(std::string_view name) {
  const auto found = std::ranges::find(Zoo(), name, &LayeredNetwork::name);
  return found == Zoo().end() ? nullptr : &*found;
}

}  // namespace fairlead
