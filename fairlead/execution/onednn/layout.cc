#include "fairlead/execution/onednn/layout.h"

#include <algorithm>

#include "fairlead/execution/strided_copy.h"

namespace fairlead {
namespace {

using Dims = dnnl::memory::dims;

// Layouts differ in where a group of channels lies, but all have even steps inside it.
constexpr std::int64_t kGroup = 8;

struct GroupPlace {
  std::int64_t offset = 0;
  std::int64_t channel_step = 0;
  std::int64_t pixel_step = 0;
};

GroupPlace PlaceOf(Layout layout, std::int64_t first, std::int64_t channels, std::int64_t pixels) {
  if (layout == Layout::kPlain) return {first * pixels, pixels, 1};
  if (layout == Layout::kChannelsLast) return {first, 1, channels};
  const std::int64_t block = BlockOf(layout);
  return {first / block * block * pixels + first % block, 1, block};
}

// Of `kGroup` channels that lie side by side in both.
void CopyGroup(const float* from, std::int64_t from_step, float* to, std::int64_t to_step,
               std::int64_t pixels) {
  for (std::int64_t p = 0; p < pixels; ++p)
    std::copy_n(from + p * from_step, kGroup, to + p * to_step);
}

// Of a full group of which one side is row-major.
template <typename Read, typename Write>
void TransposeGroup(std::int64_t pixels, const Read& read, const Write& write) {
  for (std::int64_t p = 0; p < pixels; ++p) {
    for (std::int64_t c = 0; c < kGroup; ++c) write(c, p, read(c, p));
  }
}

void CopyFullGroup(const GroupPlace& a, const float* from, const GroupPlace& b, float* to,
                   std::int64_t pixels) {
  from += a.offset;
  to += b.offset;
  if (a.channel_step == 1 && b.channel_step == 1) {
    CopyGroup(from, a.pixel_step, to, b.pixel_step, pixels);
  } else if (a.channel_step == 1) {
    const auto read = [&](auto c, auto p) { return from[p * a.pixel_step + c]; };
    TransposeGroup(pixels, read, [&](auto c, auto p, float x) { to[c * b.channel_step + p] = x; });
  } else if (b.channel_step == 1) {
    const auto read = [&](auto c, auto p) { return from[c * a.channel_step + p]; };
    TransposeGroup(pixels, read, [&](auto c, auto p, float x) { to[p * b.pixel_step + c] = x; });
  } else {
    std::copy_n(from, kGroup * pixels, to);
  }
}

void CopyPartOfGroup(const GroupPlace& a, const float* from, const GroupPlace& b, float* to,
                     std::int64_t channels, std::int64_t pixels) {
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t p = 0; p < pixels; ++p)
      to[b.offset + c * b.channel_step + p * b.pixel_step] =
          from[a.offset + c * a.channel_step + p * a.pixel_step];
  }
}

void ClearPadding(std::int64_t channels, std::int64_t pixels, Layout layout, float* to) {
  const std::int64_t block = BlockOf(layout);
  if (block == 1 || channels % block == 0) return;
  float* pixel = to + channels / block * block * pixels;
  for (std::int64_t i = 0; i < pixels; ++i, pixel += block)
    std::fill(pixel + channels % block, pixel + block, 0.0F);
}

}  // namespace

std::string_view Name(Layout layout) {
  constexpr std::array<std::string_view, kLayouts.size()> kNames = {"nchw", "nhwc", "nChw8c",
                                                                    "nChw16c"};
  return kNames[static_cast<std::size_t>(layout)];
}

std::int64_t BlockOf(Layout layout) {
  if (layout == Layout::kBlocked8) return 8;
  return layout == Layout::kBlocked16 ? 16 : 1;
}

bool IsImage(const TensorDims& dims) { return dims.size() == 3; }

std::vector<Layout> LayoutsFor(const TensorDims& dims) {
  if (!IsImage(dims)) return {Layout::kPlain};
  return {kLayouts.begin(), kLayouts.end()};
}

dnnl::memory::desc DescOf(const TensorDims& dims, std::size_t batch, Layout layout) {
  using Tag = dnnl::memory::format_tag;
  constexpr std::array kTags = {Tag::nchw, Tag::nhwc, Tag::nChw8c, Tag::nChw16c};
  Dims all = {static_cast<std::int64_t>(batch)};
  all.insert(all.end(), dims.begin(), dims.end());
  constexpr auto kType = dnnl::memory::data_type::f32;
  if (IsImage(dims)) return {all, kType, kTags[static_cast<std::size_t>(layout)]};
  return {all, kType, DenseStrides(all)};
}

bool SameBytes(const TensorDims& dims, Layout a, Layout b) {
  if (a == b) return true;
  if (!IsImage(dims)) return false;
  const bool both_unpadded = dims[0] % BlockOf(a) == 0 && dims[0] % BlockOf(b) == 0;
  if (dims[1] * dims[2] == 1) return both_unpadded;
  return dims[0] == 1 && BlockOf(a) == 1 && BlockOf(b) == 1;
}

std::int64_t StoredElements(const TensorDims& dims, Layout layout) {
  if (!IsImage(dims)) return ElementsOf(dims);
  const std::int64_t block = BlockOf(layout);
  return (dims[0] + block - 1) / block * block * dims[1] * dims[2];
}

void CopySample(const TensorDims& dims, Layout from_layout, const float* from, Layout to_layout,
                float* to) {
  if (!IsImage(dims) || SameBytes(dims, from_layout, to_layout)) {
    std::copy_n(from, StoredElements(dims, to_layout), to);
    return;
  }
  const std::int64_t channels = dims[0];
  const std::int64_t pixels = dims[1] * dims[2];
  for (std::int64_t first = 0; first < channels; first += kGroup) {
    const GroupPlace a = PlaceOf(from_layout, first, channels, pixels);
    const GroupPlace b = PlaceOf(to_layout, first, channels, pixels);
    if (first + kGroup <= channels) {
      CopyFullGroup(a, from, b, to, pixels);
    } else {
      CopyPartOfGroup(a, from, b, to, channels - first, pixels);
    }
  }
  ClearPadding(channels, pixels, to_layout, to);
}

}  // namespace fairlead
