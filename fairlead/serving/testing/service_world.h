// A small service for tests: two cores that are fakes, and a network of four segments of two layers
// on three numbers, for two tenants.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/execution/testing/fake_processor.h"
#include "fairlead/serving/inference_world.h"
#include "fairlead/serving/testing/run_log.h"

namespace fairlead {

inline constexpr std::size_t kServiceLayers = 8;

inline TensorData Floats(std::string name, std::vector<float> numbers) {
  auto owner = std::make_shared<std::vector<float>>(std::move(numbers));
  return {.info = {.name = std::move(name), .shape = {1, std::ssize(*owner)}},
          .data = {.owner = owner, .bytes = std::as_bytes(std::span(*owner))}};
}

inline float FirstOf(const TensorData& tensor) {
  float number = 0;
  std::memcpy(&number, tensor.data.bytes.data(), sizeof(number));
  return number;
}

// Answers of calls, in the order of coming.
class AnswerLog {
 public:
  AnswerReply ToRemember() {
    return [this](InferenceAnswer answer) {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
      came_.notify_all();
    };
  }
  std::vector<InferenceAnswer> answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }
  std::vector<std::string_view> codes() const {
    std::vector<std::string_view> codes;
    for (const InferenceAnswer& answer : answers()) codes.push_back(ToString(answer.code));
    return codes;
  }
  void Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return answers_.size() >= count; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::vector<InferenceAnswer> answers_;
};

struct ServiceWorld {
  std::array<FakeBehaviour, 2> behaviour;
  Platform platform;
  std::vector<NetworkGraph> graphs = {NetworkGraph::Chain("g", 4)};
  std::unique_ptr<CostTable> costs;
  std::unique_ptr<LoadedNetworks> networks;
  RunLog log;

  ServiceWorld() {
    platform.AddKind("core", 2);
    costs = std::make_unique<CostTable>(graphs, platform);
    for (std::size_t s = 0; s < graphs[0].size(); ++s)
      costs->Set(NetworkId{0}, SegmentId{s}, KindId{0}, {}, {.latency = Duration{1000}});
    costs->Seal(graphs);
    LoadSpec spec;
    for (FakeBehaviour& one : behaviour)
      spec.processors.push_back(std::make_unique<FakeProcessor>("core", one));
    spec.networks.push_back({FakeGraph("g", kServiceLayers), {0, 2, 4, 6, 8}});
    spec.batches = BatchSizesOf(platform, 1, *costs);
    networks = std::move(*LoadedNetworks::Load(std::move(spec)));
  }

  EngineWorld ForEngine() const {
    EngineWorld world{.platform = &platform, .networks = graphs, .beliefs = costs.get()};
    for (const char* name : {"ada", "bob"}) {
      world.tenants.push_back({.name = name});
      world.agreements.push_back({.tenant = TenantId{world.agreements.size()},
                                  .network = NetworkId{0},
                                  .deadline = std::chrono::seconds{10}});
    }
    return world;
  }
  InferenceSetup Setup(const LiveClock& clock) const {
    InferenceSetup setup;
    setup.live.world = ForEngine();
    setup.live.truth = costs.get();
    setup.live.clock = &clock;
    setup.networks = networks.get();
    return setup;
  }
};

// A service that runs on a thread of its own, until it has drained.
class RunningService {
 public:
  RunningService(ServiceWorld& world, InferenceSetup setup)
      : service_(std::move(setup), Edf(world.log)), thread_([this] { status_ = service_.Run(); }) {
    while (service_.state() == ServiceState::kStarting) std::this_thread::yield();
  }
  ~RunningService() { static_cast<void>(Drain()); }

  InferenceWorld& operator*() { return service_; }
  InferenceWorld* operator->() { return &service_; }
  Status Drain(Duration limit = std::chrono::hours{1}) {
    if (thread_.joinable()) {
      service_.Drain(limit);
      thread_.join();
    }
    return status_;
  }

  // Of the network's answer to (x, 0, 0).
  InferenceAnswer Call(TenantId tenant, float x) {
    std::promise<InferenceAnswer> answer;
    service_.Submit(CallFor(tenant, x),
                    [&](InferenceAnswer one) { answer.set_value(std::move(one)); });
    return answer.get_future().get();
  }
  static InferenceCall CallFor(TenantId tenant, float x) {
    return {.tenant = tenant, .network = "g", .inputs = {Floats("0", {x, 0, 0})}};
  }

 private:
  InferenceWorld service_;
  Status status_;
  std::thread thread_;
};

}  // namespace fairlead
