#include "fairlead/world/learned_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fairlead/learning/decision_features.h"
#include "fairlead/neural/gru.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

GruNetwork Zeros(std::string name, std::size_t inputs) {
  constexpr std::size_t kHidden = 2;
  const int version = name == "decision" ? 1 : 2;
  return {.name = std::move(name),
          .version = version,
          .inputs = static_cast<int>(inputs),
          .hidden = kHidden,
          .outputs = static_cast<int>(kActionsPerRow),
          .input_weights = std::vector<float>(3 * kHidden * inputs),
          .hidden_weights = std::vector<float>(3 * kHidden * kHidden),
          .input_biases = std::vector<float>(3 * kHidden),
          .hidden_biases = std::vector<float>(3 * kHidden),
          .head_weights = std::vector<float>(kActionsPerRow * kHidden),
          .head_biases = std::vector<float>(kActionsPerRow)};
}

Result<std::unique_ptr<SchedulingPolicy>> WithWeights(std::string_view policy,
                                                      const GruNetwork& network) {
  return MakePolicy(std::string(policy) + ":weights=w.gru",
                    {.read = [&](const std::string& path) -> Result<std::string> {
                      EXPECT_EQ(path, "w.gru");
                      return FormatGru(network);
                    }});
}

constexpr std::size_t kUnaware = kSystemFeatures + kSegmentFeatures;

TEST(LearnedPolicies, WeightsMayComeFromAFile) {
  EXPECT_TRUE(WithWeights("rl-baseline", Zeros("decision", kUnaware)).has_value());
  EXPECT_TRUE(WithWeights("rl-sla", Zeros("decision-indicators", kUnaware + 2)).has_value());
}

TEST(LearnedPolicies, WeightsOfAnotherEncoderAreAnError) {
  EXPECT_THAT(WithWeights("rl-sla", Zeros("decision", kUnaware)).error().message,
              StartsWith("w.gru: a network for the encoder 'decision' of version 1, where "
                         "'decision-indicators' of version 2 was expected"));
  GruNetwork later = Zeros("decision", kUnaware);
  ++later.version;
  EXPECT_FALSE(WithWeights("rl-baseline", later).has_value());
}

TEST(LearnedPolicies, WeightsOfAnotherSizeAreAnError) {
  EXPECT_THAT(WithWeights("rl-baseline", Zeros("decision", kUnaware + 1)).error().message,
              HasSubstr("where 42 and 5 were expected"));
}

// By hand: every product takes at least the multiplication and one read of a weight, 1.085 pJ.
TEST(LearnedPolicies, ARowTakesWhatItsProductsTakeAndLittleMore) {
  GruNetwork network = Zeros("decision", kUnaware);
  network.hidden = 192;
  const double products = 576.0 * 42 + 576.0 * 192 + 192.0 * 5;
  EXPECT_GT(RowEnergyOnSimba(network), 0.7 * products);
  EXPECT_LT(RowEnergyOnSimba(network), 4 * products);
}

}  // namespace
}  // namespace fairlead
