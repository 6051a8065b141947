// A layer by its shape: what arithmetic it does and what data it touches. Words and cycles are the
// accelerators' business.
#pragma once

#include <cstdint>
#include <string>

namespace fairlead {

enum class LayerKind : std::uint8_t { kConvolution, kDepthwise, kLinear };

struct LayerShape {
  LayerKind kind = LayerKind::kConvolution;
  std::int64_t n = 1;  // batch
  std::int64_t k = 1;  // outputs
  std::int64_t c = 1;  // inputs
  std::int64_t p = 1;  // output height
  std::int64_t q = 1;  // output width
  std::int64_t r = 1;  // kernel height
  std::int64_t s = 1;  // kernel width
  std::int64_t stride = 1;
  std::int64_t groups = 1;

  std::int64_t Macs() const { return n * k * (c / groups) * p * q * r * s; }
  std::int64_t Weights() const { return k * (c / groups) * r * s; }
  // Padding counts as data, as it does for the mappers that we compare with.
  std::int64_t Inputs() const { return n * c * ((p - 1) * stride + r) * ((q - 1) * stride + s); }
  std::int64_t Outputs() const { return n * k * p * q; }
};

}  // namespace fairlead
