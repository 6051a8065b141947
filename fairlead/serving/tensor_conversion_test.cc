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

TEST(TensorConversionTest, SaysThatInputsDifferInTheirSamples) {
  const TensorInfo open{.name = "x", .type = TensorType::kFp32, .shape = {-1, 3}};
  const auto complaint = [&](std::vector<std::int64_t> shape) {
    return CheckInput(open, Tensor<float>(TensorType::kFp32, std::vector<float>(6), shape))
        .error()
        .message;
  };
  EXPECT_THAT(complaint({2, 3}), HasSubstr("as many samples of each input"));
  EXPECT_THAT(complaint({0, 3}), HasSubstr("the network takes [-1,3]"));
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

// ---- Results -------------------------------------------------------------------------------

template <typename Number>
std::vector<Number> Out(TensorType type, const std::vector<float>& numbers) {
  const SharedBytes made = BytesOf(type, numbers);
  std::vector<Number> out(made.bytes.size() / sizeof(Number));
  std::memcpy(out.data(), made.bytes.data(), made.bytes.size());
  return out;
}

TEST(TensorConversionTest, WholeNumbersAreCutOffAndStayInTheirType) {
  using enum TensorType;
  const std::vector<float> numbers = {1.9F, -1.9F, 300, -300, 1e20F, -1e20F, NAN};
  EXPECT_THAT(Out<std::int8_t>(kInt8, numbers), ElementsAre(1, -1, 127, -128, 127, -128, 0));
  EXPECT_THAT(Out<std::uint8_t>(kUint8, numbers), ElementsAre(1, 0, 255, 0, 255, 0, 0));
  EXPECT_THAT(Out<std::int64_t>(kInt64, numbers),
              ElementsAre(1, -1, 300, -300, INT64_MAX, INT64_MIN, 0));
  EXPECT_THAT(Out<std::uint64_t>(kUint64, numbers), ElementsAre(1, 0, 300, 0, UINT64_MAX, 0, 0));
  EXPECT_THAT(Out<std::int32_t>(kInt32, {2147483648.0F, 2147483520.0F}),
              ElementsAre(INT32_MAX, 2147483520));
}

TEST(TensorConversionTest, FlagsAndFloatsAreHandedOut) {
  using enum TensorType;
  EXPECT_THAT(Out<std::uint8_t>(kBool, {0, -0.0F, 0.1F, -3}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Out<double>(kFp64, {0.5F}), ElementsAre(0.5));
  EXPECT_THAT(Out<float>(kFp32, {0.1F}), ElementsAre(0.1F));
}

TEST(TensorConversionTest, HalvesAreRoundedToTheNearest) {
  using enum TensorType;
  EXPECT_THAT(Out<std::uint16_t>(kFp16, {1, -2, 65504, 65519, 65520, INFINITY, -INFINITY}),
              ElementsAre(0x3C00, 0xC000, 0x7BFF, 0x7BFF, 0x7C00, 0x7C00, 0xFC00));
  EXPECT_THAT(Out<std::uint16_t>(kFp16, {0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1p-14F, -0.0F}),
              ElementsAre(1, 0, 1, 0x0400, 0x8000));
  EXPECT_THAT(Out<std::uint16_t>(kFp16, {1 + 0x1p-11F, 1 + 0x1.8p-10F}),  // halfway: to the even
              ElementsAre(0x3C00, 0x3C02));
  EXPECT_EQ(Out<std::uint16_t>(kFp16, {NAN}).front() & 0x7C00, 0x7C00);
  EXPECT_NE(Out<std::uint16_t>(kFp16, {NAN}).front() & 0x3FF, 0);
}

// Every half that is a number comes back as itself.
TEST(TensorConversionTest, HalvesComeBackAsTheyWere) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00U) == 0x7C00U) continue;
    const auto half = static_cast<std::uint16_t>(bits);
    std::vector<float> number(1);
    WriteNumbers(TensorType::kFp16, std::as_bytes(std::span(&half, 1)), number);
    ASSERT_EQ(Out<std::uint16_t>(TensorType::kFp16, number).front(), half);
  }
}

TEST(TensorConversionTest, BrainFloatsAreRoundedToTheNearest) {
  using enum TensorType;
  EXPECT_THAT(Out<std::uint16_t>(kBf16, {1, 1 + 0x1p-8F, 1 + 0x1.8p-7F, INFINITY}),
              ElementsAre(0x3F80, 0x3F80, 0x3F82, 0x7F80));
  EXPECT_NE(Out<std::uint16_t>(kBf16, {NAN}).front() & 0x7F, 0);
}

}  // namespace
}  // namespace fairlead
