// A layer by its shape: what arithmetic it does and what data it touches. Words and cycles are the
// accelerators' business.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

// The first three multiply and accumulate; the others only move or combine data.
enum class LayerKind : std::uint8_t {
  kConvolution,
  kDepthwise,
  kLinear,
  kPool,
  kElementwise,    // additions, products, activations and batch norms that nothing absorbed
  kNormalisation,  // softmax, local response, layer and group norms: passes over neighbours
  kResize,
  kShuffle,  // transposes, channel shuffles, copies
  kOther,    // an operator that we know only by what it reads and writes
};

inline constexpr std::size_t kLayerKinds = 9;

// "conv", "depthwise", "linear", "pool", "elementwise", "normalisation", "resize", "shuffle",
// "other".
std::string_view Name(LayerKind kind);

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
  std::int64_t operands = 0;  // elements read for one input, of layers that do not multiply

  bool Multiplies() const { return kind <= LayerKind::kLinear; }

  std::int64_t Macs() const { return Multiplies() ? Outputs() * (c / groups) * r * s : 0; }
  std::int64_t Weights() const { return Multiplies() ? k * (c / groups) * r * s : 0; }
  // Padding counts as data, as it does for the mappers that we compare with.
  std::int64_t Inputs() const { return n * (Multiplies() ? c * Rows(p) * Columns(q) : operands); }
  std::int64_t Outputs() const { return n * k * p * q; }
  // What a layer that does not multiply computes: each output from a window of inputs.
  std::int64_t Operations() const { return Multiplies() ? 0 : Outputs() * r * s; }

  // How much of the input so many rows or columns of the output need. Rows that a stride beyond the
  // kernel skips are not read; columns are, since they lie between others in memory.
  std::int64_t Rows(std::int64_t outputs) const { return (outputs - 1) * std::min(stride, r) + r; }
  std::int64_t Columns(std::int64_t outputs) const { return (outputs - 1) * stride + s; }

  // The same layer for so many inputs at once.
  LayerShape Batched(std::int64_t batch) const {
    LayerShape shape = *this;
    shape.n = n * batch;
    return shape;
  }

  // One of its groups, as a layer of its own.
  LayerShape OneGroup() const {
    LayerShape shape = *this;
    shape.k = k / groups;
    shape.c = c / groups;
    shape.groups = 1;
    return shape;
  }

  friend auto operator<=>(const LayerShape&, const LayerShape&) = default;
};

// A network as a list of layers, each by its shape, with the layers that it waits for. The zoo
// builds such networks, files are imported as such, and the cost models price them.
struct NetworkLayer {
  std::string name;
  LayerShape shape;
  std::int64_t parameters = 0;  // weights, and two a channel for a batch norm or one for a bias
  std::vector<std::uint32_t> after;  // earlier layers; without those that others imply
};

struct LayeredNetwork {
  std::string name;
  std::string description;
  std::string input;  // "3x224x224"
  std::vector<NetworkLayer> layers;

  std::int64_t Macs() const;
  std::int64_t Parameters() const;
  // What all layers write for one input, in elements.
  std::int64_t Activations() const;
};

}  // namespace fairlead
