#include "fairlead/serving/tensor.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(TensorTest, TypesAreFoundByTheirNames) {
  for (std::size_t i = 0; i < kTensorTypeNames.size(); ++i)
    EXPECT_EQ(FindTensorType(kTensorTypeNames[i]), static_cast<TensorType>(i));
  EXPECT_EQ(FindTensorType("fp32"), std::nullopt);
  EXPECT_EQ(FindTensorType(""), std::nullopt);
}

TEST(TensorTest, AnElementHasTheBytesThatItsNameSays) {
  EXPECT_EQ(ElementBytes(TensorType::kBool), 1U);
  EXPECT_EQ(ElementBytes(TensorType::kBf16), 2U);
  EXPECT_EQ(ElementBytes(TensorType::kFp32), 4U);
  EXPECT_EQ(ElementBytes(TensorType::kInt64), 8U);
  EXPECT_EQ(ElementBytes(TensorType::kBytes), 0U);
}

TEST(TensorTest, CountsNoElementsOfImpossibleShapes) {
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(ElementCount(Shape{2, 3, 4}), 24);
  EXPECT_EQ(ElementCount(Shape{}), 1);
  EXPECT_EQ(ElementCount(Shape{7, 0}), 0);
  EXPECT_EQ(ElementCount(Shape{-1}), std::nullopt);
  EXPECT_EQ(ElementCount(Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}), std::nullopt);
  EXPECT_EQ(ElementCount(Shape{INT64_MAX, INT64_MAX}), std::nullopt);
}

TEST(TensorTest, KnowsPictures) {
  const auto is_picture = [](std::vector<std::int64_t> shape) {
    return IsPicture({.name = "x", .type = TensorType::kFp32, .shape = std::move(shape)});
  };
  EXPECT_TRUE(is_picture({-1, 3, 224, 224}));
  EXPECT_TRUE(is_picture({-1, 1, 28, 28}));
  EXPECT_TRUE(is_picture({3, 224, 224}));
  EXPECT_FALSE(is_picture({-1, 224, 224, 3}));
  EXPECT_FALSE(is_picture({-1, 16}));
}

}  // namespace
}  // namespace fairlead
