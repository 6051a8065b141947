// No policy beats the bounds, in random worlds with more work than can be done.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fairlead/running/run.h"
#include "fairlead/world/policy_registry.h"
#include "tests/conformance/crowded_world.h"
#include "tests/conformance/random_world.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

// Each policy that needs no plan, and with early drops where it has to be asked for them.
std::vector<std::string> PolicySpecs() {
  std::vector<std::string> specs;
  for (const PolicyEntry& policy : Policies()) {
    if (policy.needs.plan) continue;
    specs.emplace_back(policy.name);
    const auto drop = std::ranges::find(policy.options, "drop", &OptionInfo::key);
    if (drop != policy.options.end() && drop->default_value != "early")
      specs.push_back(fmt::format("{}:drop=early", policy.name));
  }
  return specs;
}

struct Reached {
  double hit_rate = 0;
  double worst_agreement = 1;
};

Reached ReachedBy(const World& world, const std::string& policy, std::uint64_t seed) {
  SimulatedRun run(world, policy, seed);
  const Status status = run.Run();
  EXPECT_TRUE(status.has_value()) << policy << ": " << status.error().message;
  std::vector<std::array<double, 2>> counts(world.agreements.size());
  Reached reached;
  for (const End& end : run.ends()) {
    const double hit = end.outcome == Outcome::kHit ? 1 : 0;
    reached.hit_rate += hit / static_cast<double>(run.ends().size());
    counts[end.agreement.index()][0] += hit;
    counts[end.agreement.index()][1] += 1;
  }
  for (const auto& [hits, all] : counts) {
    if (all > 0) reached.worst_agreement = std::min(reached.worst_agreement, hits / all);
  }
  return reached;
}

// How near the best policy comes, so that a bound which says nothing is seen too.
struct Nearness {
  int binding = 0;  // worlds whose bound is below 1
  int near = 0;     // of these, in which a policy has nine tenths of the bound
};

Nearness HoldIn(std::uint64_t first, std::uint64_t end) {
  constexpr double kTolerance = 1e-6;
  const std::vector<std::string> policies = PolicySpecs();
  Nearness nearness;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const RandomWorldTexts texts = DrawCrowdedWorld(seed);
    const auto world = BuildRandomWorld(texts);
    const FluidBounds bounds = BoundsOn(*world, ArrivalsOf(*world)).value();
    double best = 0;
    for (const std::string& policy : policies) {
      const Reached reached = ReachedBy(*world, policy, seed);
      EXPECT_LE(reached.hit_rate, bounds.hit_rate + kTolerance) << policy;
      EXPECT_LE(reached.worst_agreement, bounds.worst_agreement + kTolerance) << policy;
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "in world " << seed << "\n"
                      << texts.scenario << texts.profile << texts.requests;
        return nearness;
      }
      best = std::max(best, reached.hit_rate);
    }
    if (bounds.hit_rate > 1 - kTolerance) continue;
    ++nearness.binding;
    if (best > 0.9 * bounds.hit_rate) ++nearness.near;
  }
  return nearness;
}

void ExpectBinding(const Nearness& nearness, int worlds) {
  EXPECT_GT(nearness.binding, worlds / 2);
  EXPECT_GT(nearness.near, worlds / 10);
  fmt::print("{} worlds: the bound is below 1 in {}, and a policy has 9/10 of that in {}\n", worlds,
             nearness.binding, nearness.near);
}

TEST(Bounds, HoldForEveryPolicy) { ExpectBinding(HoldIn(0, 60), 60); }

TEST(Bounds, HoldForEveryPolicy_slow) { ExpectBinding(HoldIn(1000, 3000), 2000); }

}  // namespace
}  // namespace fairlead::testing
