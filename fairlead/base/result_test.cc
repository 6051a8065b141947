#include "fairlead/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fairlead {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Fail("{} is odd", value);
  return value / 2;
}

Status CheckEven(int value) {
  if (value % 2 != 0) return Fail("{} is odd", value);
  return {};
}

Result<int> Quarter(int value) {
  ASSIGN_OR_RETURN(const int half, Half(value));
  ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

// Counts how often it is evaluated.
Status CountedFailure(int& evaluations) {
  ++evaluations;
  return Fail("always");
}

Result<std::string> Guarded(int value) {
  RETURN_IF_ERROR(CheckEven(value));
  return "even";
}

TEST(Result, HoldsAValue) { EXPECT_EQ(Half(8).value(), 4); }

TEST(Result, HoldsAnError) { EXPECT_EQ(Half(3).error().message, "3 is odd"); }

TEST(Result, StatusIsFineByDefault) { EXPECT_TRUE(Status{}.has_value()); }

TEST(AssignOrReturn, AssignsEachStep) { EXPECT_EQ(Quarter(12).value(), 3); }

TEST(AssignOrReturn, HandsTheFirstErrorOn) { EXPECT_EQ(Quarter(5).error().message, "5 is odd"); }

TEST(AssignOrReturn, HandsALaterErrorOn) { EXPECT_EQ(Quarter(6).error().message, "3 is odd"); }

TEST(AssignOrReturn, MovesTheValue) {
  const auto passed_on = []() -> Result<std::unique_ptr<int>> {
    ASSIGN_OR_RETURN(auto owned, Result<std::unique_ptr<int>>(std::make_unique<int>(5)));
    return owned;
  };
  EXPECT_EQ(*passed_on().value(), 5);
}

TEST(AssignOrReturn, TurnsTheErrorIntoTheCallersResult) {
  const auto as_text = [](int value) -> Result<std::string> {
    ASSIGN_OR_RETURN(const int half, Half(value));
    return std::to_string(half);
  };
  EXPECT_EQ(as_text(7).error().message, "7 is odd");
}

TEST(ReturnIfError, GoesOnWhenAllIsWell) { EXPECT_EQ(Guarded(2).value(), "even"); }

TEST(ReturnIfError, HandsTheErrorOn) { EXPECT_EQ(Guarded(9).error().message, "9 is odd"); }

TEST(ReturnIfError, EvaluatesOnce) {
  int evaluations = 0;
  const auto run = [&]() -> Status {
    RETURN_IF_ERROR(CountedFailure(evaluations));
    return {};
  };
  EXPECT_FALSE(run().has_value());
  EXPECT_EQ(evaluations, 1);
}

TEST(ReturnIfError, BindsLikeAStatement) {
  const auto run = [](bool checked) -> Status {
    if (checked)
      RETURN_IF_ERROR(CheckEven(1));
    else
      RETURN_IF_ERROR(CheckEven(2));
    return {};
  };
  EXPECT_TRUE(run(false).has_value());
}

TEST(Place, NamesFileLineAndColumn) { EXPECT_EQ(ToString(Place{"a.csv", 3, 7}), "a.csv:3:7"); }

TEST(Place, LeavesOutAnUnknownColumn) { EXPECT_EQ(ToString(Place{"a.csv", 3, 0}), "a.csv:3"); }

TEST(Place, LeavesOutAnUnknownLine) { EXPECT_EQ(ToString(Place{"a.csv", 0, 7}), "a.csv"); }

TEST(FailAt, PutsThePlaceFirst) {
  const Status failed = FailAt({"a.csv", 3, 7}, "{} is {}", "x", 5);
  EXPECT_EQ(failed.error().message, "a.csv:3:7: x is 5");
}

TEST(FailAt, KeepsBracesInThePlace) {
  const Status failed = FailAt({"{}.csv", 1, 1}, "bad");
  EXPECT_EQ(failed.error().message, "{}.csv:1:1: bad");
}

}  // namespace
}  // namespace fairlead
