// After warm-up a live world allocates nothing for a segment: not for its report, not for the
// decision, not for handing the next one to a thread.
#include "fairlead/serving/live_world.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "fairlead/serving/clock.h"
#include "fairlead/world/policy_registry.h"
#include "tests/allocation/counting_new.h"

namespace fairlead {
namespace {

constexpr std::size_t kSegments = 50;
constexpr std::size_t kJobs = 40;

// Lets the same requests come once more when all have ended, and closes the door after these.
class TwoWaves final : public RunListener {
 public:
  explicit TwoWaves(const std::vector<Request>& requests) : requests_(requests) {}

  void JobEnded(const Job& /*job*/, Outcome /*outcome*/, Reason /*reason*/,
                Instant /*now*/) override {
    ++ended_;
    if (ended_ == requests_.size()) {
      for (const Request& request : requests_) live->Submit(request);
    }
    if (ended_ == 2 * requests_.size()) live->Close();
  }
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}

  LiveWorld* live = nullptr;

 private:
  const std::vector<Request>& requests_;
  std::size_t ended_ = 0;
};

TEST(LiveWorld, AllocatesNothingForASegmentAfterWarmUp) {
  Platform platform;
  platform.AddKind("core", 1);
  const std::vector<NetworkGraph> networks = {NetworkGraph::Chain("chain", kSegments)};
  CostTable costs(networks, platform);
  for (std::size_t s = 0; s < kSegments; ++s)
    costs.Set(NetworkId{0}, SegmentId{s}, KindId{0}, {}, {.latency = Duration{1000}});
  costs.Seal(networks);
  std::vector<Request> requests;
  for (std::size_t j = 0; j < kJobs; ++j)
    requests.push_back(
        {.number = j, .agreement = AgreementId{0}, .deadline = std::chrono::hours(1)});

  // One thread carries out all segments, and takes the turns; the other one waits for the end.
  std::size_t segments = 0;
  std::optional<std::uint64_t> allocations;
  const RealClock clock;
  TwoWaves waves(requests);
  ListedRequests source(requests);
  LiveSetup setup;
  setup.world = {.platform = &platform, .networks = networks, .beliefs = &costs};
  setup.world.tenants.push_back({.name = "t"});
  setup.world.agreements.push_back({.tenant = TenantId{0}, .network = NetworkId{0}});
  setup.truth = &costs;
  setup.clock = &clock;
  setup.requests = &source;
  setup.listener = &waves;
  setup.door = FrontDoor::kOpen;
  setup.work = [&](SegmentRun& /*run*/) {
    ++segments;
    if (segments == kJobs * kSegments * 5 / 4) testing::StartCounting();
    if (segments == kJobs * kSegments * 7 / 4) allocations = testing::StopCounting();
    return WorkResult::kDone;
  };
  auto policy = MakePolicy("edf-h", {.seed = 1, .platform = &platform});
  ASSERT_TRUE(policy.has_value());
  LiveWorld live(std::move(setup), std::move(*policy));
  waves.live = &live;
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_EQ(segments, 2 * kJobs * kSegments);
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace fairlead
