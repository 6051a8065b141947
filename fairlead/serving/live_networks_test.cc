// Networks that are really computed, through the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "fairlead/execution/network_work.h"
#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/serving/testing/run_log.h"

namespace fairlead {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

constexpr std::size_t kRequests = 40;
constexpr std::size_t kLayers = 8;
constexpr AcceleratorId kFirst{0};
constexpr AcceleratorId kSecond{1};

// Two processors that are alike, and a network of four segments of two layers.
class LiveNetworksTest : public testing::Test {
 public:
  ~LiveNetworksTest() override { EXPECT_TRUE(work_->Empty()); }

 protected:
  LiveNetworksTest() {
    platform_.AddKind("core", 2);
    costs_ = std::make_unique<CostTable>(graphs_, platform_);
    for (std::size_t s = 0; s < graphs_[0].size(); ++s)
      costs_->Set(NetworkId{0}, SegmentId{s}, KindId{0}, {}, {.latency = Duration{1000}});
    costs_->Seal(graphs_);

    LoadSpec spec;
    for (FakeBehaviour& behaviour : behaviour_)
      spec.processors.push_back(std::make_unique<FakeProcessor>("core", behaviour));
    spec.networks.push_back({FakeGraph("g", kLayers), {0, 2, 4, 6, 8}});
    spec.batches = BatchSizesOf(platform_, 1, *costs_);
    networks_ = std::move(*LoadedNetworks::Load(std::move(spec)));
    work_ = std::make_unique<NetworkWork>(
        *networks_,
        NetworkHooks{.input =
                         [](const JobSample& tensor, std::span<float> numbers) {
                           std::ranges::fill(numbers, static_cast<float>(tensor.job.serial));
                         },
                     .output =
                         [this](const JobSample& tensor, std::span<const float> numbers) {
                           const std::lock_guard lock(mutex_);
                           outputs_[tensor.job.serial] = numbers[0];
                         }});
  }

  LiveSetup LiveSetupFor(const LiveClock& clock, RequestSource& source) {
    LiveSetup setup;
    setup.world = {.platform = &platform_,
                   .networks = graphs_,
                   .beliefs = costs_.get(),
                   .tenants = {{.name = "t"}},
                   .agreements = {{.tenant = TenantId{0}, .network = NetworkId{0}}}};
    setup.truth = costs_.get();
    setup.clock = &clock;
    setup.work = [this](SegmentRun& run) { return work_->CarryOut(run); };
    setup.enter = [this](AcceleratorId accelerator) { return work_->Enter(accelerator); };
    setup.forget = [this](const JobHandle& job) { work_->Forget(job); };
    setup.requests = &source;
    setup.listener = &listener_;
    return setup;
  }
  static std::vector<Request> Requests() {
    std::vector<Request> requests;
    for (std::size_t i = 0; i < kRequests; ++i)
      requests.push_back({.number = i,
                          .agreement = AgreementId{0},
                          .arrival = Instant{Duration{2000 * i}},
                          .deadline = std::chrono::seconds{100}});
    return requests;
  }
  // Serials count from 1 in the order of arrival.
  void ExpectAllOutputs() {
    ASSERT_THAT(outputs_, SizeIs(kRequests));
    for (const auto& [serial, number] : outputs_)
      EXPECT_EQ(number, FakeFactor(kLayers) * static_cast<float>(serial));
  }

  std::array<FakeBehaviour, 2> behaviour_;
  Platform platform_;
  std::vector<NetworkGraph> graphs_ = {NetworkGraph::Chain("g", 4)};
  std::unique_ptr<CostTable> costs_;
  std::unique_ptr<LoadedNetworks> networks_;
  std::unique_ptr<NetworkWork> work_;
  RunLog log_;
  EndListener listener_{log_};
  std::mutex mutex_;
  std::map<std::uint64_t, float> outputs_;
};

TEST_F(LiveNetworksTest, EachJobGetsItsOwnResult) {
  const RealClock clock;
  ListedRequests source(Requests());
  LiveWorld live(LiveSetupFor(clock, source), Edf(log_));
  ASSERT_TRUE(live.Run().has_value());
  ExpectAllOutputs();
  EXPECT_EQ(behaviour_[0].carried + behaviour_[1].carried, kRequests * kLayers);
}

TEST_F(LiveNetworksTest, FailuresInTheMiddleDoNotShowInResults) {
  std::atomic<int> layers = 0;
  for (FakeBehaviour& behaviour : behaviour_) {
    behaviour.before_layer = [&](std::size_t /*layer*/) {
      if (++layers % 37 == 0) throw std::runtime_error("a cosmic ray");
    };
  }
  const RealClock clock;
  ListedRequests source(Requests());
  LiveSetup setup = LiveSetupFor(clock, source);
  setup.engine.failure_limit = 1000;
  LiveWorld live(std::move(setup), Edf(log_));
  ASSERT_TRUE(live.Run().has_value());
  ExpectAllOutputs();
  EXPECT_GT(live.engine().counters().segments_started, kRequests * graphs_[0].size());
}

TEST_F(LiveNetworksTest, ALostProcessorLeavesItsWorkToTheOther) {
  std::atomic<int> layers = 0;
  behaviour_[0].before_layer = [&](std::size_t /*layer*/) {
    if (++layers >= 2) throw ProcessorLost("it melted");  // in its first segment
  };
  const RealClock clock;
  ListedRequests source(Requests());
  LiveWorld live(LiveSetupFor(clock, source), Edf(log_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_FALSE(live.engine().state().accelerators[kFirst.index()].online);
  EXPECT_TRUE(live.engine().state().accelerators[kSecond.index()].online);
  EXPECT_EQ(layers, 2);
  ExpectAllOutputs();
  EXPECT_THAT(log_.ends(), Each(Field(&EndedJob::outcome, Outcome::kHit)));
}

TEST_F(LiveNetworksTest, AProcessorThatComesAndGoesLosesNothing) {
  const RealClock clock;
  ListedRequests source(Requests());
  LiveSetup setup = LiveSetupFor(clock, source);
  for (int i = 0; i < 20; ++i) {
    const Instant at{Duration{5000 * i}};
    setup.timeline.push_back(
        {at, i % 2 == 0 ? Input{AcceleratorLoss{kFirst}} : Input{AcceleratorReturn{kFirst}}});
  }
  setup.engine.failure_limit = 1000;
  LiveWorld live(std::move(setup), Edf(log_));
  ASSERT_TRUE(live.Run().has_value());
  ExpectAllOutputs();
}

TEST_F(LiveNetworksTest, DroppedJobsLeaveNothing) {
  const RealClock clock;
  std::vector<Request> requests = Requests();
  for (Request& request : requests)
    request.deadline = Duration{request.number % 3 == 0 ? 1 : 10'000};
  ListedRequests source(requests);
  LiveSetup setup = LiveSetupFor(clock, source);
  setup.engine.late = LateJobs::kDrop;
  LiveWorld live(std::move(setup), Edf(log_));
  ASSERT_TRUE(live.Run().has_value());
  EXPECT_THAT(log_.ends(), SizeIs(kRequests));
}

}  // namespace
}  // namespace fairlead
