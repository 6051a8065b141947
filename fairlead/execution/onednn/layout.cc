#include "fairlead/execution/onednn/layout.h"

#include <algorithm>
#include <cstring>

#include "fairlead/execution/strided_loops.h"

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

// Some channels of a group, at some pixels.
struct Part {
  std::int64_t channels = 0;
  std::int64_t first_pixel = 0;
  std::int64_t pixels = 0;
};

// As many pixels as a line of a cache has numbers, so that lines of row-major images are read and
// written whole: planes tend to lie a power of two apart, where caches keep few lines at a time.
constexpr std::int64_t kTile = 16;

using Four = float __attribute__((vector_size(16)));

Four LoadFour(const float* from) {
  Four four;
  std::memcpy(&four, from, sizeof(four));
  return four;
}
void StoreFour(const Four& four, float* to) { std::memcpy(to, &four, sizeof(four)); }

// Four rows of four numbers each become columns.
void TransposeFour(const float* from, std::int64_t from_step, float* to, std::int64_t to_step) {
  const Four a = LoadFour(from);
  const Four b = LoadFour(from + from_step);
  const Four c = LoadFour(from + 2 * from_step);
  const Four d = LoadFour(from + 3 * from_step);
  const Four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  StoreFour(__builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5), to);
  StoreFour(__builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7), to + to_step);
  StoreFour(__builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5), to + 2 * to_step);
  StoreFour(__builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7), to + 3 * to_step);
}

// Of a full group at a full tile. At least one side has the channels side by side, since not both
// are row-major.
void CopyTile(const GroupPlace& a, const float* from, const GroupPlace& b, float* to) {
  if (a.channel_step == 1 && b.channel_step == 1) {
    for (std::int64_t p = 0; p < kTile; ++p) {
      for (std::int64_t c = 0; c < kGroup; c += 4)
        StoreFour(LoadFour(from + p * a.pixel_step + c), to + p * b.pixel_step + c);
    }
    return;
  }
  // The next tile is asked for: processors foresee few streams at a time, and planes are many.
  if (b.channel_step == 1) {
    for (std::int64_t c = 0; c < kGroup; ++c)
      __builtin_prefetch(from + c * a.channel_step + kTile, 0);
    for (std::int64_t c = 0; c < kGroup; c += 4) {
      for (std::int64_t p = 0; p < kTile; p += 4)
        TransposeFour(from + c * a.channel_step + p, a.channel_step, to + p * b.pixel_step + c,
                      b.pixel_step);
    }
  } else {
    for (std::int64_t c = 0; c < kGroup; ++c)
      __builtin_prefetch(to + c * b.channel_step + kTile, 1);
    for (std::int64_t c = 0; c < kGroup; c += 4) {
      for (std::int64_t p = 0; p < kTile; p += 4)
        TransposeFour(from + p * a.pixel_step + c, a.pixel_step, to + c * b.channel_step + p,
                      b.channel_step);
    }
  }
}

void CopyPart(const GroupPlace& a, const float* from, const GroupPlace& b, float* to,
              const Part& part) {
  from += a.offset + part.first_pixel * a.pixel_step;
  to += b.offset + part.first_pixel * b.pixel_step;
  if (part.channels == kGroup && part.pixels == kTile) {
    CopyTile(a, from, b, to);
    return;
  }
  for (std::int64_t c = 0; c < part.channels; ++c) {
    for (std::int64_t p = 0; p < part.pixels; ++p)
      to[c * b.channel_step + p * b.pixel_step] = from[c * a.channel_step + p * a.pixel_step];
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
    for (std::int64_t pixel = 0; pixel < pixels; pixel += kTile) {
      CopyPart(a, from, b, to,
               {.channels = std::min(kGroup, channels - first),
                .first_pixel = pixel,
                .pixels = std::min(kTile, pixels - pixel)});
    }
  }
  ClearPadding(channels, pixels, to_layout, to);
}

}  // namespace fairlead
