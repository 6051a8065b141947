#include "fairlead/workload/linear_program.h"

#include <gtest/gtest.h>

#include <vector>

namespace fairlead {
namespace {

using Terms = std::vector<LinearProgram::Term>;
constexpr double kInfinity = LinearProgram::kInfinity;

// max 3x + 2y with x + y <= 4, x + 3y <= 6, x <= 3: the best corner is (3, 1).
struct Corner {
  LinearProgram program;
  int x = program.AddVariable(3);
  int y = program.AddVariable();
  Corner() {
    program.SetObjective(x, 3);
    program.SetObjective(y, 2);
    program.AddConstraint(-kInfinity, 4, Terms{{x, 1}, {y, 1}});
    program.AddConstraint(-kInfinity, 6, Terms{{x, 1}, {y, 3}});
  }
};

TEST(LinearProgram, FindsTheBestCorner) {
  Corner corner;
  EXPECT_NEAR(corner.program.Maximise().value(), 11, 1e-9);
}

TEST(LinearProgram, TellsValues) {
  Corner corner;
  ASSERT_TRUE(corner.program.Maximise().has_value());
  EXPECT_NEAR(corner.program.Value(corner.y), 1, 1e-9);
}

TEST(LinearProgram, TakesConstraintsAfterASolution) {
  Corner corner;
  ASSERT_TRUE(corner.program.Maximise().has_value());
  corner.program.AddConstraint(-kInfinity, 2, Terms{{corner.x, 1}});
  EXPECT_NEAR(corner.program.Maximise().value(), 6 + 2 * 4.0 / 3, 1e-9);
}

TEST(LinearProgram, TakesAnotherObjectiveAfterASolution) {
  Corner corner;
  ASSERT_TRUE(corner.program.Maximise().has_value());
  corner.program.SetObjective(corner.x, 0);
  EXPECT_NEAR(corner.program.Maximise().value(), 4, 1e-9);
}

TEST(LinearProgram, AddsUpTermsOfOneVariable) {
  LinearProgram program;
  const int x = program.AddVariable();
  program.SetObjective(x, 1);
  program.AddConstraint(-kInfinity, 6, Terms{{x, 1}, {x, 2}});
  EXPECT_NEAR(program.Maximise().value(), 2, 1e-9);
}

TEST(LinearProgram, RefusesAnImpossibleProgram) {
  LinearProgram program;
  const int x = program.AddVariable(1);
  program.AddConstraint(2, kInfinity, Terms{{x, 1}});
  EXPECT_EQ(program.Maximise().error().message,
            "linear program: nothing satisfies all constraints");
}

TEST(LinearProgram, RefusesAnUnlimitedProgram) {
  LinearProgram program;
  const int x = program.AddVariable();
  const int y = program.AddVariable();
  program.SetObjective(x, 1);
  program.AddConstraint(-kInfinity, 1, Terms{{x, 1}, {y, -1}});
  EXPECT_EQ(program.Maximise().error().message, "linear program: the objective has no limit");
}

}  // namespace
}  // namespace fairlead
