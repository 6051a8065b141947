#include "fairlead/costs/auto_segments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr KindId kX{0};
constexpr KindId kY{1};

struct Layer {
  int on_x = 0;  // 0: not there
  int on_y = 0;
  int alive = 0;
};

Profile ChainOf(const std::vector<Layer>& layers, int hand_over = 0, int take_over = 0) {
  std::string text = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,alive_bytes\n";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].on_x > 0)
      text += fmt::format("n,{},x,{},0,,{}\n", i, layers[i].on_x, layers[i].alive);
    if (layers[i].on_y > 0)
      text += fmt::format("n,{},y,{},0,,{}\n", i, layers[i].on_y, layers[i].alive);
  }
  auto profile = ParseProfile("p.csv", text);
  if (!profile) throw std::runtime_error(profile.error().message);
  profile->hand_overs = HandOverCosts(profile->kinds.size());
  for (std::size_t k = 0; k < profile->kinds.size(); ++k) {
    profile->hand_overs.SetHandOver(KindId{k}, Duration{hand_over});
    profile->hand_overs.SetTakeOver(KindId{k}, Duration{take_over});
  }
  return std::move(*profile);
}

AutoCut CutOf(const Profile& profile, const AutoSegments& options = {}) {
  std::vector<KindId> kinds;
  for (std::size_t k = 0; k < profile.kinds.size(); ++k) kinds.emplace_back(k);
  return CutNetworks(profile, kinds, options).front();
}

std::vector<Layer> Equal(std::size_t layers, int time) {
  return std::vector<Layer>(layers, Layer{.on_x = time});
}

TEST(AutoSegments, AreLayersWhereHandOversCostNothing) {
  EXPECT_THAT(CutOf(ChainOf(Equal(4, 10))).bounds, ElementsAre(0, 1, 2, 3, 4));
}

TEST(AutoSegments, AreAsManyAsHandOversAllow) {
  // 5 % of 400 is 20: with 5 + 2 for each segment there may be two.
  const AutoCut cut = CutOf(ChainOf(Equal(4, 100), 5, 2));
  EXPECT_THAT(cut.bounds, ElementsAre(0, 2, 4));
  EXPECT_EQ(cut.longest, Duration{200});
  EXPECT_DOUBLE_EQ(cut.hand_overs, 14.0 / 400);
  EXPECT_FALSE(cut.too_often || cut.too_long);
}

TEST(AutoSegments, AreTheWholeWhereNoneIsAllowed) {
  const AutoCut cut = CutOf(ChainOf(Equal(4, 10), 50));
  EXPECT_THAT(cut.bounds, ElementsAre(0, 4));
}

TEST(AutoSegments, OtherSharesAllowOthers) {
  EXPECT_THAT(CutOf(ChainOf(Equal(4, 100), 5, 5), {.hand_overs = 0.1}).bounds,
              ElementsAre(0, 1, 2, 3, 4));
}

TEST(AutoSegments, AreOfSimilarLength) {
  // Three segments: 60 is the shortest that the longest can be.
  const Profile profile =
      ChainOf({{.on_x = 10}, {.on_x = 50}, {.on_x = 20}, {.on_x = 30}, {.on_x = 40}}, 2);
  const AutoCut cut = CutOf(profile);
  EXPECT_THAT(cut.bounds, ElementsAre(0, 2, 4, 5));
  EXPECT_EQ(cut.longest, Duration{60});
}

TEST(AutoSegments, EndWhereLittleIsAlive) {
  // Three segments of at most 140: {100, 20, 20}, {100, 20, 20}, {100}. The last may begin earlier.
  const std::vector<int> times = {100, 20, 20, 100, 20, 20, 100};
  std::vector<Layer> layers;
  for (int time : times) layers.push_back({.on_x = time, .alive = 9});
  EXPECT_THAT(CutOf(ChainOf(layers, 6)).bounds, ElementsAre(0, 3, 6, 7));
  layers[4].alive = 1;
  EXPECT_THAT(CutOf(ChainOf(layers, 6)).bounds, ElementsAre(0, 3, 5, 7));
}

TEST(AutoSegments, AreNoLongerThanStated) {
  // Hand-overs alone would allow but the whole.
  const AutoCut cut = CutOf(ChainOf(Equal(4, 100), 50), {.longest = Duration{200}});
  EXPECT_THAT(cut.bounds, ElementsAre(0, 2, 4));
  EXPECT_TRUE(cut.too_often);
  EXPECT_THAT(Describe(cut, NetworkGraph::Chain("n", 4)), HasSubstr("more than asked for"));
}

TEST(AutoSegments, ALayerThatIsTooLongStandsAlone) {
  const AutoCut cut =
      CutOf(ChainOf({{.on_x = 10}, {.on_x = 500}, {.on_x = 10}}, 40), {.longest = Duration{200}});
  EXPECT_THAT(cut.bounds, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(cut.too_long);
}

TEST(AutoSegments, TimeIsThatOfTheSlowestKind) {
  const Profile profile = ChainOf({{.on_x = 10, .on_y = 90}, {.on_x = 80, .on_y = 20}});
  EXPECT_EQ(CutOf(profile, {.longest = Duration{200}}).longest, Duration{90});
}

TEST(AutoSegments, KeepOnKindsThatCanRunThem) {
  // Layer 1 runs only on y, layer 2 only on x: they cannot be one segment, whatever it costs.
  const Profile profile = ChainOf({{.on_x = 10, .on_y = 10}, {.on_y = 10}, {.on_x = 10}}, 1000);
  EXPECT_THAT(CutOf(profile).bounds, ElementsAre(0, 2, 3));
}

TEST(AutoSegments, CountOnlyTheKindsThatAreThere) {
  Profile profile = ChainOf({{.on_x = 100, .on_y = 1}, {.on_x = 100, .on_y = 1}}, 4);
  EXPECT_THAT(CutNetworks(profile, std::vector<KindId>{kX}, {}).front().bounds,
              ElementsAre(0, 1, 2));
  EXPECT_THAT(CutNetworks(profile, std::vector<KindId>{kX, kY}, {}).front().bounds,
              ElementsAre(0, 2));
}

TEST(AutoSegments, AreDescribed) {
  EXPECT_EQ(Describe(CutOf(ChainOf(Equal(4, 1'000'000), 50'000)), NetworkGraph::Chain("n", 4)),
            "n: 4 segments of 4 layers, the longest 1 ms, hand-overs up to 5.0 %.");
}

}  // namespace
}  // namespace fairlead
