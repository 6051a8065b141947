#include "fairlead/world/arrangement.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

// Two kinds that are equally able, one that takes longer, one that runs less.
constexpr const char* kProfile =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
    "zebra,0,twin-a,10,1,1\nzebra,0,twin-b,10,1,1\nzebra,0,slow,20,1,1\nzebra,0,poor,1,1,1\n"
    "ape,0,twin-a,10,2,1\nape,0,twin-b,10,2,1\nape,0,slow,20,2,1\n";

std::unique_ptr<const World> Build(const std::string& tenants) {
  auto scenario = ParseScenario(
      "scenario",
      "horizon: 1ms\nload: 1\nplatform: {accelerators: [{kind: twin-a, count: 2}, {kind: slow}, "
      "{kind: poor}, {kind: twin-b}]}\nnetworks: {profile: profile}\ntenants: " +
          tenants);
  EXPECT_TRUE(scenario.has_value());
  return std::move(BuildWorld(std::move(*scenario), [](const std::string&) -> Result<std::string> {
                     return kProfile;
                   }).value());
}

std::vector<std::string> KindsOf(const World& world) {
  std::vector<std::string> names;
  for (const AcceleratorKind& kind : world.platform.kinds) names.push_back(kind.name);
  return names;
}

std::vector<std::string> TenantsOf(const World& world) {
  std::vector<std::string> names;
  for (const Tenant& tenant : world.tenants) names.push_back(tenant.name);
  return names;
}

constexpr const char* kTwoTenants =
    "[{name: wim, networks: [zebra, ape]}, {name: ada, networks: "
    "[ape]}]";

TEST(Arrangement, KindsThatCanDoLeastStandFirst) {
  const auto world = Build(kTwoTenants);
  EXPECT_EQ(KindsOf(Arranged(*world, ByName(*world))),
            (std::vector<std::string>{"poor", "slow", "twin-a", "twin-b"}));
}

TEST(Arrangement, EquallyAbleKindsAreDrawn) {
  const auto world = Build(kTwoTenants);
  std::set<std::string> last;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    last.insert(KindsOf(Arranged(*world, ByDraw(*world, *world->truth, seed))).back());
  EXPECT_EQ(last, (std::set<std::string>{"twin-a", "twin-b"}));
}

TEST(Arrangement, TenantsAreDrawn) {
  const auto world = Build(kTwoTenants);
  std::set<std::string> first;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    first.insert(TenantsOf(Arranged(*world, ByDraw(*world, *world->truth, seed))).front());
  EXPECT_EQ(first, (std::set<std::string>{"ada", "wim"}));
}

TEST(Arrangement, TenantsJoinInOrderOfTime) {
  const auto world =
      Build("[{name: wim, networks: [ape]}, {name: ada, networks: [ape], joins: 1us}]");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(TenantsOf(Arranged(*world, ByDraw(*world, *world->truth, seed))),
              (std::vector<std::string>{"wim", "ada"}));
  }
}

TEST(Arrangement, CostsMoveWithTheirNames) {
  const auto world = Build(kTwoTenants);
  const World sorted = Arranged(*world, ByName(*world));
  const KindId slow = sorted.platform.FindKind("slow");
  EXPECT_EQ(sorted.networks.front().name(), "ape");
  EXPECT_EQ(sorted.truth->Alone(NetworkId{0}, SegmentId{0}, slow)->dram_bytes, 2);
  EXPECT_EQ(sorted.truth->Alone(NetworkId{0}, SegmentId{0}, sorted.platform.FindKind("poor")),
            nullptr);
}

TEST(Arrangement, AgreementsStayWithTheirTenants) {
  const auto world = Build(kTwoTenants);
  const World sorted = Arranged(*world, ByName(*world));
  std::vector<std::pair<std::string, std::string>> names;
  for (const PlannedAgreement& planned : sorted.agreements)
    names.emplace_back(sorted.tenants[planned.agreement.tenant.index()].name,
                       sorted.networks[planned.agreement.network.index()].name());
  EXPECT_EQ(names, (std::vector<std::pair<std::string, std::string>>{
                       {"ada", "ape"}, {"wim", "ape"}, {"wim", "zebra"}}));
}

TEST(Arrangement, TheInverseUndoesIt) {
  const auto world = Build(kTwoTenants);
  const Arrangement drawn = ByDraw(*world, *world->truth, 3);
  const World back = Arranged(Arranged(*world, drawn), Inverse(drawn));
  EXPECT_EQ(KindsOf(back), KindsOf(*world));
  EXPECT_EQ(TenantsOf(back), TenantsOf(*world));
  EXPECT_EQ(back.agreements.back().agreement.network, world->agreements.back().agreement.network);
}

TEST(Arrangement, ValuesGoBackWhereTheyWereListed) {
  const std::vector<KindId> places = {KindId{2}, KindId{0}, KindId{1}};
  EXPECT_EQ(InListedOrder(std::vector<std::string>{"third", "first", "second"}, places),
            (std::vector<std::string>{"first", "second", "third"}));
}

}  // namespace
}  // namespace fairlead
