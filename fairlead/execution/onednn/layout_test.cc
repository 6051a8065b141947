#include "fairlead/execution/onednn/layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fairlead {
namespace {

// 15 pixels are less than a tile, 35 are two and a part.
class Layouts : public testing::TestWithParam<std::tuple<Layout, std::int64_t, std::int64_t>> {
 protected:
  Layout layout() const { return std::get<0>(GetParam()); }
  TensorDims dims() const { return {std::get<1>(GetParam()), std::get<2>(GetParam()), 5}; }

  std::vector<float> Plain() const {
    std::vector<float> numbers(static_cast<std::size_t>(ElementsOf(dims())));
    std::iota(numbers.begin(), numbers.end(), 1.0F);
    return numbers;
  }
  std::vector<float> LaidOut() const {
    std::vector<float> numbers(static_cast<std::size_t>(StoredElements(dims(), layout())), 9);
    const std::vector<float> plain = Plain();
    CopySample(dims(), Layout::kPlain, plain.data(), layout(), numbers.data());
    return numbers;
  }
};

TEST_P(Layouts, AreAsLargeAsOneDnnSays) {
  EXPECT_EQ(static_cast<std::size_t>(StoredElements(dims(), layout())) * 2 * sizeof(float),
            DescOf(dims(), 2, layout()).get_size());
}

TEST_P(Layouts, PutNumbersWhereOneDnnPutsThem) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> plain = Plain();
  std::vector<float> expected(LaidOut().size(), 0);
  dnnl::memory from(DescOf(dims(), 1, Layout::kPlain), engine, plain.data());
  dnnl::memory to(DescOf(dims(), 1, layout()), engine, expected.data());
  dnnl::reorder(from, to).execute(stream, from, to);
  EXPECT_EQ(LaidOut(), expected);
}

TEST_P(Layouts, AreReadBackByWayOfAnyOther) {
  const std::vector<float> numbers = LaidOut();
  for (const Layout other : kLayouts) {
    std::vector<float> between(static_cast<std::size_t>(StoredElements(dims(), other)), 9);
    CopySample(dims(), layout(), numbers.data(), other, between.data());
    std::vector<float> back(numbers.size(), 9);
    CopySample(dims(), other, between.data(), layout(), back.data());
    EXPECT_EQ(back, numbers) << Name(other);
    std::vector<float> plain(Plain().size(), 0);
    CopySample(dims(), other, between.data(), Layout::kPlain, plain.data());
    EXPECT_EQ(plain, Plain()) << Name(other);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Layouts,
                         testing::Combine(testing::ValuesIn(kLayouts),
                                          testing::Values(1, 7, 8, 16, 21), testing::Values(3, 7)),
                         [](const auto& param) {
                           return fmt::format("{}_{}_{}", Name(std::get<0>(param.param)),
                                              std::get<1>(param.param), std::get<2>(param.param));
                         });

TEST(SameBytes, HoldsForOnePixelWithoutPadding) {
  EXPECT_TRUE(SameBytes({32, 1, 1}, Layout::kPlain, Layout::kBlocked16));
  EXPECT_FALSE(SameBytes({20, 1, 1}, Layout::kPlain, Layout::kBlocked16));
  EXPECT_TRUE(SameBytes({20, 1, 1}, Layout::kPlain, Layout::kChannelsLast));
}

TEST(SameBytes, HoldsForOneChannelWithoutBlocks) {
  EXPECT_TRUE(SameBytes({1, 4, 4}, Layout::kPlain, Layout::kChannelsLast));
  EXPECT_FALSE(SameBytes({1, 4, 4}, Layout::kPlain, Layout::kBlocked8));
}

TEST(SameBytes, DoesNotHoldForImages) {
  EXPECT_FALSE(SameBytes({16, 2, 2}, Layout::kPlain, Layout::kBlocked16));
}

TEST(LayoutsFor, AreOnlyPlainForVectors) {
  EXPECT_THAT(LayoutsFor({10}), testing::ElementsAre(Layout::kPlain));
}

}  // namespace
}  // namespace fairlead
