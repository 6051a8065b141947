#include "fairlead/serving/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fairlead {
namespace {

using testing::ElementsAre;

template <typename Number>
TensorData Tensor(TensorType type, std::vector<std::int64_t> shape, std::vector<Number> numbers) {
  const auto owner = std::make_shared<const std::vector<Number>>(std::move(numbers));
  return {.info = {.name = "y", .type = type, .shape = std::move(shape)},
          .data = {.owner = owner, .bytes = std::as_bytes(std::span(*owner))}};
}

std::vector<std::string> Texts(const TensorData& tensor) {
  std::vector<std::string> texts;
  for (auto rest = tensor.data.bytes; !rest.empty();) {
    std::uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    texts.emplace_back(reinterpret_cast<const char*>(rest.data()) + sizeof size, size);
    rest = rest.subspan(sizeof size + size);
  }
  return texts;
}

TEST(ClassificationTest, TakesTheExampleOfTheExtension) {
  const TensorData classes =
      HighestOf(Tensor<float>(TensorType::kFp32, {4}, {1, 5, 10, 4}), 2, false);
  EXPECT_EQ(classes.info, (TensorInfo{.name = "y", .type = TensorType::kBytes, .shape = {2}}));
  EXPECT_THAT(Texts(classes), ElementsAre("10:2", "5:1"));
}

TEST(ClassificationTest, TakesEachSampleByItself) {
  const TensorData scores = Tensor<float>(TensorType::kFp32, {2, 3}, {0.25F, 3.3F, 1, -1, -3, -2});
  const TensorData classes = HighestOf(scores, 2, true);
  EXPECT_THAT(classes.info.shape, ElementsAre(2, 2));
  EXPECT_THAT(Texts(classes), ElementsAre("3.3:1", "1:2", "-1:0", "-2:2"));
  const TensorData all = HighestOf(scores, 2, false);
  EXPECT_THAT(all.info.shape, ElementsAre(2));
  EXPECT_THAT(Texts(all), ElementsAre("3.3:1", "1:2"));
}

TEST(ClassificationTest, GivesNoMoreThanThereAre) {
  const TensorData classes =
      HighestOf(Tensor<float>(TensorType::kFp32, {1, 2, 1, 1}, {1, 2}), 5, true);
  EXPECT_THAT(classes.info.shape, ElementsAre(1, 2));
  EXPECT_THAT(Texts(classes), ElementsAre("2:1", "1:0"));
}

TEST(ClassificationTest, OrdersWhatIsEqualAndWhatIsNoNumber) {
  const TensorData scores = Tensor<float>(TensorType::kFp32, {5}, {NAN, 2, -INFINITY, 2, INFINITY});
  EXPECT_THAT(Texts(HighestOf(scores, 5, false)),
              ElementsAre("inf:4", "2:1", "2:3", "-inf:2", "nan:0"));
}

TEST(ClassificationTest, TakesNothingAndTextsAsTheyAre) {
  const TensorData none = HighestOf(Tensor<float>(TensorType::kFp32, {1L << 40, 0}, {}), 2, true);
  EXPECT_THAT(none.info.shape, ElementsAre(1L << 40, 0));
  EXPECT_TRUE(none.data.bytes.empty());
  const TensorData text = Tensor<char>(TensorType::kBytes, {1}, {1, 0, 0, 0, 'a'});
  EXPECT_EQ(HighestOf(text, 2, true).info, text.info);
}

TEST(ClassificationTest, TakesOtherTypes) {
  const TensorData scores = Tensor<std::int64_t>(TensorType::kInt64, {3}, {-7, 1000, 3});
  EXPECT_THAT(Texts(HighestOf(scores, 1, false)), ElementsAre("1000:1"));
}

}  // namespace
}  // namespace fairlead
