// A small run with a timeline that can be worked out by hand, for the tests of this folder.
//
// One network, "net": conv takes 10 us on "front" and nowhere else, then fc 5 us on "back". Ada
// asks at 0 and at 100 us, bob at 1 us, each within 20 us:
//
//   front  conv 0 [0, 10)   conv 1 [10, 20)                    conv 2 [100, 110)
//   back                    fc 0 [10, 15)     fc 1 [20, 25)                        fc 2 [110, 115)
//
// so that 0 and 2 are hits after 15 us each, and 1 is a miss after 24 us.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/temporal_rule.h"
#include "fairlead/report/listeners.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/simulation/simulator.h"

namespace fairlead {

class TestRun {
 public:
  struct Options {
    Instant measured_from{};
    std::int64_t bandwidth = 1'000'000'000;  // 1 GB/s
    std::vector<TimedInput> timeline;
    RunListener* listener = nullptr;  // beside the log
    HandOverCosts hand_overs = HandOverCosts(2);
    RunRecorder* recorder = nullptr;
  };

  TestRun() : TestRun(Options{}) {}
  explicit TestRun(const Options& options)
      : networks_(MakeNetworks()),
        platform_(MakePlatform(options.bandwidth)),
        costs_(MakeCosts(networks_, platform_, options.hand_overs)),
        sharing_(MakeBandwidthSharing(Sharing::kProportional, options.bandwidth)),
        requests_(MakeRequests()),
        listeners_(ListenersOf(log_, options.listener)),
        simulator_(Setup(options), MakeListPolicy("fcfs-h", MakeFirstComeFirstServed(), {},
                                                  RandomStream(0, "policy"))) {}
  TestRun(const TestRun&) = delete;
  TestRun& operator=(const TestRun&) = delete;

  void Run() {
    const Status status = simulator_.Run();
    if (!status) throw std::runtime_error(status.error().message);
  }
  const OutcomeLog& log() const { return log_; }
  const Simulator& simulator() const { return simulator_; }
  const CostTable& costs() const { return costs_; }
  const SystemState& state() const { return simulator_.engine().state(); }

 private:
  static std::vector<NetworkGraph> MakeNetworks() {
    auto net = NetworkGraph::Create("net", {{"conv", {}}, {"fc", {0}}});
    std::vector<NetworkGraph> networks;
    networks.push_back(std::move(*net));
    return networks;
  }
  static Platform MakePlatform(std::int64_t bandwidth) {
    Platform platform;
    platform.AddKind("front", 1);
    platform.AddKind("back", 1);
    platform.bandwidth = bandwidth;
    return platform;
  }
  static CostTable MakeCosts(std::span<const NetworkGraph> networks, const Platform& platform,
                             const HandOverCosts& hand_overs) {
    CostTable costs(networks, platform);
    costs.SetHandOvers(hand_overs);
    const NetworkId net{0};
    costs.Set(net, SegmentId{0}, KindId{0}, {},
              {.latency = Duration{10'000}, .dram_bytes = 1000, .energy_pj = 2'000'000});
    costs.Set(net, SegmentId{1}, KindId{1}, {}, {.latency = Duration{5'000}, .energy_pj = 500'000});
    costs.Seal(networks);
    return costs;
  }
  static ListedRequests MakeRequests() {
    const Duration deadline{20'000};
    return ListedRequests({{0, AgreementId{0}, AtNanoseconds(0), deadline},
                           {1, AgreementId{1}, AtNanoseconds(1'000), deadline},
                           {2, AgreementId{0}, AtNanoseconds(100'000), deadline}});
  }
  static RunListeners ListenersOf(OutcomeLog& log, RunListener* other) {
    std::vector<RunListener*> listeners = {&log};
    if (other != nullptr) listeners.push_back(other);
    return RunListeners(std::move(listeners));
  }
  SimulationSetup Setup(const Options& options) {
    const ServiceAgreement ada{
        .tenant = TenantId{0}, .network = NetworkId{0}, .target = 0.9, .price = 3, .penalty = 1};
    const ServiceAgreement bob{
        .tenant = TenantId{1}, .network = NetworkId{0}, .price = 4, .penalty = 0.5};
    SimulationSetup setup;
    setup.world = {.platform = &platform_,
                   .networks = networks_,
                   .beliefs = &costs_,
                   .tenants = {{.name = "ada"}, {.name = "bob"}},
                   .agreements = {ada, bob}};
    setup.engine.measured_from = options.measured_from;
    setup.truth = &costs_;
    setup.interference = sharing_.get();
    setup.requests = &requests_;
    setup.timeline = options.timeline;
    setup.listener = &listeners_;
    setup.recorder = options.recorder;
    return setup;
  }

  std::vector<NetworkGraph> networks_;
  Platform platform_;
  CostTable costs_;
  std::unique_ptr<InterferenceModel> sharing_;
  ListedRequests requests_;
  OutcomeLog log_;
  RunListeners listeners_;
  Simulator simulator_;
};

}  // namespace fairlead
