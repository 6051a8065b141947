#include "fairlead/running/learning_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fairlead/running/experiments.h"
#include "fairlead/scenario/experiment_card.h"

namespace fairlead {
namespace {

// Quick ones come out as their cards say, number by number.
class LearningExperiments : public ::testing::TestWithParam<std::string> {};

TEST_P(LearningExperiments, ComeOutAsExpected_slow) {
  const auto card = ReadExperimentCard(GetParam());
  ASSERT_TRUE(card.has_value()) << card.error().message;
  const auto results = FindExperiment(GetParam())->run({.quick = true});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  ASSERT_FALSE(card->expected_quick.empty());
  for (const ExpectedNumber& expected : card->expected_quick) {
    const auto found = std::ranges::find(results->numbers, expected.name, &ExperimentNumber::name);
    ASSERT_NE(found, results->numbers.end()) << expected.name;
    EXPECT_NEAR(found->estimate.mean, expected.value, expected.tolerance) << expected.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Names, LearningExperiments,
                         ::testing::Values("fairness", "firm", "energy", "newcomers"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace fairlead
