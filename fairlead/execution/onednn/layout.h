// How the numbers of a tensor lie in memory.
//
// Images (channels x height x width) may be laid out in four ways; everything else is row-major.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {

enum class Layout : std::uint8_t {
  kPlain,         // row-major
  kChannelsLast,  // all channels of a pixel together
  kBlocked8,      // channels in blocks of 8, each like channels-last; the last block padded
  kBlocked16,
};

inline constexpr std::array kLayouts = {Layout::kPlain, Layout::kChannelsLast, Layout::kBlocked8,
                                        Layout::kBlocked16};

inline constexpr auto kFloat = dnnl::memory::data_type::f32;
inline constexpr auto kInference = dnnl::prop_kind::forward_inference;

// "nchw", "nhwc", "nChw8c", "nChw16c".
std::string_view Name(Layout layout);

// 1 for those without blocks.
std::int64_t BlockOf(Layout layout);

bool IsImage(const TensorDims& dims);
// The layouts that a tensor of these dimensions can have.
std::vector<Layout> LayoutsFor(const TensorDims& dims);

// With the batch in front.
dnnl::memory::desc DescOf(const TensorDims& dims, std::size_t batch, Layout layout);

// Both put every number at the same place.
bool SameBytes(const TensorDims& dims, Layout a, Layout b);

// Numbers that one sample occupies, padding included.
std::int64_t StoredElements(const TensorDims& dims, Layout layout);

// Copies one sample from one layout to another, in one pass over both; padding becomes zero.
void CopySample(const TensorDims& dims, Layout from_layout, const float* from, Layout to_layout,
                float* to);

}  // namespace fairlead
