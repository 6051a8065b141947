// What docs/guide/shipped-scenarios.md says about the scenarios of the two use cases.

#include <gtest/gtest.h>

#include <algorithm>

#include "fairlead/report/figures.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

class UseCases : public testing::TestWithParam<const char*> {
 protected:
  UseCases() {
    const std::string file = std::string("scenarios/") + GetParam() + ".yaml";
    auto scenario = ParseScenario(file, *ReadFile(file));
    world_ = std::move(*BuildWorld(std::move(*scenario), &ReadFile));
  }

  std::unique_ptr<const World> world_;
};

TEST_P(UseCases, EachKindIsClearlyFasterOnAQuarterOfTheWork) {
  const std::vector<double> equal(world_->networks.size(), 1);
  const auto preference = PreferredKinds(*world_->truth, world_->platform, world_->networks, equal);
  ASSERT_EQ(preference->kinds.size(), 2u);
  for (const KindShare& kind : preference->kinds) EXPECT_GE(kind.share, 0.25) << kind.kind;
}

TEST_P(UseCases, NoAgreementHasFewerThan150MeasuredRequests) {
  const Instant measured_from = Instant{} + world_->scenario.warm_up;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SeededWorld seeded(*world_, seed);
    std::vector<int> counts(world_->agreements.size());
    while (const auto request = seeded.requests()->Next()) {
      if (request->arrival >= measured_from) ++counts[request->agreement.index()];
    }
    EXPECT_GE(std::ranges::min(counts), 150) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, UseCases,
                         testing::Values("fairness", "firm", "fairness-16gb", "firm-16gb"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace fairlead
