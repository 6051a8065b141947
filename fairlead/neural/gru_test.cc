#include "fairlead/neural/gru.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

std::vector<float> Draw(RandomStream& random, std::size_t count, double scale) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(scale * (4 * random.Uniform() - 2));
  return numbers;
}

GruNetwork DrawNetwork(int inputs, int hidden, int outputs, std::uint64_t seed = 1) {
  RandomStream random(seed, "gru");
  const auto h = static_cast<std::size_t>(hidden);
  const auto i = static_cast<std::size_t>(inputs);
  const auto o = static_cast<std::size_t>(outputs);
  return {.name = "drawn",
          .version = 2,
          .inputs = inputs,
          .hidden = hidden,
          .outputs = outputs,
          .input_weights = Draw(random, 3 * h * i, 0.3),
          .hidden_weights = Draw(random, 3 * h * h, 0.2),
          .input_biases = Draw(random, 3 * h, 0.3),
          .hidden_biases = Draw(random, 3 * h, 0.3),
          .head_weights = Draw(random, o * h, 0.3),
          .head_biases = Draw(random, o, 0.3)};
}

// As the formulas stand in the header, in doubles.
std::vector<double> ByFormula(const GruNetwork& net, const std::vector<float>& inputs,
                              std::size_t steps) {
  const auto h = static_cast<std::size_t>(net.hidden);
  const auto i = static_cast<std::size_t>(net.inputs);
  const auto sum = [](const std::vector<float>& weights, const std::vector<float>& biases,
                      std::size_t row, const auto* x, std::size_t n) {
    double total = static_cast<double>(biases[row]);
    for (std::size_t k = 0; k < n; ++k)
      total += static_cast<double>(weights[row * n + k]) * static_cast<double>(x[k]);
    return total;
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  std::vector<double> state(h, 0);
  std::vector<double> answers;
  for (std::size_t step = 0; step < steps; ++step) {
    const float* const x = &inputs[step * i];
    std::vector<double> next(h);
    for (std::size_t u = 0; u < h; ++u) {
      const auto in = [&](std::size_t gate) {
        return sum(net.input_weights, net.input_biases, gate * h + u, x, i);
      };
      const auto back = [&](std::size_t gate) {
        return sum(net.hidden_weights, net.hidden_biases, gate * h + u, state.data(), h);
      };
      const double r = sigmoid(in(0) + back(0));
      const double z = sigmoid(in(1) + back(1));
      const double n = std::tanh(in(2) + r * back(2));
      next[u] = (1 - z) * n + z * state[u];
    }
    state = next;
    for (std::size_t o = 0; o < static_cast<std::size_t>(net.outputs); ++o)
      answers.push_back(std::tanh(sum(net.head_weights, net.head_biases, o, state.data(), h)));
  }
  return answers;
}

std::vector<float> RunWith(const GruNetwork& net, const std::vector<float>& inputs,
                           std::size_t steps, VectorCode code) {
  GruRunner runner(net, code);
  std::vector<float> answers(steps * static_cast<std::size_t>(net.outputs));
  runner.Run({}, inputs, steps, answers);
  return answers;
}

TEST(GruTest, ComputesWhatTheFormulasSay) {
  for (const int hidden : {1, 7, 64, 192}) {
    const GruNetwork net = DrawNetwork(11, hidden, 5);
    RandomStream random(3, "inputs");
    const std::vector<float> inputs = Draw(random, 20 * 11, 1);
    const std::vector<float> answers = RunWith(net, inputs, 20, BestVectorCode());
    const std::vector<double> expected = ByFormula(net, inputs, 20);
    for (std::size_t i = 0; i < answers.size(); ++i)
      EXPECT_NEAR(static_cast<double>(answers[i]), expected[i], 1e-5) << hidden << ' ' << i;
  }
}

TEST(GruTest, GivesTheSameBitsWithAllInstructions) {
  const GruNetwork net = DrawNetwork(41, 192, 5);
  RandomStream random(4, "inputs");
  const std::vector<float> inputs = Draw(random, std::size_t{30} * 41, 2);
  const std::vector<float> plain = RunWith(net, inputs, 30, VectorCode::kPlain);
  for (const VectorCode code : {VectorCode::kAvx2, VectorCode::kAvx512}) {
    if (!CanRun(code)) continue;
    const std::vector<float> vector = RunWith(net, inputs, 30, code);
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(plain[i]), std::bit_cast<std::uint32_t>(vector[i]));
  }
}

