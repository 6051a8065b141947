#include "fairlead/costs/zoo.h"

#include <fmt/format.h>

#include <string>

namespace fairlead {
namespace {

// Krizhevsky, "One weird trick" (2014), as in torchvision.
std::vector<NetworkLayer> AlexNet() {
  NetworkBuilder net;
  const auto conv = [&net](const char* name, const Tensor& in, ConvolutionSpec spec) {
    spec.epilogue = Epilogue::kBias;
    return net.Convolution(name, in, spec);
  };
  Tensor x = NetworkBuilder::Input(3, 224, 224);
  x = conv(
      "conv1", x,
      {.outputs = 64, .height = 11, .width = 11, .stride = 4, .pad_height = 2, .pad_width = 2});
  x = conv("conv2", NetworkBuilder::Pool(x, 3, 2), Same(192, 5));
  x = conv("conv3", NetworkBuilder::Pool(x, 3, 2), Same(384, 3));
  x = conv("conv4", x, Same(256, 3));
  x = conv("conv5", x, Same(256, 3));
  x = net.Linear("fc6", NetworkBuilder::Pool(x, 3, 2), 4096);
  x = net.Linear("fc7", x, 4096);
  net.Linear("fc8", x, 1000);
  return net.Take();
}

// He et al. (CVPR 2016), stride on the 3x3 as in torchvision.
std::vector<NetworkLayer> ResNet50() {
  NetworkBuilder net;
  Tensor x = net.Convolution("conv1", NetworkBuilder::Input(3, 224, 224), Same(64, 7, 2));
  x = NetworkBuilder::Pool(x, 3, 2, 1);
  constexpr int kBlocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = 64L << stage;
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const std::string name = fmt::format("stage{}.{}.", stage + 1, block);
      const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      Tensor y = net.Convolution(name + "reduce", x, Same(width, 1));
      y = net.Convolution(name + "conv", y, Same(width, 3, stride));
      y = net.Convolution(name + "expand", y, Same(4 * width, 1));
      if (block == 0) x = net.Convolution(name + "shortcut", x, Same(4 * width, 1, stride));
      x = net.Add(y, x);
    }
  }
  net.Linear("fc", NetworkBuilder::Resized(x, 1, 1), 1000);
  return net.Take();
}

// Szegedy et al. (CVPR 2016), without the auxiliary head, as in torchvision.
class InceptionV3 {
 public:
  std::vector<NetworkLayer> Build() {
    Tensor x = Conv("conv1", NetworkBuilder::Input(3, 299, 299), Valid(32, 3, 2));
    x = Conv("conv2", x, Valid(32, 3));
    x = Conv("conv3", x, Same(64, 3));
    x = Conv("conv4", NetworkBuilder::Pool(x, 3, 2), Valid(80, 1));
    x = Conv("conv5", x, Valid(192, 3));
    x = NetworkBuilder::Pool(x, 3, 2);
    for (std::int64_t pooled : {32, 64, 64}) x = Square(x, pooled);
    x = ReduceTo17(x);
    for (std::int64_t width : {128, 160, 160, 192}) x = Factorised(x, width);
    x = ReduceTo8(x);
    for (int i = 0; i < 2; ++i) x = Expanded(x);
    net_.Linear("fc", NetworkBuilder::Resized(x, 1, 1), 1000);
    return net_.Take();
  }

 private:
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

  Tensor Square(const Tensor& x, std::int64_t pooled) {
    const std::string b = NextBlock();
    const Tensor one = Conv(b + "1x1", x, Same(64, 1));
    Tensor five = Conv(b + "5x5.reduce", x, Same(48, 1));
    five = Conv(b + "5x5", five, Same(64, 5));
    Tensor three = Conv(b + "3x3.reduce", x, Same(64, 1));
    three = Conv(b + "3x3.a", three, Same(96, 3));
    three = Conv(b + "3x3.b", three, Same(96, 3));
    const Tensor pool = Conv(b + "pool", x, Same(pooled, 1));
    return net_.Concatenate({one, five, three, pool});
  }

