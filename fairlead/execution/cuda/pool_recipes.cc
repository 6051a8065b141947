#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "fairlead/execution/cuda/recipe_bodies.h"

namespace fairlead {
namespace {

using Pair = std::array<std::int64_t, 2>;

std::int64_t ReachOf(const ImageWindow& window, std::size_t axis) {
  return window.dilation[axis] * (window.kernel[axis] - 1) + 1;
}

Pair OutputOf(const OperatorSite& site) { return {site.output()[1], site.output()[2]}; }

bool CoversImage(const ImageWindow& window, const OperatorSite& site) {
  return window.pad_before == Pair{0, 0} && window.dilation == Pair{1, 1} &&
         OutputOf(site) == Pair{1, 1} && window.kernel == Pair{site.input()[1], site.input()[2]};
}

// How many windows libtorch's pools make of one axis.
std::int64_t PoolSize(std::int64_t input, const ImageWindow& window, std::size_t axis,
                      bool round_up) {
  const std::int64_t stride = window.stride[axis];
  const std::int64_t pad = window.pad_before[axis];
  const std::int64_t room = input + 2 * pad - ReachOf(window, axis);
  if (room < 0) return 0;
  const std::int64_t size = (room + (round_up ? stride - 1 : 0)) / stride + 1;
  const bool last_is_outside = round_up && (size - 1) * stride >= input + pad;
  return last_is_outside ? size - 1 : size;
}

// Whether libtorch's pools have the same windows: with pad_before on both sides, rounded down or
// up. They pad by no more than half a window.
std::optional<bool> Rounding(const ImageWindow& window, const OperatorSite& site) {
  for (std::size_t axis : {0, 1}) {
    if (2 * window.pad_before[axis] > ReachOf(window, axis)) return std::nullopt;
  }
  for (bool round_up : {false, true}) {
    const Pair size = {PoolSize(site.input()[1], window, 0, round_up),
                       PoolSize(site.input()[2], window, 1, round_up)};
    if (size == OutputOf(site)) return round_up;
  }
  return std::nullopt;
}

BodyRecipe WholeImage(PoolKind kind) {
  if (kind == PoolKind::kMax)
    return {.name = "amax", .compute = [](Reads reads) { return reads[0].amax({2, 3}, true); }};
  return {.name = "mean", .compute = [](Reads reads) { return reads[0].mean({2, 3}, true); }};
}

BodyRecipe MaximumOf(const ImageWindow& window, const OperatorSite& site) {
  if (const std::optional<bool> round_up = Rounding(window, site)) {
    return {.name = "max_pool2d", .compute = [window, round_up = *round_up](Reads reads) {
              return at::max_pool2d(reads[0], window.kernel, window.stride, window.pad_before,
                                    window.dilation, round_up);
            }};
  }
  return {.name = "pad, max_pool2d", .compute = [window, output = OutputOf(site)](Reads reads) {
            const double nothing = -std::numeric_limits<double>::infinity();
            return at::max_pool2d(PaddedForWindows(reads[0], window, output, nothing),
                                  window.kernel, window.stride, Pair{0, 0}, window.dilation);
          }};
}

// The reciprocal of how many points of each window are inside the image.
at::Tensor ReciprocalCounts(const ImageWindow& window, const OperatorSite& site) {
  std::array<std::vector<float>, 2> counts;
  for (std::size_t axis : {0, 1}) {
    for (std::int64_t i = 0; i < OutputOf(site)[axis]; ++i) {
      const std::int64_t begin = i * window.stride[axis] - window.pad_before[axis];
      const std::int64_t end = std::min(begin + window.kernel[axis], site.input()[axis + 1]);
      const std::int64_t inside = end - std::max<std::int64_t>(begin, 0);
      counts[axis].push_back(static_cast<float>(std::max<std::int64_t>(inside, 1)));
    }
  }
  const at::Tensor rows = at::tensor(counts[0]).unsqueeze(1);
  const at::Tensor columns = at::tensor(counts[1]).unsqueeze(0);
  return at::reciprocal(rows * columns).to(site.setting.numbers);
}

BodyRecipe AverageOf(const Pool& pool, const OperatorSite& site) {
  const ImageWindow& window = pool.window;
  const std::int64_t points = window.kernel[0] * window.kernel[1];
  const bool padding_counts = pool.kind == PoolKind::kAveragePadding;
  if (const std::optional<bool> round_up = Rounding(window, site)) {
    return {.name = "avg_pool2d",
            .compute = [window, points, padding_counts, round_up = *round_up](Reads reads) {
              // Without the divisor, libtorch would not count what is beyond the padding.
              if (!padding_counts)
                return at::avg_pool2d(reads[0], window.kernel, window.stride, window.pad_before,
                                      round_up, false);
              return at::avg_pool2d(reads[0], window.kernel, window.stride, window.pad_before,
                                    round_up, true, points);
            }};
  }
  at::Tensor factors;
  if (!padding_counts) factors = ReciprocalCounts(window, site) * points;
  return {.name = "pad, avg_pool2d",
          .compute = [window, factors, output = OutputOf(site)](Reads reads) {
            at::Tensor means = at::avg_pool2d(PaddedForWindows(reads[0], window, output, 0),
                                              window.kernel, window.stride);
            return factors.defined() ? means.mul_(factors) : means;
          }};
}

}  // namespace

at::Tensor PaddedForWindows(const at::Tensor& image, const ImageWindow& window, Pair output,
                            double value) {
  Pair after{};
  for (std::size_t axis : {0, 1}) {
    const auto size = image.size(static_cast<std::int64_t>(axis) + 2);
    after[axis] = (output[axis] - 1) * window.stride[axis] + ReachOf(window, axis) -
                  window.pad_before[axis] - size;
  }
  return at::constant_pad_nd(
      image, {window.pad_before[1], after[1], window.pad_before[0], after[0]}, value);
}

Result<BodyRecipes> RecipesOfBody(const Pool& body, const OperatorSite& site) {
  if (site.input().size() != 3) return Fail("a pool of {} dimensions", site.input().size());
  BodyRecipes recipes;
  if (CoversImage(body.window, site)) recipes.push_back(WholeImage(body.kind));
  if (body.kind == PoolKind::kMax) {
    recipes.push_back(MaximumOf(body.window, site));
  } else if (body.window.dilation == Pair{1, 1}) {
    recipes.push_back(AverageOf(body, site));
  } else {
    return Fail("an average over dilated windows");
  }
  return recipes;
}

}  // namespace fairlead
