#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/regression/learners.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostInputsOfKernel = 256;
constexpr std::size_t kMostExamples = 5000;
constexpr float kTube = 0.01F;
constexpr float kMostWeight = 1;
constexpr int kPasses = 60;

float Kernel(const float* a, const float* b, std::size_t width, float gamma) {
  float sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::exp(-gamma * sum);
}

// Examples in an order that is drawn, the first so many.
std::vector<std::size_t> Drawn(std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> rows(size);
  std::iota(rows.begin(), rows.end(), 0);
  RandomStream random(seed, "support vectors");
  for (std::size_t i = 0; i < size; ++i) std::swap(rows[i], rows[i + random.Below(size - i)]);
  rows.resize(std::min(size, kMostExamples));
  return rows;
}

// The weights that minimise 1/2 w K w - t w + tube |w| within +-kMostWeight.
std::vector<float> Solve(const std::vector<float>& kernel, const std::vector<float>& targets,
                         const FitOptions& options) {
  const std::size_t size = targets.size();
  std::vector<float> weights(size, 0);
  std::vector<float> predicted(size, 0);
  for (int pass = 0; pass < kPasses; ++pass) {
    float largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      // The kernel of a point with itself is 1.
      const float free = weights[i] + targets[i] - predicted[i];
      const float shrunk = std::copysign(std::max(std::abs(free) - kTube, 0.0F), free);
      const float change = std::clamp(shrunk, -kMostWeight, kMostWeight) - weights[i];
      if (change == 0) continue;
      weights[i] += change;
      const float* row = &kernel[i * size];
      for (std::size_t j = 0; j < size; ++j) predicted[j] += change * row[j];
      largest = std::max(largest, std::abs(change));
    }
    options.progress(static_cast<double>(pass + 1) / kPasses);
    if (largest < 1e-4F) break;
  }
  return weights;
}

}  // namespace

SupportVectors::SupportVectors(Scaling scaling, float base, float gamma, std::vector<float> points,
                               std::vector<float> weights)
    : scaling_(std::move(scaling)),
      base_(base),
      gamma_(gamma),
      points_(std::move(points)),
      weights_(std::move(weights)) {
  CHECK(scaling_.width() <= kMostInputsOfKernel);
}

float SupportVectors::Predict(std::span<const float> input) const {
  std::array<float, kMostInputsOfKernel> scaled;
  scaling_.Apply(input, scaled);
  const std::size_t width = scaling_.width();
  float sum = base_;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    sum += weights_[i] * Kernel(scaled.data(), &points_[i * width], width, gamma_);
  return sum;
}

void SupportVectors::Write(std::string& text) const {
  scaling_.Write(text);
  WriteNumbers(text, "kernel", {base_, gamma_});
  WriteNumbers(text, "points", points_);
  WriteNumbers(text, "weights", weights_);
}

Result<std::unique_ptr<Regressor>> SupportVectors::Read(std::size_t width, std::string_view text) {
  NumberReader reader(text);
  if (width > kMostInputsOfKernel) return Fail("{} inputs; at most {}", width, kMostInputsOfKernel);
  ASSIGN_OR_RETURN(Scaling scaling, Scaling::Read(width, reader));
  ASSIGN_OR_RETURN(const std::vector<float> kernel, reader.Numbers("kernel"));
  ASSIGN_OR_RETURN(std::vector<float> points, reader.Numbers("points"));
  ASSIGN_OR_RETURN(std::vector<float> weights, reader.Numbers("weights"));
  RETURN_IF_ERROR(reader.End());
  if (kernel.size() != 2 || kernel[1] < 0 || points.size() != width * weights.size())
    return Fail("{} numbers of points for {} weights", points.size(), weights.size());
  return std::unique_ptr<Regressor>(std::make_unique<SupportVectors>(
      std::move(scaling), kernel[0], kernel[1], std::move(points), std::move(weights)));
}

std::unique_ptr<Regressor> FitSupportVectors(const Examples& examples, const FitOptions& options) {
  Scaling scaling(examples);
  const std::vector<std::size_t> rows = Drawn(examples.size(), options.seed);
  const std::size_t width = examples.width;
  const float gamma = 0.5F / static_cast<float>(width);
  double mean = 0;
  for (const std::size_t row : rows)
    mean += double{examples.targets[row]} / static_cast<double>(rows.size());
  const auto base = static_cast<float>(mean);
  std::vector<float> points(rows.size() * width);
  std::vector<float> targets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scaling.Apply(examples.Row(rows[i]), std::span(points).subspan(i * width));
    targets.push_back(examples.targets[rows[i]] - base);
  }
  std::vector<float> kernel(rows.size() * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      kernel[i * rows.size() + j] = kernel[j * rows.size() + i] =
          Kernel(&points[i * width], &points[j * width], width, gamma);
    kernel[i * rows.size() + i] = 1;
  }
  const std::vector<float> solved = Solve(kernel, targets, options);
  std::vector<float> kept;
  std::vector<float> weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (solved[i] == 0) continue;
    weights.push_back(solved[i]);
    kept.insert(kept.end(), points.begin() + static_cast<std::ptrdiff_t>(i * width),
                points.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  }
  return std::make_unique<SupportVectors>(std::move(scaling), base, gamma, std::move(kept),
                                          std::move(weights));
}

}  // namespace fairlead
