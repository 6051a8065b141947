#include "fairlead/costs/network_builder.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

ConvolutionSpec Same(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {.outputs = outputs,
          .height = kernel,
          .width = kernel,
          .stride = stride,
          .pad_height = kernel / 2,
          .pad_width = kernel / 2};
}

ConvolutionSpec Valid(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {.outputs = outputs, .height = kernel, .width = kernel, .stride = stride};
}

Tensor NetworkBuilder::Append(std::string name, const Tensor& in, const LayerShape& shape,
                              Epilogue epilogue) {
  const auto index = static_cast<std::uint32_t>(layers_.size());
  std::vector<bool> ancestors(layers_.size() + 1, false);
  for (std::uint32_t before : in.from) {
    ancestors[before] = true;
    for (std::size_t i = 0; i < before; ++i) {
      if (ancestors_[before][i]) ancestors[i] = true;
    }
  }
  ancestors_.push_back(std::move(ancestors));
  layers_.push_back(
      {.name = std::move(name),
       .shape = shape,
       .parameters = shape.Weights() + shape.k * (epilogue == Epilogue::kBatchNorm ? 2 : 1),
       .after = in.from});
  return {shape.k, shape.p, shape.q, {index}};
}

Tensor NetworkBuilder::Convolution(std::string name, const Tensor& in,
                                   const ConvolutionSpec& spec) {
  return Append(std::move(name), in,
                {.kind = LayerKind::kConvolution,
                 .k = spec.outputs,
                 .c = in.channels,
                 .p = (in.height + 2 * spec.pad_height - spec.height) / spec.stride + 1,
                 .q = (in.width + 2 * spec.pad_width - spec.width) / spec.stride + 1,
                 .r = spec.height,
                 .s = spec.width,
                 .stride = spec.stride},
                spec.epilogue);
}

Tensor NetworkBuilder::Linear(std::string name, const Tensor& in, std::int64_t outputs) {
  return Append(std::move(name), in,
                {.kind = LayerKind::kLinear, .k = outputs, .c = in.channels * in.height * in.width},
                Epilogue::kBias);
}

Tensor NetworkBuilder::Pool(const Tensor& in, std::int64_t kernel, std::int64_t stride,
                            std::int64_t pad) {
  return Resized(in, (in.height + 2 * pad - kernel) / stride + 1,
                 (in.width + 2 * pad - kernel) / stride + 1);
}

Tensor NetworkBuilder::Resized(const Tensor& in, std::int64_t height, std::int64_t width) {
  return {in.channels, height, width, in.from};
}

Tensor NetworkBuilder::Add(const Tensor& a, const Tensor& b) const {
  CHECK(a.channels == b.channels && a.height == b.height && a.width == b.width);
  return {a.channels, a.height, a.width, Merge(a.from, b.from)};
}

Tensor NetworkBuilder::Concatenate(std::initializer_list<Tensor> parts) const {
  Tensor result = *parts.begin();
  for (const Tensor* part = parts.begin() + 1; part != parts.end(); ++part) {
    CHECK(part->height == result.height && part->width == result.width);
    result.channels += part->channels;
    result.from = Merge(result.from, part->from);
  }
  return result;
}

std::vector<std::uint32_t> NetworkBuilder::Merge(const std::vector<std::uint32_t>& a,
                                                 const std::vector<std::uint32_t>& b) const {
  std::vector<std::uint32_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::vector<std::uint32_t> kept;
  for (std::uint32_t candidate : all) {
    const bool implied = std::ranges::any_of(all, [&](std::uint32_t other) {
      return other > candidate && ancestors_[other][candidate];
    });
    if (!implied) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace fairlead
