#include "benchmarks/idle_service.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

class IdleRun final : public NetworkRun {
 public:
  std::span<float> Input(std::size_t /*index*/) override { return numbers_; }
  std::span<const float> Output(std::size_t /*index*/) override { return numbers_; }
  std::size_t RunLayers(std::size_t /*first*/, std::size_t last,
                        const std::atomic<bool>& /*stop*/) override {
    return last;
  }
  void Save(std::size_t /*layer*/, std::size_t /*sample*/,
            std::span<float> /*numbers*/) const override {}
  void Restore(std::size_t /*layer*/, std::size_t /*sample*/,
               std::span<const float> /*numbers*/) override {}

 private:
  std::vector<float> numbers_ = std::vector<float>(4);
};

class IdleNetwork final : public LoadedNetwork {
 public:
  explicit IdleNetwork(const OperatorGraph& graph) : graph_(graph) {}
  const OperatorGraph& graph() const override { return graph_; }
  std::size_t batch() const override { return 1; }
  std::string Implementation(std::size_t /*layer*/) const override { return "nothing"; }
  std::unique_ptr<NetworkRun> NewRun() const override { return std::make_unique<IdleRun>(); }

 private:
  const OperatorGraph& graph_;
};

class IdleProcessor final : public Processor {
 public:
  const std::string& name() const override { return name_; }
  Status Enter() override { return {}; }
  Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                              std::size_t /*batch*/) override {
    return std::make_unique<IdleNetwork>(graph);
  }

 private:
  std::string name_ = "idle";
};

OperatorGraph IdleGraph() {
  OperatorGraph graph{.name = "nothing"};
  graph.tensors = {{.name = "x", .dims = {4}}, {.name = "y", .dims = {4}}};
  graph.operators.push_back({.name = "0", .body = Activation{}, .inputs = {0}, .output = 1});
  graph.inputs = {0};
  graph.outputs = {1};
  return graph;
}

class RunningIdle final : public IdleService {
 public:
  static Result<std::unique_ptr<IdleService>> Make(const IdleOptions& options) {
    auto service = std::make_unique<RunningIdle>();
    service->platform_.AddKind("idle", options.accelerators);
    service->graphs_.push_back(NetworkGraph::Chain("nothing", 1));
    service->costs_ = std::make_unique<CostTable>(service->graphs_, service->platform_);
    service->costs_->Set(NetworkId{0}, SegmentId{0}, KindId{0}, {}, {.latency = Duration{1000}});
    service->costs_->Seal(service->graphs_);
    LoadSpec spec;
    for (int a = 0; a < options.accelerators; ++a) {
      spec.processors.push_back(std::make_unique<IdleProcessor>());
      spec.batches.push_back({{1}});
    }
    spec.networks.push_back({IdleGraph(), {0, 1}});
    ASSIGN_OR_RETURN(service->networks_, LoadedNetworks::Load(std::move(spec)));
    InferenceSetup setup;
    setup.live.world = {.platform = &service->platform_,
                        .networks = service->graphs_,
                        .beliefs = service->costs_.get()};
    for (std::size_t t = 0; t < options.tenants; ++t) {
      setup.live.world.tenants.push_back({.name = fmt::format("tenant-{}", t)});
      setup.live.world.agreements.push_back({.tenant = TenantId{t},
                                             .network = NetworkId{0},
                                             .deadline = std::chrono::seconds{10},
                                             .target = 0.9});
    }
    setup.live.truth = service->costs_.get();
    setup.live.clock = &service->clock_;
    setup.live.spin = std::chrono::microseconds(options.spin);
    setup.networks = service->networks_.get();
    ASSIGN_OR_RETURN(auto made,
                     MakePolicy(options.policy, {.seed = 1, .platform = &service->platform_}));
    service->world_ = std::make_unique<InferenceWorld>(std::move(setup), std::move(made));
    service->thread_ = std::thread([raw = service.get()] { raw->status_ = raw->world_->Run(); });
    while (service->world_->state() == ServiceState::kStarting) std::this_thread::yield();
    return service;
  }
  ~RunningIdle() override {
    if (!thread_.joinable()) return;
    world_->Drain(std::chrono::seconds{10});
    thread_.join();
  }

  InferenceWorld& world() override { return *world_; }
  const RealClock& clock() const override { return clock_; }

 private:
  const RealClock clock_;
  Platform platform_;
  std::vector<NetworkGraph> graphs_;
  std::unique_ptr<CostTable> costs_;
  std::unique_ptr<LoadedNetworks> networks_;
  std::unique_ptr<InferenceWorld> world_;
  Status status_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<IdleService>> IdleService::Make(const IdleOptions& options) {
  return RunningIdle::Make(options);
}

}  // namespace fairlead
