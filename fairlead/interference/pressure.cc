#include "fairlead/interference/pressure.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead {
namespace {

constexpr std::size_t kPieces = 6;
constexpr int kSweeps = 2000;
constexpr double kMostPressureSlowdown = 1000;

// How far into each piece a pressure reaches: 0 before it, 1 behind it.
double Reach(std::span<const double> ends, std::size_t piece, double bytes_per_s) {
  const double width = ends[piece + 1] - ends[piece];
  return width > 0 ? std::clamp((bytes_per_s - ends[piece]) / width, 0.0, 1.0) : 0;
}

// From nothing to the largest pressure, as many examples in each.
std::vector<double> PiecesOf(std::span<const PressedExample> examples) {
  std::vector<double> pressures;
  for (const PressedExample& example : examples) pressures.push_back(example.bytes_per_s);
  std::ranges::sort(pressures);
  std::vector<double> ends = {0};
  for (std::size_t piece = 1; piece <= kPieces; ++piece)
    ends.push_back(pressures[(pressures.size() - 1) * piece / kPieces]);
  return ends;
}

class PressureInterference final : public InterferenceModel {
 public:
  explicit PressureInterference(PressureCurve curve)
      : curve_(std::move(curve)), caps_(MakeBandwidthSharing(Sharing::kNone, 0)) {}

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    caps_->Rates(running, rates);
    Demand all = 0;  // the largest sum of demands is far from the end of 64 bits
    for (const RunningSegment& one : running) all += one.demand;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (!running[i].network.valid()) continue;  // a decision
      const double others = static_cast<double>(all - running[i].demand) /
                            static_cast<double>(Demand{1} << kDemandBits);
      const double rate =
          static_cast<double>(rates[i]) / curve_.Slowdown(running[i].pressed, others);
      rates[i] = std::max<Rate>(static_cast<Rate>(rate), 1);
    }
  }

 private:
  PressureCurve curve_;
  std::unique_ptr<InterferenceModel> caps_;
};

}  // namespace

PressureCurve PressureCurve::Fit(std::span<const PressedExample> examples) {
  PressureCurve curve;
  if (examples.empty()) return curve;
  const std::vector<double> ends = PiecesOf(examples);
  // log slowdown = log pressed * (sum over pieces of rise * reach), rises from 0 on: by coordinate
  // descent.
  std::vector<double> rises(kPieces, 0);
  std::vector<double> left;  // what the pieces do not explain so far
  std::vector<std::vector<double>> columns(kPieces);
  for (const PressedExample& example : examples) {
    const double sensitivity = std::log(std::max(example.pressed, 1.0));
    left.push_back(std::log(example.slowdown));
    for (std::size_t piece = 0; piece < kPieces; ++piece)
      columns[piece].push_back(sensitivity * Reach(ends, piece, example.bytes_per_s));
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t piece = 0; piece < kPieces; ++piece) {
      double along = 0;
      double square = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        along += columns[piece][i] * left[i];
        square += columns[piece][i] * columns[piece][i];
      }
      if (square <= 0) continue;
      const double rise = std::max(rises[piece] + along / square, 0.0);
      const double change = rise - std::exchange(rises[piece], rise);
      for (std::size_t i = 0; i < left.size(); ++i) left[i] -= change * columns[piece][i];
    }
  }
  double exponent = 0;
  curve.knots_.push_back({0, 0});
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    exponent += rises[piece];
    if (ends[piece + 1] > ends[piece]) curve.knots_.push_back({ends[piece + 1], exponent});
  }
  return curve;
}

double PressureCurve::Exponent(double bytes_per_s) const {
  if (knots_.empty()) return 0;
  const auto after = std::ranges::upper_bound(knots_, bytes_per_s, {}, &Knot::bytes_per_s);
  if (after == knots_.begin()) return knots_.front().exponent;
  if (after == knots_.end()) return knots_.back().exponent;
  const Knot& before = *(after - 1);
  const double share =
      (bytes_per_s - before.bytes_per_s) / (after->bytes_per_s - before.bytes_per_s);
  return before.exponent + share * (after->exponent - before.exponent);
}

double PressureCurve::Slowdown(double pressed, double bytes_per_s) const {
  const double slowdown = std::pow(std::max(pressed, 1.0), Exponent(bytes_per_s));
  return slowdown > 1 ? std::min(slowdown, kMostPressureSlowdown) : 1;
}

std::unique_ptr<InterferenceModel> MakePressureInterference(PressureCurve curve) {
  return std::make_unique<PressureInterference>(std::move(curve));
}

}  // namespace fairlead
