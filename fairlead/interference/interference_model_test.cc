#include "fairlead/interference/interference_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr Demand Bytes(std::int64_t per_second) {
  return static_cast<Demand>(per_second) << kDemandBits;
}

__extension__ using Wide = unsigned __int128;

constexpr Demand kUncapped = UINT64_MAX;

// Running segments that demand so many bytes per second.
std::vector<RunningSegment> Demanding(const std::vector<std::int64_t>& demands) {
  std::vector<RunningSegment> running;
  for (std::int64_t demand : demands) running.push_back({.demand = Bytes(demand)});
  return running;
}

std::vector<Rate> Rates(Sharing sharing, std::int64_t bandwidth,
                        const std::vector<RunningSegment>& running) {
  std::vector<Rate> rates(running.size());
  MakeBandwidthSharing(sharing, bandwidth)->Rates(running, rates);
  return rates;
}

std::vector<Rate> Proportional(std::int64_t bandwidth, const std::vector<std::int64_t>& demands) {
  return Rates(Sharing::kProportional, bandwidth, Demanding(demands));
}

std::vector<Rate> MaxMin(std::int64_t bandwidth, const std::vector<std::int64_t>& demands) {
  return Rates(Sharing::kMaxMin, bandwidth, Demanding(demands));
}

// a/b of the full rate, rounded up.
constexpr Rate Part(std::uint64_t a, std::uint64_t b) { return ((a << kRateBits) + b - 1) / b; }

