#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "fairlead/execution/cuda/recipe_bodies.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {
namespace {

std::int64_t Clamped(double pixel, std::int64_t input) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(pixel), 0, input - 1);
}

// The pixels that each pixel of the result is taken from.
std::vector<std::int64_t> NearestOf(const Resize& resize, std::int64_t input, std::int64_t output) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < output; ++i)
    pixels.push_back(Clamped(
        ResizeRounded(resize.rounding, ResizePosition(resize.grid, i, input, output)), input));
  return pixels;
}

// One axis, by indices that were computed beforehand.
struct ResizedAxis {
  std::int64_t axis = 0;
  at::Tensor left;
  at::Tensor right;  // undefined: the nearest
  at::Tensor share;  // of the right one

  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor from_left = x.index_select(axis, left);
    if (!right.defined()) return from_left;
    return at::lerp(from_left, x.index_select(axis, right), share);
  }
};

ResizedAxis NearestAxis(const Resize& resize, std::size_t axis, const OperatorSite& site) {
  const at::TensorOptions indices = site.setting.numbers.dtype(at::kLong);
  const auto pixels = NearestOf(resize, site.input()[axis], site.output()[axis]);
  return {.axis = static_cast<std::int64_t>(axis) + 1,
          .left = at::tensor(pixels, at::kLong).to(indices)};
}

ResizedAxis LinearAxis(const Resize& resize, std::size_t axis, const OperatorSite& site) {
  const std::int64_t input = site.input()[axis];
  const std::int64_t output = site.output()[axis];
  std::vector<std::int64_t> left;
  std::vector<std::int64_t> right;
  std::vector<float> share;
  for (std::int64_t i = 0; i < output; ++i) {
    const double position = ResizePosition(resize.grid, i, input, output);
    const double floor = std::floor(position);
    left.push_back(Clamped(floor, input));
    right.push_back(Clamped(floor + 1, input));
    share.push_back(static_cast<float>(position - floor));
  }
  std::vector<std::int64_t> along(site.input().size() - axis, 1);
  along[0] = output;
  const at::TensorOptions indices = site.setting.numbers.dtype(at::kLong);
  return {.axis = static_cast<std::int64_t>(axis) + 1,
          .left = at::tensor(left, at::kLong).to(indices),
          .right = at::tensor(right, at::kLong).to(indices),
          .share = at::tensor(share).to(site.setting.numbers).reshape(along)};
}

BodyRecipe AxisByAxis(const Resize& resize, const OperatorSite& site) {
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < site.output().size(); ++i) {
    if (site.input()[i] == site.output()[i]) continue;
    axes.push_back(resize.kind == ResizeKind::kNearest ? NearestAxis(resize, i, site)
                                                       : LinearAxis(resize, i, site));
  }
  return {.name = resize.kind == ResizeKind::kNearest ? "index_select" : "index_select, lerp",
          .compute = [axes](Reads reads) {
            at::Tensor x = reads[0];
            for (const ResizedAxis& axis : axes) x = axis(x);
            return x;
          }};
}

// libtorch's nearest pixel is floor(i input / output), computed in single precision.
bool IsLibtorchsNearest(const Resize& resize, const OperatorSite& site) {
  for (std::size_t axis : {1, 2}) {
    const std::int64_t input = site.input()[axis];
    const std::int64_t output = site.output()[axis];
    const float scale = static_cast<float>(input) / static_cast<float>(output);
    const std::vector<std::int64_t> pixels = NearestOf(resize, input, output);
    for (std::int64_t i = 0; i < output; ++i) {
      const float pixel = std::floor(static_cast<float>(i) * scale);
      if (pixels[static_cast<std::size_t>(i)] != Clamped(static_cast<double>(pixel), input))
        return false;
    }
  }
  return true;
}

std::optional<BodyRecipe> Upsampled(const Resize& resize, const OperatorSite& site) {
  if (site.input().size() != 3 || site.input()[0] != site.output()[0]) return std::nullopt;
  const std::array<std::int64_t, 2> size = {site.output()[1], site.output()[2]};
  if (resize.kind == ResizeKind::kNearest) {
    if (!IsLibtorchsNearest(resize, site)) return std::nullopt;
    return BodyRecipe{.name = "upsample_nearest2d", .compute = [size](Reads reads) {
                        return at::upsample_nearest2d(reads[0], at::IntArrayRef(size));
                      }};
  }
  if (resize.grid == ResizeGrid::kAsymmetric) return std::nullopt;
  const bool corners = resize.grid == ResizeGrid::kAlignCorners;
  return BodyRecipe{.name = "upsample_bilinear2d", .compute = [size, corners](Reads reads) {
                      return at::upsample_bilinear2d(reads[0], at::IntArrayRef(size), corners);
                    }};
}

}  // namespace

Result<BodyRecipes> RecipesOfBody(const Resize& body, const OperatorSite& site) {
  if (std::optional<BodyRecipe> upsampled = Upsampled(body, site)) return BodyRecipes{*upsampled};
  return BodyRecipes{AxisByAxis(body, site)};
}

}  // namespace fairlead