  Tensor ReduceTo17(const Tensor& x) {
    const std::string b = NextBlock();
    const Tensor three = Conv(b + "3x3", x, Valid(384, 3, 2));
    Tensor twice = Conv(b + "twice.reduce", x, Same(64, 1));
    twice = Conv(b + "twice.a", twice, Same(96, 3));
    twice = Conv(b + "twice.b", twice, Valid(96, 3, 2));
    return net_.Concatenate({three, twice, NetworkBuilder::Pool(x, 3, 2)});
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
    const Tensor pool = Conv(b + "pool", x, Same(192, 1));
    return net_.Concatenate({one, seven, twice, pool});
  }

  Tensor ReduceTo8(const Tensor& x) {
    const std::string b = NextBlock();
    Tensor three = Conv(b + "3x3.reduce", x, Same(192, 1));
    three = Conv(b + "3x3", three, Valid(320, 3, 2));
    Tensor seven = Conv(b + "7x7.reduce", x, Same(192, 1));
    seven = Conv(b + "7x7.row", seven, Row(192, 7));
    seven = Conv(b + "7x7.column", seven, Column(192, 7));
    seven = Conv(b + "7x7.3x3", seven, Valid(192, 3, 2));
    return net_.Concatenate({three, seven, NetworkBuilder::Pool(x, 3, 2)});
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
    const Tensor pool = Conv(b + "pool", x, Same(192, 1));
    return net_.Concatenate({one, three_row, three_column, twice_row, twice_column, pool});
  }

  NetworkBuilder net_;
  int blocks_ = 0;
};

// Redmon and Farhadi (2018) at 416x416: Darknet-53 and three detection heads.
class YoloV3 {
 public:
  std::vector<NetworkLayer> Build() {
    Tensor x = Conv(NetworkBuilder::Input(3, 416, 416), 32, 3);
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
    for (int i = 0; i < blocks; ++i) x = net_.Add(Conv(Conv(x, width / 2, 1), width, 3), x);
    return x;
  }
  // Five convolutions, from which the next head branches off, and the detection itself.
  Tensor Head(Tensor x, std::int64_t width) {
    for (int i = 0; i < 2; ++i) x = Conv(Conv(x, width, 1), 2 * width, 3);
    x = Conv(x, width, 1);
    ConvolutionSpec detection = Same(255, 1);
    detection.epilogue = Epilogue::kBias;
    net_.Convolution(fmt::format("detect{}", width), Conv(x, 2 * width, 3), detection);
    return x;
  }
  Tensor Route(const Tensor& x, std::int64_t width, const Tensor& skip) {
    const Tensor up = NetworkBuilder::Resized(Conv(x, width, 1), skip.height, skip.width);
    return net_.Concatenate({up, skip});
  }

  NetworkBuilder net_;
  int convolutions_ = 0;
};

}  // namespace

std::int64_t ZooNetwork::Macs() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.shape.Macs();
  return total;
}

std::int64_t ZooNetwork::Parameters() const {
  std::int64_t total = 0;
  for (const NetworkLayer& layer : layers) total += layer.parameters;
  return total;
}

std::span<const ZooNetwork> Zoo() {
  static const std::vector<ZooNetwork> zoo = {
      {"alexnet", "image classification, 2014; its linear layers are bound by memory", "3x224x224",
       AlexNet()},
      {"inception-v3", "image classification, 2016; many small branches", "3x299x299",
       InceptionV3().Build()},
      {"resnet50", "image classification, 2016; residual bottlenecks", "3x224x224", ResNet50()},
      {"yolo-v3", "object detection, 2018; by far the most arithmetic", "3x416x416",
       YoloV3().Build()},
  };
  return zoo;
}

}  // namespace fairlead
