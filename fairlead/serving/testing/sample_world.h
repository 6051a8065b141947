// A small world for the tests of the live one: two accelerators of different kinds, four networks.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/serving/live_world.h"

namespace fairlead {

inline constexpr AcceleratorId kLeft{0};
inline constexpr AcceleratorId kRight{1};
inline constexpr AgreementId kChainLeft{0};   // of the network that only `left` runs: 1, 2, 1 ms
inline constexpr AgreementId kChainRight{1};  // of the one that only `right` runs: 2, 1 ms
inline constexpr AgreementId kDiamond{2};  // of one that runs on both, with two branches: 1 to 3 ms
inline constexpr AgreementId kInstant{3};  // of one segment that costs nothing, on `left`

struct SampleWorld {
  Platform platform;
  std::vector<NetworkGraph> networks;
  std::unique_ptr<CostTable> costs;

  SampleWorld() {
    platform.AddKind("left", 1);
    platform.AddKind("right", 1);
    networks.push_back(NetworkGraph::Chain("chain-left", 3));
    networks.push_back(NetworkGraph::Chain("chain-right", 2));
    networks.push_back(*NetworkGraph::Create(
        "diamond", {{"first", {}}, {"one", {0}}, {"two", {0}}, {"last", {1, 2}}}));
    networks.push_back(NetworkGraph::Chain("instant", 1));
    costs = std::make_unique<CostTable>(networks, platform);
    SetCosts(0, kLeft, {1000, 2000, 1000});
    SetCosts(1, kRight, {2000, 1000});
    SetCosts(2, kLeft, {1000, 2000, 3000, 3000});
    SetCosts(2, kRight, {2000, 3000, 2000, 1000});
    SetCosts(3, kLeft, {0});
    costs->Seal(networks);
  }

  EngineWorld ForEngine() const {
    EngineWorld world{.platform = &platform, .networks = networks, .beliefs = costs.get()};
    world.tenants.push_back({.name = "t"});
    for (std::size_t n = 0; n < networks.size(); ++n)
      world.agreements.push_back({.tenant = TenantId{0}, .network = NetworkId{n}});
    return world;
  }

  // The rest of the setup keeps its defaults.
  LiveSetup Live(const LiveClock& clock, RequestSource* requests, RunListener* listener) const {
    LiveSetup setup;
    setup.world = ForEngine();
    setup.truth = costs.get();
    setup.clock = &clock;
    setup.requests = requests;
    setup.listener = listener;
    return setup;
  }

 private:
  void SetCosts(std::size_t network, AcceleratorId on, const std::vector<int>& each) {
    for (std::size_t s = 0; s < each.size(); ++s) {
      costs->Set(NetworkId{network}, SegmentId{s}, platform.accelerators[on.index()].kind, {},
                 {.latency = std::chrono::microseconds(each[s]), .energy_pj = 10});
    }
  }
};

// All at instant 0, in turn for the two chains, with deadlines in another order.
inline std::vector<Request> Simultaneous(std::size_t count) {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back({.number = i,
                        .agreement = i % 2 == 0 ? kChainLeft : kChainRight,
                        .deadline = std::chrono::milliseconds(10 + i * 7 % 11)});
  }
  return requests;
}

}  // namespace fairlead
