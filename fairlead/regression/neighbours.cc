#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"
#include "fairlead/regression/learners.h"

namespace fairlead {
namespace {

constexpr std::size_t kNearest = 8;
constexpr std::size_t kMostInputs = 256;

float SquaredDistance(const float* a, const float* b, std::size_t width) {
  float sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

NearestNeighbours::NearestNeighbours(Scaling scaling, std::vector<float> points,
                                     std::vector<float> targets)
    : scaling_(std::move(scaling)), points_(std::move(points)), targets_(std::move(targets)) {
  CHECK(scaling_.width() <= kMostInputs);
}

float NearestNeighbours::Predict(std::span<const float> input) const {
  std::array<float, kMostInputs> scaled;
  scaling_.Apply(input, scaled);
  struct Near {
    float distance = std::numeric_limits<float>::infinity();
    float target = 0;
  };
  std::array<Near, kNearest> nearest;
  const std::size_t width = scaling_.width();
  for (std::size_t row = 0; row < targets_.size(); ++row) {
    const float distance = SquaredDistance(scaled.data(), &points_[row * width], width);
    if (distance >= nearest.back().distance) continue;
    std::size_t at = kNearest - 1;
    for (; at > 0 && nearest[at - 1].distance > distance; --at) nearest[at] = nearest[at - 1];
    nearest[at] = {distance, targets_[row]};
  }
  float sum = 0;
  float weights = 0;
  for (const Near& near : nearest) {
    if (std::isinf(near.distance)) break;
    const float weight = 1 / (std::sqrt(near.distance) + 0.1F);
    sum += weight * near.target;
    weights += weight;
  }
  return sum / weights;
}

void NearestNeighbours::Write(std::string& text) const {
  scaling_.Write(text);
  WriteNumbers(text, "points", points_);
  WriteNumbers(text, "targets", targets_);
}

Result<std::unique_ptr<Regressor>> NearestNeighbours::Read(std::size_t width,
                                                           std::string_view text) {
  NumberReader reader(text);
  if (width > kMostInputs) return Fail("{} inputs; at most {}", width, kMostInputs);
  ASSIGN_OR_RETURN(Scaling scaling, Scaling::Read(width, reader));
  ASSIGN_OR_RETURN(std::vector<float> points, reader.Numbers("points"));
  ASSIGN_OR_RETURN(std::vector<float> targets, reader.Numbers("targets"));
  RETURN_IF_ERROR(reader.End());
  if (targets.empty() || points.size() != width * targets.size())
    return Fail("{} numbers of points for {} targets", points.size(), targets.size());
  return std::unique_ptr<Regressor>(std::make_unique<NearestNeighbours>(
      std::move(scaling), std::move(points), std::move(targets)));
}

std::unique_ptr<Regressor> FitNeighbours(const Examples& examples, const FitOptions& options) {
  Scaling scaling(examples);
  std::vector<float> points(examples.inputs.size());
  for (std::size_t row = 0; row < examples.size(); ++row)
    scaling.Apply(examples.Row(row), std::span(points).subspan(row * examples.width));
  options.progress(1);
  return std::make_unique<NearestNeighbours>(std::move(scaling), std::move(points),
                                             examples.targets);
}

}  // namespace fairlead
