#include "fairlead/execution/layout_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using testing::ElementsAre;

double CostsTen(std::uint32_t /*tensor*/, std::uint8_t /*from*/, std::uint8_t /*to*/) { return 10; }

// Tensor 0 is the input; each step reads the tensor before and writes the next.
LayoutProblem Chain(std::vector<std::vector<StepOption>> options) {
  LayoutProblem problem{.tensors = options.size() + 1, .conversion = CostsTen};
  for (std::uint32_t i = 0; i < options.size(); ++i)
    problem.steps.push_back({.reads = {i}, .writes = i + 1, .options = std::move(options[i])});
  problem.plain = {0, static_cast<std::uint32_t>(problem.steps.size())};
  return problem;
}

StepOption In(std::uint8_t layout, double time) { return {{layout}, layout, time}; }

TEST(LayoutChoice, TakesTheFastestWhereNothingIsConverted) {
  const LayoutProblem problem = Chain({{In(0, 9), In(0, 5), In(0, 7)}});
  EXPECT_THAT(GoodChoices(problem).front().choice, ElementsAre(1));
}

TEST(LayoutChoice, ConvertsWhereItPays) {
  const LayoutProblem problem = Chain({{In(0, 50), In(1, 20)}, {In(0, 50), In(1, 20)}});
  const RatedChoice best = GoodChoices(problem).front();
  EXPECT_THAT(best.choice, ElementsAre(1, 1));
  EXPECT_EQ(best.nanoseconds, 60);
}

TEST(LayoutChoice, DoesNotConvertWhereItDoesNotPay) {
  const LayoutProblem problem = Chain({{In(0, 50), In(1, 35)}});
  EXPECT_THAT(GoodChoices(problem).front().choice, ElementsAre(0));
}

TEST(LayoutChoice, FindsWhatPaysOnlyForManyStepsTogether) {
  std::vector<std::vector<StepOption>> options(8, {In(0, 10), In(2, 6)});
  const RatedChoice best = GoodChoices(Chain(std::move(options))).front();
  EXPECT_EQ(best.nanoseconds, 8 * 6 + 20);
}

TEST(LayoutChoice, ConvertsATensorOnceForAllReaders) {
  LayoutProblem problem{.tensors = 4, .conversion = CostsTen};
  for (std::uint32_t i = 1; i < 4; ++i)
    problem.steps.push_back({.reads = {0}, .writes = i, .options = {{{1}, 0, 1}}});
  problem.plain = {0};
  EXPECT_EQ(TimeOf(problem, {0, 0, 0}), 3 + 10);
}

TEST(LayoutChoice, CountsTheWayBackToPlainOutputs) {
  const LayoutProblem problem = Chain({{In(3, 1)}});
  EXPECT_EQ(TimeOf(problem, {0}), 1 + 10 + 10);
}

TEST(LayoutChoice, ListsNoChoiceTwice) { EXPECT_EQ(GoodChoices(Chain({{In(0, 1)}})).size(), 1U); }

class RandomProblems : public testing::TestWithParam<std::uint64_t> {};

// Against all choices, tried one by one.
TEST_P(RandomProblems, AreSolvedToWithinATenthOfTheOptimum) {
  RandomStream random(GetParam(), "test");
  LayoutProblem problem{.tensors = 8, .plain = {0, 7}, .conversion = CostsTen};
  for (std::uint32_t i = 1; i < problem.tensors; ++i) {
    ChoosingStep step{.writes = i};
    step.reads.push_back(static_cast<std::uint32_t>(random.Below(i)));
    step.reads.push_back(i - 1);
    for (std::uint8_t layout = 0; layout < 3; ++layout)
      step.options.push_back(
          {{layout, layout}, layout, 10 + static_cast<double>(random.Below(40))});
    problem.steps.push_back(std::move(step));
  }
  double optimum = std::numeric_limits<double>::infinity();
  LayoutChoice choice(7, 0);
  for (int code = 0; code < 2187; ++code) {
    int rest = code;
    for (std::size_t& option : choice) {
      option = static_cast<std::size_t>(rest % 3);
      rest /= 3;
    }
    optimum = std::min(optimum, TimeOf(problem, choice));
  }
  const RatedChoice best = GoodChoices(problem).front();
  EXPECT_EQ(best.nanoseconds, TimeOf(problem, best.choice));
  EXPECT_LE(best.nanoseconds, 1.1 * optimum);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProblems, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace fairlead