// These bits come out on every machine and in every build.
TEST(GruTest, GivesTheSameBitsForEver) {
  const GruNetwork net = DrawNetwork(3, 5, 2, 7);
  const std::vector<float> inputs = {0.5F, -1, 2, 0.25F, 0, -0.125F};
  std::uint64_t hash = 1469598103934665603U;
  for (const float answer : RunWith(net, inputs, 2, BestVectorCode()))
    hash = (hash ^ std::bit_cast<std::uint32_t>(answer)) * 1099511628211U;
  EXPECT_EQ(hash, 11673597873357468301U);
}

TEST(GruTest, TakesSharedInputsOnceForAllSteps) {
  const GruNetwork net = DrawNetwork(5, 20, 2);
  const std::vector<float> shared = {0.1F, -0.7F, 1.5F};
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  std::vector<float> whole;
  for (std::size_t step = 0; step < 3; ++step) {
    whole.insert(whole.end(), shared.begin(), shared.end());
    whole.insert(whole.end(), {rows[2 * step], rows[2 * step + 1]});
  }
  GruRunner runner(net);
  std::vector<float> apart(6);
  runner.Run(shared, rows, 3, apart);
  EXPECT_EQ(apart, RunWith(net, whole, 3, BestVectorCode()));
}

TEST(GruTest, StaysWithinBoundsWhateverItIsShown) {
  const GruNetwork net = DrawNetwork(4, 16, 3);
  const float far = 1e30F;
  for (const float answer :
       RunWith(net, {far, -far, far, far, -far, 0, 0, far}, 2, BestVectorCode())) {
    EXPECT_GE(answer, -1);
    EXPECT_LE(answer, 1);
  }
}

TEST(GruTest, ComesBackFromItsFileAsItWas) {
  for (const int outputs : {1, 2, 3}) {  // all three ends of base64
    const GruNetwork net = DrawNetwork(2, 3, outputs);
    const std::string text = FormatGru(net);
    const auto read = ParseGru(text, "drawn", 2);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, net);
    EXPECT_EQ(FormatGru(*read), text);
  }
}

TEST(GruTest, RefusesWhatIsNotTheNetworkAskedFor) {
  const std::string text = FormatGru(DrawNetwork(2, 3, 1));
  EXPECT_EQ(
      ParseGru(text, "other", 2).error().message,
      "a network for the encoder 'drawn' of version 2, where 'other' of version 2 was expected");
  EXPECT_FALSE(ParseGru(text, "drawn", 3).has_value());
  EXPECT_FALSE(ParseGru(text + "AAAA", "drawn", 2).has_value());
  EXPECT_FALSE(ParseGru(text + "*", "drawn", 2).has_value());
  EXPECT_FALSE(ParseGru(text.substr(0, text.size() - 9), "drawn", 2).has_value());
  EXPECT_FALSE(ParseGru("", "drawn", 2).has_value());
  EXPECT_FALSE(ParseGru("fairlead-gru 1 drawn 2 4096 4096 4096 AAAA", "drawn", 2).has_value());
  EXPECT_FALSE(ParseGru("fairlead-gru 1 drawn 2 0 1 1 AAAA", "drawn", 2).has_value());
  GruNetwork odd = DrawNetwork(2, 3, 1);
  odd.head_biases[0] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(ParseGru(FormatGru(odd), "drawn", 2).has_value());
}

}  // namespace
}  // namespace fairlead
