#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/networks/operator_graph.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;

// 100 numbers to 10 by a linear layer, reshaped, plus ten constant numbers.
class OperatorTrafficTest : public ::testing::Test {
 protected:
  static WeightsPointer WeightsOf(TensorDims dims) {
    auto weights = std::make_shared<Weights>();
    weights->values.resize(static_cast<std::size_t>(ElementsOf(dims)));
    weights->dims = std::move(dims);
    return weights;
  }

  OperatorTrafficTest() {
    graph_.tensors = {{"in", {100}},
                      {"hidden", {10}},
                      {"view", {2, 5}},
                      {"constant", {2, 5}, WeightsOf({2, 5})},
                      {"out", {2, 5}}};
    graph_.operators = {
        {"linear", Linear{.weights = WeightsOf({10, 100}), .bias = WeightsOf({10})}, {0}, 1, {}},
        {"reshape", Reshape{}, {1}, 2, {}},
        {"add", Binary{}, {2, 3}, 4, {}}};
    graph_.inputs = {0};
    graph_.outputs = {4};
  }

  OperatorGraph graph_{.name = "small"};
};

constexpr std::int64_t kWeights = 4L * (1000 + 10 + 10);
constexpr std::int64_t kLargest = 4L * (100 + 10);

TEST_F(OperatorTrafficTest, IsNothingWhereAllStaysInTheCache) {
  EXPECT_THAT(CountTraffic(graph_, 1, kWeights + kLargest), ElementsAre(0, 0, 0));
}

TEST_F(OperatorTrafficTest, IsTheWeightsWhereTheyDoNotStay) {
  EXPECT_THAT(CountTraffic(graph_, 1, kWeights + kLargest - 1), ElementsAre(4 * 1010, 0, 4 * 10));
}

TEST_F(OperatorTrafficTest, IsAllThatIsTouchedWithoutACache) {
  EXPECT_THAT(CountTraffic(graph_, 1, 0), ElementsAre(4 * (1010 + 110), 0, 4 * (10 + 20)));
}

TEST_F(OperatorTrafficTest, HasInputsAndOutputsWhereTheyExceedTheCache) {
  EXPECT_THAT(CountTraffic(graph_, 1, 100), ElementsAre(4 * (1010 + 110), 0, 4 * 10));
}

TEST_F(OperatorTrafficTest, ReadsWeightsOnceForABatch) {
  EXPECT_THAT(CountTraffic(graph_, 3, 0), ElementsAre(4 * (1010 + 3 * 110), 0, 4 * (10 + 3 * 20)));
}

}  // namespace
}  // namespace fairlead
