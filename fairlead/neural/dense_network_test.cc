#include "fairlead/neural/dense_network.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fairlead {
namespace {

DenseNetwork Small() {
  return {.name = "small",
          .version = 3,
          .layers = {{.inputs = 2,
                      .outputs = 2,
                      .activation = NeuronActivation::kRelu,
                      .biases = {0.5, -1},
                      .weights = {1, 2, 3, -4}},
                     {.inputs = 2,
                      .outputs = 2,
                      .activation = NeuronActivation::kSoftmax,
                      .biases = {0, 0},
                      .weights = {1, 0, 0, 1}}}};
}

// By hand: 0.5 + 1 + 2 x 0.25 = 2; -1 + 3 - 4 x 0.25 = 1; then e / (e + 1).
TEST(DenseNetworkTest, ComputesAWorkedExample) {
  std::vector<std::vector<double>> values;
  RunNetwork(Small(), std::vector<double>{1, 0.25}, values);
  EXPECT_EQ(values[0], (std::vector<double>{2, 1}));
  EXPECT_NEAR(values[1][0], std::exp(1) / (std::exp(1) + 1), 1e-15);
  EXPECT_NEAR(values[1][0] + values[1][1], 1, 1e-15);
}

TEST(DenseNetworkTest, ComesBackFromTextAsItWas) {
  DenseNetwork network = Small();
  network.layers[0].weights[0] = 1.0 / 3;
  network.layers[0].activation = NeuronActivation::kTanh;
  const std::string text = FormatNetwork(network);
  const auto read = ParseNetwork(text, "small", 3);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->layers[0].weights, network.layers[0].weights);
  EXPECT_EQ(FormatNetwork(*read), text);
}

TEST(DenseNetworkTest, RefusesWhatIsNotTheNetworkAskedFor) {
  const std::string text = FormatNetwork(Small());
  EXPECT_EQ(ParseNetwork(text, "other", 3).error().message,
            "a network 'small' of version 3, where 'other' of version 3 was expected");
  EXPECT_FALSE(ParseNetwork(text, "small", 4).has_value());
  EXPECT_FALSE(ParseNetwork(text + "7", "small", 3).has_value());
  EXPECT_FALSE(ParseNetwork(text.substr(0, text.size() - 4), "small", 3).has_value());
  EXPECT_FALSE(ParseNetwork("", "small", 3).has_value());
  EXPECT_FALSE(ParseNetwork("fairlead-network 1 small 3 1 dense 1 1 none nan 1", "small", 3));
  EXPECT_FALSE(ParseNetwork("fairlead-network 1 small 3 1 dense 0 1 none 1", "small", 3));
  EXPECT_FALSE(ParseNetwork("fairlead-network 1 small 3 1 dense 1 1 sin 1 1", "small", 3));
  DenseNetwork gap = Small();
  gap.layers[1].inputs = 3;
  EXPECT_FALSE(CheckNetwork(gap).has_value());
}

}  // namespace
}  // namespace fairlead
