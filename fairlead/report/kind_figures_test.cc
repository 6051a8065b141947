#include <gtest/gtest.h>

#include "fairlead/report/figures.h"
#include "fairlead/report/table.h"

namespace fairlead {
namespace {

// Two networks of two segments each; latencies on the kinds a, b and c, of which c has no
// accelerator.
class PreferredKindsTest : public testing::Test {
 protected:
  PreferredKindsTest() {
    platform_.AddKind("a", 2);
    platform_.AddKind("b", 1);
    platform_.kinds.push_back({.name = "c"});
    costs_ = std::make_unique<CostTable>(networks_, platform_);
    Set(0, 0, {100, 110, 1});   // just clearly faster on a
    Set(0, 1, {219, 200, 1});   // not quite, on b
    Set(1, 0, {1000, 400, 1});  // on b
    Set(1, 1, {300, 0, 1});     // can run on a only
    costs_->Seal(networks_);
  }
  std::optional<WorkPreference> Of(const std::vector<double>& requests) const {
    return PreferredKinds(*costs_, platform_, networks_, requests);
  }

 private:
  void Set(std::size_t network, std::size_t segment, const std::vector<int>& latencies) {
    for (std::size_t k = 0; k < latencies.size(); ++k) {
      if (latencies[k] == 0) continue;
      costs_->Set(NetworkId{network}, SegmentId{segment}, KindId{k}, {},
                  {.latency = Duration{latencies[k]}});
    }
  }

  std::vector<NetworkGraph> networks_ = {NetworkGraph::Chain("one", 2),
                                         NetworkGraph::Chain("two", 2)};
  Platform platform_;
  std::unique_ptr<CostTable> costs_;
};

TEST_F(PreferredKindsTest, CountWorkWhereItIsClearlyFaster) {
  const auto preference = Of({1, 0});
  EXPECT_DOUBLE_EQ(preference->kinds[0].share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(preference->kinds[1].share, 0);
  EXPECT_DOUBLE_EQ(preference->undecided, 2.0 / 3);
}

TEST_F(PreferredKindsTest, WhatCanRunOnOneKindPrefersIt) {
  EXPECT_DOUBLE_EQ(Of({0, 1})->kinds[0].share, 3.0 / 7);
}

TEST_F(PreferredKindsTest, WeighNetworksByTheirRequests) {
  EXPECT_DOUBLE_EQ(Of({1, 3})->kinds[1].share, 1200.0 / 2400);
}

TEST_F(PreferredKindsTest, PassOverKindsWithoutAccelerators) {
  EXPECT_DOUBLE_EQ(Of({1, 3})->kinds[2].share, 0);
}

TEST_F(PreferredKindsTest, NothingPrefersAnythingWithoutRequests) {
  EXPECT_FALSE(Of({0, 0}).has_value());
}

RunFigures RunOf(std::string policy, double front, double back) {
  RunFigures run{.policy = std::move(policy),
                 .busy = {{"front", "front", front}, {"back", "back", back}}};
  run.work_prefers = {.kinds = {{"back", 0.29}, {"front", 0.64}}, .undecided = 0.07};
  return run;
}

TEST(FormatKinds, ShowsEachKindUnderEachPolicy) {
  EXPECT_EQ(FormatKinds(std::vector{RunOf("edf-h", 1, 0.222), RunOf("edf-share", 0.9, 0)}),
            "busy, %    front   back\n"
            "edf-h      100.0   22.2\n"
            "edf-share   90.0    0.0\n"
            "Work at least 10 % faster on one kind: front 64 %, back 29 %; on none 7 %.\n");
}

TEST(FormatKinds, AveragesSeeds) {
  EXPECT_NE(FormatKinds(std::vector{RunOf("edf-h", 1, 0.2), RunOf("edf-h", 0.5, 0.1)})
                .find("edf-h     75.0   15.0\n"),
            std::string::npos);
}

TEST(FormatKinds, SaysNothingWhereThereIsOneKind) {
  const RunFigures run{.busy = {{"a.0", "a", 1}, {"a.1", "a", 0}}};
  EXPECT_EQ(FormatKinds(std::vector{run}), "");
}

}  // namespace
}  // namespace fairlead
