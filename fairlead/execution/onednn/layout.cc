#include "fairlead/execution/onednn/layout.h"

#include <utility>

namespace fairlead {
namespace {

using Dims = dnnl::memory::dims;

// The dimensions of a sample with its strides in the layout: channels split into blocks.
struct Piece {
  TensorDims sizes;
  TensorDims plain_strides;
  TensorDims strides;
  std::int64_t plain_offset = 0;
  std::int64_t offset = 0;
};

std::vector<Piece> PiecesOf(const TensorDims& dims, Layout layout) {
  if (layout == Layout::kPlain)
    return {{.sizes = dims, .plain_strides = DenseStrides(dims), .strides = DenseStrides(dims)}};
  const std::int64_t channels = dims[0];
  const std::int64_t width = dims[2];
  const std::int64_t pixels = dims[1] * dims[2];
  if (layout == Layout::kChannelsLast)
    return {{.sizes = {channels, dims[1], width},
             .plain_strides = {pixels, width, 1},
             .strides = {1, width * channels, channels}}};
  const std::int64_t block = BlockOf(layout);
  std::vector<Piece> pieces;
  const auto add = [&](std::int64_t first_block, std::int64_t blocks, std::int64_t size) {
    pieces.push_back({.sizes = {blocks, size, dims[1], width},
                      .plain_strides = {block * pixels, pixels, width, 1},
                      .strides = {block * pixels, 1, width * block, block},
                      .plain_offset = first_block * block * pixels,
                      .offset = first_block * block * pixels});
  };
  if (channels >= block) add(0, channels / block, block);
  if (channels % block != 0) add(channels / block, 1, channels % block);
  return pieces;
}

enum class Direction : std::uint8_t { kToPlain, kFromPlain };

std::vector<StridedCopy> Copies(const TensorDims& dims, Layout layout, Direction direction) {
  std::vector<StridedCopy> copies;
  for (Piece& piece : PiecesOf(dims, layout)) {
    if (direction == Direction::kFromPlain) {
      std::swap(piece.plain_strides, piece.strides);
      std::swap(piece.plain_offset, piece.offset);
    }
    std::vector<StridedDimension> dimensions;
    for (std::size_t i = 0; i < piece.sizes.size(); ++i)
      dimensions.push_back({piece.sizes[i], piece.strides[i], piece.plain_strides[i]});
    copies.emplace_back(std::move(dimensions), piece.offset, piece.plain_offset);
  }
  return copies;
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

std::vector<StridedCopy> CopiesToPlain(const TensorDims& dims, Layout layout) {
  return Copies(dims, layout, Direction::kToPlain);
}

std::vector<StridedCopy> CopiesFromPlain(const TensorDims& dims, Layout layout) {
  return Copies(dims, layout, Direction::kFromPlain);
}

}  // namespace fairlead