TEST(DemandOf, IsBytesOverLatency) {
  // 16 bytes in a nanosecond.
  EXPECT_EQ(DemandOf(16'000, Duration{1'000}), Bytes(16'000'000'000));
}

TEST(DemandOf, KeepsFractionsOfABytePerSecond) {
  // 1 byte in 4 s.
  EXPECT_EQ(DemandOf(1, Duration{4'000'000'000}), 1 << (kDemandBits - 2));
}

TEST(DemandOf, RoundsDownBelowHalf) {
  // 1 byte in 3 s: 1024 / 3 = 341.33
  EXPECT_EQ(DemandOf(1, Duration{3'000'000'000}), 341);
}

TEST(DemandOf, RoundsUpAboveHalf) {
  // 2 bytes in 3 s: 2048 / 3 = 682.67
  EXPECT_EQ(DemandOf(2, Duration{3'000'000'000}), 683);
}

TEST(DemandOf, RoundsHalvesUp) {
  // 1 byte in 2048 s: half a unit.
  EXPECT_EQ(DemandOf(1, Duration{2'048'000'000'000}), 1);
}

TEST(DemandOf, IsNothingWithoutTraffic) { EXPECT_EQ(DemandOf(0, Duration{100}), 0); }

TEST(DemandOf, IsNothingWithoutTrafficAndTime) { EXPECT_EQ(DemandOf(0, Duration{0}), 0); }

TEST(DemandOf, IsBoundedSoThatSumsFit) {
  EXPECT_EQ(DemandOf(1'000'000'000'000'000, Duration{1}), UINT64_MAX >> 8);
}

TEST(DemandOfDeathTest, TrafficInNoTimeIsABug) {
  EXPECT_DEATH(DemandOf(1, Duration{0}), "latency");
}

// The contract: all running segments, those without traffic too, advance at min(1, B/sum d).

TEST(Proportional, IsFullSpeedWhenAllFits) {
  EXPECT_THAT(Proportional(10, {2, 3, 5}), Each(kFullRate));
}

TEST(Proportional, SlowsEverybodyAlike) {
  EXPECT_THAT(Proportional(10, {2, 6, 12}), Each(Part(1, 2)));
}

TEST(Proportional, SlowsThoseWithoutTrafficToo) {
  EXPECT_THAT(Proportional(10, {0, 20}), ElementsAre(Part(1, 2), Part(1, 2)));
}

TEST(Proportional, SlowsOneAlone) { EXPECT_THAT(Proportional(10, {40}), ElementsAre(Part(1, 4))); }

TEST(Proportional, RoundsUp) {
  // Then three times as long is no nanosecond longer: 2^32 / 3 = 1431655765.3
  EXPECT_THAT(Proportional(10, {30}), ElementsAre(1'431'655'766));
}

TEST(Proportional, NeverStops) {
  EXPECT_THAT(Proportional(1, {1'000'000'000'000'000}), ElementsAre(1));
}

TEST(Proportional, TakesAnEmptySet) { EXPECT_TRUE(Proportional(10, {}).empty()); }

// Water-filling; a segment advances at min(1, granted/d), without traffic at 1.

TEST(MaxMin, IsFullSpeedWhenAllFits) { EXPECT_THAT(MaxMin(10, {2, 3, 5}), Each(kFullRate)); }

TEST(MaxMin, ServesSmallDemandsInFull) {
  // 2 is below a third of 10, and 4 is a half of what is left; so 8 gets the other half.
  EXPECT_THAT(MaxMin(10, {2, 4, 8}), ElementsAre(kFullRate, kFullRate, Part(4, 8)));
}

TEST(MaxMin, SharesTheRestEqually) {
  // 1 is served; 12 and 24 get 9/2 each.
  EXPECT_THAT(MaxMin(10, {12, 1, 24}), ElementsAre(Part(9, 24), kFullRate, Part(9, 48)));
}

TEST(MaxMin, SharesEquallyWhenAllWantMore) {
  EXPECT_THAT(MaxMin(12, {8, 16, 40}), ElementsAre(Part(1, 2), Part(1, 4), Part(1, 10)));
}

TEST(MaxMin, DoesNotSlowThoseWithoutTraffic) {
  EXPECT_THAT(MaxMin(10, {0, 20}), ElementsAre(kFullRate, Part(1, 2)));
}

TEST(MaxMin, SlowsOneAlone) { EXPECT_THAT(MaxMin(10, {40}), ElementsAre(Part(1, 4))); }

TEST(MaxMin, RoundsUpExactly) {
  RandomStream random(1, "fractions");
  for (int i = 0; i < 100'000; ++i) {
    const auto demand = static_cast<Demand>(random.Below(std::uint64_t{1} << random.Below(56)) + 2);
    const auto bandwidth = static_cast<std::int64_t>(random.Below(demand >> kDemandBits | 1) + 1);
    if (Bytes(bandwidth) >= demand) continue;
    const Wide rate = ((Wide{Bytes(bandwidth)} << kRateBits) + demand - 1) / demand;
    ASSERT_EQ(Rates(Sharing::kMaxMin, bandwidth, {{.demand = demand}}).front(),
              static_cast<Rate>(rate));
  }
}

TEST(MaxMin, NeverStops) { EXPECT_THAT(MaxMin(1, {1'000'000'000'000'000}), ElementsAre(1)); }

TEST(MaxMin, TakesAnEmptySet) { EXPECT_TRUE(MaxMin(10, {}).empty()); }

TEST(NoSharing, IsAlwaysFullSpeed) {
  EXPECT_THAT(Rates(Sharing::kNone, 10, Demanding({0, 20, 30})), Each(kFullRate));
}

TEST(NoSharing, IsWhatNoLimitMeans) {
  EXPECT_THAT(Rates(Sharing::kProportional, 0, Demanding({1'000'000, 1'000'000})), Each(kFullRate));
  EXPECT_THAT(Rates(Sharing::kMaxMin, 0, Demanding({1'000'000, 1'000'000})), Each(kFullRate));
}

// Caps: a segment never gets more than its own, whatever the rule.

std::vector<RunningSegment> WithCap(std::vector<RunningSegment> running, std::size_t index,
                                    std::int64_t cap) {
  running[index].cap = Bytes(cap);
  return running;
}

TEST(Caps, SlowASegmentThatWantsMore) {
  EXPECT_THAT(Rates(Sharing::kNone, 10, WithCap(Demanding({8, 8}), 0, 2)),
              ElementsAre(Part(1, 4), kFullRate));
}

TEST(Caps, DoNotSlowASegmentThatWantsLess) {
  EXPECT_THAT(Rates(Sharing::kNone, 10, WithCap(Demanding({8, 8}), 0, 9)), Each(kFullRate));
}

TEST(Caps, DoNotSlowASegmentWithoutTraffic) {
  EXPECT_THAT(Rates(Sharing::kNone, 10, WithCap(Demanding({0}), 0, 0)), ElementsAre(kFullRate));
}

TEST(Caps, LeaveRoomForOthersUnderProportional) {
  // 8 capped to 2, and 8: together they just fit.
  EXPECT_THAT(Rates(Sharing::kProportional, 10, WithCap(Demanding({8, 8}), 0, 2)),
              ElementsAre(Part(1, 4), kFullRate));
}

TEST(Caps, MultiplyWithTheCommonFactorUnderProportional) {
  // 8 capped to 4, and 16: 20 wanted, 10 there.
  EXPECT_THAT(Rates(Sharing::kProportional, 10, WithCap(Demanding({8, 16}), 0, 4)),
              ElementsAre(Part(1, 4), Part(1, 2)));
}

TEST(Caps, LeaveRoomForOthersUnderMaxMin) {
  // 8 capped to 2; so 8 of 10 are left for 16.
  EXPECT_THAT(Rates(Sharing::kMaxMin, 10, WithCap(Demanding({8, 16}), 0, 2)),
              ElementsAre(Part(1, 4), Part(1, 2)));
}

TEST(Caps, AboveTheShareDoNothingUnderMaxMin) {
  EXPECT_THAT(Rates(Sharing::kMaxMin, 10, WithCap(Demanding({20, 20}), 0, 6)),
              ElementsAre(Part(1, 4), Part(1, 4)));
}

TEST(Caps, OfZeroNeverStopASegment) {
  for (Sharing sharing : {Sharing::kNone, Sharing::kProportional, Sharing::kMaxMin})
    EXPECT_EQ(Rates(sharing, 10, WithCap(Demanding({8, 16}), 0, 0))[0], 1);
}

// Laws that hold for every set.

// Rates are rounded up, once for the cap, once for the common factor, once for their product.
constexpr Rate kRounding = 3;

std::vector<RunningSegment> RandomSet(RandomStream& random) {
  std::vector<RunningSegment> running(1 + random.Below(12));
  for (RunningSegment& segment : running) {
    segment.demand = random.Below(4) == 0 ? 0 : random.Bits() >> (20 + random.Below(30));
    segment.cap = random.Below(3) == 0 ? random.Bits() >> (20 + random.Below(30)) : kUncapped;
  }
  return running;
}

std::int64_t RandomBandwidth(RandomStream& random) {
  return static_cast<std::int64_t>(1 + (random.Bits() >> (30 + random.Below(30))));
}

std::string NameOf(const ::testing::TestParamInfo<Sharing>& rule) {
  std::string name(ToString(rule.param));
  std::erase(name, '-');
  return name;
}

class EverySharing : public ::testing::TestWithParam<Sharing> {};

INSTANTIATE_TEST_SUITE_P(Rules, EverySharing,
                         ::testing::Values(Sharing::kNone, Sharing::kProportional,
                                           Sharing::kMaxMin),
                         NameOf);

TEST_P(EverySharing, DoesNotDependOnTheOrder) {
  RandomStream random(1, "sets");
  for (int world = 0; world < 2'000; ++world) {
    const auto running = RandomSet(random);
    const std::int64_t bandwidth = RandomBandwidth(random);
    const auto rates = Rates(GetParam(), bandwidth, running);
    std::vector<std::size_t> order(running.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    std::vector<RunningSegment> permuted;
    std::vector<Rate> expected;
    for (std::size_t i : order) {
      permuted.push_back(running[i]);
      expected.push_back(rates[i]);
    }
    ASSERT_EQ(Rates(GetParam(), bandwidth, permuted), expected);
  }
}

TEST_P(EverySharing, GivesRatesFromOneToFull) {
  RandomStream random(2, "sets");
  for (int world = 0; world < 2'000; ++world) {
    const auto rates = Rates(GetParam(), RandomBandwidth(random), RandomSet(random));
    const auto [low, high] = std::ranges::minmax(rates);
    ASSERT_GE(low, 1);
    ASSERT_LE(high, kFullRate);
  }
}

TEST_P(EverySharing, RespectsCaps) {
  RandomStream random(3, "sets");
  for (int world = 0; world < 2'000; ++world) {
    const auto running = RandomSet(random);
    const auto rates = Rates(GetParam(), RandomBandwidth(random), running);
    for (std::size_t i = 0; i < running.size(); ++i) {
      const Wide used = Wide{rates[i] - std::min(rates[i], kRounding)} * running[i].demand;
      ASSERT_TRUE(used <= Wide{running[i].cap} << kRateBits);
    }
  }
}

class SharedBandwidth : public ::testing::TestWithParam<Sharing> {};

INSTANTIATE_TEST_SUITE_P(Rules, SharedBandwidth,
                         ::testing::Values(Sharing::kProportional, Sharing::kMaxMin), NameOf);

TEST_P(SharedBandwidth, IsNeverExceeded) {
  RandomStream random(4, "sets");
  for (int world = 0; world < 2'000; ++world) {
    const auto running = RandomSet(random);
    const std::int64_t bandwidth = RandomBandwidth(random);
    const auto rates = Rates(GetParam(), bandwidth, running);
    Wide used = 0;
    for (std::size_t i = 0; i < running.size(); ++i)
      used += Wide{rates[i] - std::min(rates[i], kRounding)} * running[i].demand;
    ASSERT_TRUE(used <= Wide{Bytes(bandwidth)} << kRateBits);
  }
}

// The naive way to fill water: demands from the smallest on, each served in full or all the rest
// equally.
std::vector<Rate> FilledBySorting(std::int64_t bandwidth, std::span<const RunningSegment> running) {
  std::vector<Demand> demands;
  for (const RunningSegment& segment : running)
    demands.push_back(std::min(segment.demand, segment.cap));
  std::ranges::sort(demands);
  Demand left = Bytes(bandwidth);
  Demand level = UINT64_MAX;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const Demand share = left / (demands.size() - i);
    if (demands[i] > share) {
      level = share;
      break;
    }
    left -= demands[i];
  }
  std::vector<Rate> rates;
  for (const RunningSegment& segment : running) {
    const Demand granted = std::min({segment.demand, segment.cap, level});
    const Wide rate = segment.demand == 0
                          ? Wide{kFullRate}
                          : ((Wide{granted} << kRateBits) + segment.demand - 1) / segment.demand;
    rates.push_back(std::max<Rate>(static_cast<Rate>(rate), 1));
  }
  return rates;
}

// One model sees many sets, since it remembers where its last search ended.
TEST(MaxMin, EqualsFillingInOrder) {
  RandomStream random(5, "sets");
  for (int world = 0; world < 200; ++world) {
    const std::int64_t bandwidth = RandomBandwidth(random);
    const auto model = MakeBandwidthSharing(Sharing::kMaxMin, bandwidth);
    for (int set = 0; set < 50; ++set) {
      const auto running = RandomSet(random);
      std::vector<Rate> rates(running.size());
      model->Rates(running, rates);
      ASSERT_EQ(rates, FilledBySorting(bandwidth, running));
    }
  }
}

TEST(ParseSharing, ReadsWhatIsWritten) {
  for (Sharing sharing : {Sharing::kNone, Sharing::kProportional, Sharing::kMaxMin})
    EXPECT_EQ(ParseSharing(ToString(sharing)).value(), sharing);
}

TEST(ParseSharing, RefusesOtherWords) {
  EXPECT_EQ(ParseSharing("maxmin").error().message,
            "unknown sharing 'maxmin'; did you mean 'max-min'?");
}

}  // namespace
}  // namespace fairlead
