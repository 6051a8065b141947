// A convolution or linear operator as the measured tables have it (data/h200/layers.csv): by its
// shape alone.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

struct OperatorLayer {
  bool linear = false;  // then all from `kh` on keep their defaults
  std::int64_t n = 1;   // batch; of a linear layer: all rows
  std::int64_t cin = 1;
  std::int64_t cout = 1;
  std::int64_t kh = 1;
  std::int64_t kw = 1;
  std::int64_t stride = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t groups = 1;
  std::int64_t h = 1;  // of the input
  std::int64_t w = 1;

  std::int64_t OutputHeight() const { return (h + 2 * pad_h - kh) / stride + 1; }
  std::int64_t OutputWidth() const { return (w + 2 * pad_w - kw) / stride + 1; }
  std::int64_t Inputs() const { return n * cin * h * w; }
  std::int64_t Weights() const { return cout * (cin / groups) * kh * kw; }
  std::int64_t Outputs() const { return n * cout * OutputHeight() * OutputWidth(); }
  std::int64_t Macs() const { return Outputs() * (cin / groups) * kh * kw; }

  friend auto operator<=>(const OperatorLayer&, const OperatorLayer&) = default;
};

// None for operators that do not multiply, and for convolutions that these fields cannot describe:
// transposed or dilated ones, those whose strides or paddings differ between the sides.
std::optional<OperatorLayer> LayerOf(const OperatorGraph& graph, const GraphOperator& op,
                                     std::int64_t batch);

}  // namespace fairlead
