#include "fairlead/interference/pressure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

// A world in which g is the pressure in GB/s over 100, up to 1.
std::vector<PressedExample> Mixes(std::size_t count, double noise) {
  RandomStream random(1, "mixes");
  std::vector<PressedExample> examples;
  for (std::size_t i = 0; i < count; ++i) {
    const double pressed = 1 + random.Uniform();
    const double pressure = 150e9 * random.Uniform();
    const double slowdown = std::pow(pressed, std::min(pressure / 100e9, 1.0));
    examples.push_back({pressed, pressure, slowdown * std::exp(noise * random.Normal())});
  }
  return examples;
}

TEST(PressureCurve, FindsWhatItWasMadeFrom) {
  const PressureCurve curve = PressureCurve::Fit(Mixes(2000, 0));
  EXPECT_NEAR(curve.Exponent(0), 0, 0.02);
  EXPECT_NEAR(curve.Exponent(50e9), 0.5, 0.03);
  EXPECT_NEAR(curve.Exponent(140e9), 1, 0.03);
}

TEST(PressureCurve, IsRightInSpiteOfNoise) {
  const PressureCurve curve = PressureCurve::Fit(Mixes(2000, 0.05));
  for (const PressedExample& example : Mixes(100, 0))
    EXPECT_NEAR(curve.Slowdown(example.pressed, example.bytes_per_s), example.slowdown, 0.05);
}

TEST(PressureCurve, NeverFalls) {
  const PressureCurve curve = PressureCurve::Fit(Mixes(50, 0.5));
  double last = 0;
  for (double pressure = 0; pressure < 200e9; pressure += 1e9) {
    EXPECT_GE(curve.Exponent(pressure), last);
    last = curve.Exponent(pressure);
  }
}

TEST(PressureCurve, SlowsNobodyWhoDoesNotSuffer) {
  EXPECT_EQ(PressureCurve::Fit(Mixes(100, 0)).Slowdown(1, 150e9), 1);
}

TEST(PressureCurve, SlowsNobodyWithoutExamples) {
  EXPECT_EQ(PressureCurve::Fit({}).Slowdown(3, 1e12), 1);
}

class PressureInterferenceTest : public ::testing::Test {
 protected:
  static RunningSegment Segment(double pressed, double gigabytes_per_s) {
    return {.accelerator = AcceleratorId{std::size_t{0}},
            .network = NetworkId{std::size_t{0}},
            .segment = SegmentId{std::size_t{0}},
            .demand =
                DemandOf(static_cast<std::int64_t>(gigabytes_per_s * 1e9), std::chrono::seconds{1}),
            .pressed = pressed};
  }
  std::vector<double> Slowdowns(const std::vector<RunningSegment>& running) {
    std::vector<Rate> rates(running.size());
    model_->Rates(running, rates);
    std::vector<double> slowdowns;
    for (Rate rate : rates)
      slowdowns.push_back(static_cast<double>(kFullRate) / static_cast<double>(rate));
    return slowdowns;
  }
  PressureCurve curve_ = PressureCurve::Fit(Mixes(2000, 0));
  std::unique_ptr<InterferenceModel> model_ = MakePressureInterference(curve_);
};

TEST_F(PressureInterferenceTest, LeavesOneAloneInPeace) {
  EXPECT_EQ(Slowdowns({Segment(2, 80)}), std::vector<double>{1});
}

TEST_F(PressureInterferenceTest, SlowsEachByWhatOthersTouch) {
  const auto slowdowns = Slowdowns({Segment(2, 50), Segment(1.5, 20), Segment(1, 30)});
  EXPECT_NEAR(slowdowns[0], curve_.Slowdown(2, 50e9), 1e-6);
  EXPECT_NEAR(slowdowns[1], curve_.Slowdown(1.5, 80e9), 1e-6);
  EXPECT_EQ(slowdowns[2], 1);
}

TEST_F(PressureInterferenceTest, DoesNotDependOnTheOrder) {
  const auto one = Slowdowns({Segment(2, 50), Segment(1.5, 20), Segment(1.2, 30)});
  const auto other = Slowdowns({Segment(1.2, 30), Segment(2, 50), Segment(1.5, 20)});
  EXPECT_EQ(one[0], other[1]);
  EXPECT_EQ(one[2], other[0]);
}

}  // namespace
}  // namespace fairlead
