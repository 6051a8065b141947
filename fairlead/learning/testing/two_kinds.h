// A small world for tests of learning: two kinds, two networks, two tenants; listed one way or the
// other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {

// Network a: two segments, 10 on kind x and 20 on kind y. Network b: one, 40 on x and 10 on y. One
// accelerator of x, two of y. Agreements: a tenant for each network, both best effort but b's, who
// is promised half.
class TwoKindsWorld {
 public:
  enum class Listed : std::uint8_t { kForwards, kBackwards };
  explicit TwoKindsWorld(Listed listed = Listed::kForwards) {
    const bool forwards = listed == Listed::kForwards;
    x = KindId{forwards ? std::size_t{0} : 1};
    y = KindId{forwards ? std::size_t{1} : 0};
    a = NetworkId{forwards ? std::size_t{0} : 1};
    b = NetworkId{forwards ? std::size_t{1} : 0};
    platform.AddKind(forwards ? "x" : "y", forwards ? 1 : 2);
    platform.AddKind(forwards ? "y" : "x", forwards ? 2 : 1);
    platform.bandwidth = 1'000'000'000;
    networks.push_back(NetworkGraph::Chain(forwards ? "a" : "b", forwards ? 2 : 1));
    networks.push_back(NetworkGraph::Chain(forwards ? "b" : "a", forwards ? 1 : 2));
    costs.emplace(networks, platform);
    for (std::size_t s = 0; s < 2; ++s) {
      costs->Set(a, SegmentId{s}, x, {1, 1}, {Duration{10}, 2});
      costs->Set(a, SegmentId{s}, y, {1, 1}, {Duration{20}, 2});
    }
    costs->Set(b, SegmentId{0}, x, {1, 1}, {Duration{40}, 4});
    costs->Set(b, SegmentId{0}, y, {1, 1}, {Duration{10}, 4});
    costs->Seal(networks);
    for (std::size_t n = 0; n < 2; ++n) {
      agreements.push_back({.tenant = TenantId{n}, .network = NetworkId{n}});
      if (NetworkId{n} == b) agreements.back().target = 0.5;
    }
  }

  // Requests as (network, arrival, deadline).
  struct Asked {
    NetworkId network;
    std::int64_t arrival;
    std::int64_t deadline;
  };
  SimulationSetup Setup(const std::vector<Asked>& asked) {
    std::vector<Request> list;
    for (const Asked& one : asked)
      list.push_back({.number = list.size(),
                      .agreement = AgreementId{one.network.index()},
                      .arrival = AtNanoseconds(one.arrival),
                      .deadline = Duration{one.deadline}});
    requests = std::make_unique<ListedRequests>(list);
    SimulationSetup setup;
    setup.world = {.platform = &platform,
                   .networks = networks,
                   .beliefs = &*costs,
                   .tenants = {{.name = "t"}, {.name = "u"}},
                   .agreements = agreements};
    setup.truth = &*costs;
    setup.interference = interference.get();
    setup.requests = requests.get();
    return setup;
  }

  KindId x;
  KindId y;
  NetworkId a;
  NetworkId b;
  Platform platform;
  std::vector<NetworkGraph> networks;
  std::optional<CostTable> costs;
  std::vector<ServiceAgreement> agreements;
  std::unique_ptr<RequestSource> requests;
  std::unique_ptr<InterferenceModel> interference = MakeBandwidthSharing(Sharing::kNone, 0);
};

}  // namespace fairlead
