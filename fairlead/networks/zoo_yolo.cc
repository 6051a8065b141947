#include <fmt/format.h>

#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {
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

}  // namespace fairlead
