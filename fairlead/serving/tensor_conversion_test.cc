#include "fairlead/serving/tensor_conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TensorInfo kWanted{.name = "x", .type = TensorType::kFp32, .shape = {1, 3}};

// Lies where its type would not like it to.
template <typename Number>
TensorData Tensor(TensorType type, std::vector<Number> numbers,
                  std::vector<std::int64_t> shape = {1, 3}) {
  const std::size_t size = numbers.size() * sizeof(Number);
  auto bytes = std::make_shared<std::vector<std::byte>>(size + 1);
  std::memcpy(bytes->data() + 1, numbers.data(), size);
  return {.info = {.name = "x", .type = type, .shape = std::move(shape)},
          .data = {.owner = bytes, .bytes = std::span(*bytes).subspan(1)}};
}

std::vector<float> Numbers(const TensorData& tensor) {
  EXPECT_TRUE(CheckInput(kWanted, tensor).has_value());
  std::vector<float> numbers(3);
  WriteNumbers(tensor.info.type, tensor.data.bytes, numbers);
  return numbers;
}

std::string Complaint(const TensorData& tensor) {
  const Status status = CheckInput(kWanted, tensor);
  return status.has_value() ? "" : status.error().message;
}

TEST(TensorConversionTest, TakesNumbersOfAllTypes) {
  using enum TensorType;
  EXPECT_THAT(Numbers(Tensor<float>(kFp32, {0.5F, -2, 7})), ElementsAre(0.5F, -2, 7));
  EXPECT_THAT(Numbers(Tensor<double>(kFp64, {0.5, -2, 7})), ElementsAre(0.5F, -2, 7));
  EXPECT_THAT(Numbers(Tensor<std::int8_t>(kInt8, {-128, 0, 127})), ElementsAre(-128, 0, 127));
  EXPECT_THAT(Numbers(Tensor<std::uint8_t>(kUint8, {0, 1, 255})), ElementsAre(0, 1, 255));
  EXPECT_THAT(Numbers(Tensor<std::int16_t>(kInt16, {-300, 0, 1})), ElementsAre(-300, 0, 1));
  EXPECT_THAT(Numbers(Tensor<std::uint16_t>(kUint16, {65535, 0, 1})), ElementsAre(65535, 0, 1));
  EXPECT_THAT(Numbers(Tensor<std::int32_t>(kInt32, {-7, 0, 1 << 24})),
              ElementsAre(-7, 0, 16777216));
  EXPECT_THAT(Numbers(Tensor<std::uint32_t>(kUint32, {7, 0, 1})), ElementsAre(7, 0, 1));
  EXPECT_THAT(Numbers(Tensor<std::int64_t>(kInt64, {-7, 0, 1})), ElementsAre(-7, 0, 1));
  EXPECT_THAT(Numbers(Tensor<std::uint64_t>(kUint64, {7, 0, 1})), ElementsAre(7, 0, 1));
  EXPECT_THAT(Numbers(Tensor<std::uint8_t>(kBool, {0, 1, 2})), ElementsAre(0, 1, 1));
  EXPECT_THAT(Numbers(Tensor<std::uint16_t>(kBf16, {0x3F80, 0xC000, 0})), ElementsAre(1, -2, 0));
}

TEST(TensorConversionTest, KnowsEveryHalf) {
  using enum TensorType;
  EXPECT_THAT(Numbers(Tensor<std::uint16_t>(kFp16, {0x3C00, 0xC000, 0x3555})),
              ElementsAre(1, -2, 0.333251953125F));
  // The largest, the smallest normal one and the smallest of all.
  EXPECT_THAT(Numbers(Tensor<std::uint16_t>(kFp16, {0x7BFF, 0x0400, 0x8001})),
              ElementsAre(65504, 0x1p-14F, -0x1p-24F));
  const std::vector<float> strange =
      Numbers(Tensor<std::uint16_t>(kFp16, {0x7C00, 0xFC00, 0x7E00}));
  EXPECT_EQ(strange[0], INFINITY);
  EXPECT_EQ(strange[1], -INFINITY);
  EXPECT_TRUE(std::isnan(strange[2]));
}

TEST(TensorConversionTest, ABatchOfOneMayBeLeftOut) {
  EXPECT_EQ(Complaint(Tensor<float>(TensorType::kFp32, {1, 2, 3}, {3})), "");
}

TEST(TensorConversionTest, SaysWhatIsWrong) {
  using enum TensorType;
  EXPECT_THAT(Complaint(Tensor<float>(kFp32, {1, 2, 3}, {1, 1, 3})), HasSubstr("shape [1,1,3]"));
  EXPECT_THAT(Complaint(Tensor<float>(kFp32, {1, 2, 3, 4, 5, 6}, {2, 3})), HasSubstr("[2,3]"));
  EXPECT_THAT(Complaint(Tensor<float>(kFp32, {1, 2})), HasSubstr("has 8 bytes"));
  EXPECT_THAT(Complaint(Tensor<float>(kFp32, {1, 2, 3}, {-1, 3})), HasSubstr("shape [-1,3]"));
  EXPECT_THAT(Complaint(Tensor<char>(kBytes, {'a', 'b', 'c'})), HasSubstr("BYTES"));
  EXPECT_THAT(Complaint(Tensor<std::int64_t>(kInt64, {1, 2, (1 << 24) + 1})),
              HasSubstr("beyond 16777216"));
  EXPECT_THAT(Complaint(Tensor<std::int32_t>(kInt32, {1, INT32_MIN, 2})), HasSubstr("beyond"));
  EXPECT_THAT(Complaint(Tensor<std::uint64_t>(kUint64, {UINT64_MAX, 1, 2})), HasSubstr("beyond"));
}

}  // namespace
}  // namespace fairlead
