#include <fmt/format.h>

#include <string>

#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/zoo_families.h"

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

}  // namespace fairlead
