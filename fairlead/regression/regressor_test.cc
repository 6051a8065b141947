#include "fairlead/regression/regressor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/base/random.h"
#include "fairlead/regression/learners.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

// A bent surface with a step, and an input that means nothing.
float Surface(std::span<const float> x) { return 0.3F * x[0] * x[1] + (x[1] > 0.5F ? 0.2F : 0.0F); }

Examples Drawn(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "examples");
  Examples examples;
  examples.width = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<float> row;
    for (int k = 0; k < 3; ++k) row.push_back(static_cast<float>(random.Uniform()));
    examples.Add(row, Surface(row));
  }
  return examples;
}

double MeanError(const Regressor& regressor, const Examples& examples) {
  double sum = 0;
  for (std::size_t i = 0; i < examples.size(); ++i)
    sum += double{std::abs(regressor.Predict(examples.Row(i)) - examples.targets[i])};
  return sum / static_cast<double>(examples.size());
}

class EveryLearner : public ::testing::TestWithParam<std::string> {
 protected:
  static const Learner& learner() { return **FindLearner(GetParam()); }
};

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Learner& learner : Learners()) names.emplace_back(learner.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryLearner, ::testing::ValuesIn(Names()), NameOf);

TEST_P(EveryLearner, LearnsASurfaceThatItHasNotSeenAllOf) {
  const auto regressor = learner().fit(Drawn(1500, 1), {});
  // Saying the mean is wrong by 0.13.
  EXPECT_LT(MeanError(*regressor, Drawn(500, 2)), 0.03);
}

TEST_P(EveryLearner, IsReadAsItWasWritten) {
  const auto regressor = learner().fit(Drawn(200, 1), {});
  std::string text;
  regressor->Write(text);
  const auto read = learner().read(3, text);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const Examples others = Drawn(100, 3);
  for (std::size_t i = 0; i < others.size(); ++i)
    ASSERT_EQ((*read)->Predict(others.Row(i)), regressor->Predict(others.Row(i)));
}

TEST_P(EveryLearner, LearnsTheSameFromTheSame) {
  const Examples examples = Drawn(200, 1);
  std::string first;
  std::string second;
  learner().fit(examples, {.seed = 5})->Write(first);
  learner().fit(examples, {.seed = 5})->Write(second);
  EXPECT_EQ(first, second);
}

TEST_P(EveryLearner, RefusesATextThatIsCutOff) {
  std::string text;
  learner().fit(Drawn(60, 1), {})->Write(text);
  RandomStream random(1, "cuts");
  for (int i = 0; i < 200; ++i) {
    const std::string_view part = std::string_view(text).substr(0, random.Below(text.size() - 2));
    ASSERT_FALSE(learner().read(3, part).has_value()) << part.size();
  }
}

TEST_P(EveryLearner, RefusesAnotherNumberOfInputs) {
  std::string text;
  learner().fit(Drawn(60, 1), {})->Write(text);
  if (const auto read = learner().read(2, text); read.has_value()) {
    // Trees name the inputs that they ask about: without the third they may do.
    EXPECT_THAT(GetParam(), ::testing::AnyOf("decision-tree", "random-forest", "boosting"));
  }
  EXPECT_FALSE(learner().read(0, text).has_value());
}

TEST(FindLearner, SuggestsWhatWasMeant) {
  EXPECT_EQ(FindLearner("bosting").error().message,
            "unknown learner 'bosting'; did you mean 'boosting'?");
}

// One question: x0 <= 2 leads to 5, else to 7.
TEST(TreeSum, AddsTheLeavesThatInputsLeadTo) {
  const std::string text =
      "base 1 100\ntrees 1 2\n"
      "inputs 3 0 0 0\nchildren 3 1 0 0\nvalues 3 2 5 7\n"
      "inputs 1 0\nchildren 1 0\nvalues 1 0.5\n";
  const auto sum = TreeSum::Read(1, text);
  ASSERT_TRUE(sum.has_value()) << sum.error().message;
  const auto predict = [&](float x) { return (*sum)->Predict(std::vector<float>{x}); };
  EXPECT_EQ(predict(1), 105.5F);
  EXPECT_EQ(predict(2), 105.5F);
  EXPECT_EQ(predict(2.5), 107.5F);
}

TEST(TreeSum, RefusesChildrenThatLeadBackOrOut) {
  for (const char* children : {"3 9 0 0", "3 2 0 0", "3 0 1 0"}) {
    const std::string text =
        fmt::format("base 1 0\ntrees 1 1\ninputs 3 0 0 0\nchildren {}\nvalues 3 2 5 7\n", children);
    EXPECT_THAT(TreeSum::Read(1, text).error().message, HasSubstr("leads nowhere")) << children;
  }
}

TEST(TreeSum, RefusesInputsThatThereAreNot) {
  EXPECT_THAT(
      TreeSum::Read(1, "base 1 0\ntrees 1 1\ninputs 3 1 0 0\nchildren 3 1 0 0\nvalues 3 2 5 7\n")
          .error()
          .message,
      HasSubstr("leads nowhere"));
}

// Two values of one input: the tree finds the step between them, and nothing else.
TEST(GrowTree, AsksWhereTargetsDiffer) {
  Examples examples;
  examples.width = 1;
  for (int i = 0; i < 40; ++i) {
    const auto x = static_cast<float>(i);
    examples.Add(std::vector<float>{x}, i < 20 ? 1.0F : 3.0F);
  }
  std::vector<Pull> pulls;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 40; ++i) {
    pulls.push_back({examples.targets[i], 1});
    rows.push_back(i);
  }
  RandomStream random(1, "tree");
  const auto tree = GrowTree(BinnedInputs(examples), pulls, rows,
                             {.depth = 5, .least_weight = 1, .shrinkage = 0}, random);
  ASSERT_EQ(tree.size(), 3);
  EXPECT_EQ(tree[0].threshold, 19.5F);
  EXPECT_EQ(tree[1].value, 1);
  EXPECT_EQ(tree[2].value, 3);
}

}  // namespace
}  // namespace fairlead
