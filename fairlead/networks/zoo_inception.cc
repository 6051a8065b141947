#include <fmt/format.h>

#include <string>

#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {
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

}  // namespace fairlead
