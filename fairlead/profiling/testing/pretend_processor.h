// A processor for tests: its layers take the time that the test says, on a clock of which each
// thread has its own, so that nothing depends on how busy the machine is.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/execution/live_clock.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

class PretendClock final : public LiveClock {
 public:
  Instant Now() const override { return OfThisThread(); }
  void WaitUntil(std::condition_variable& /*signal*/, std::unique_lock<std::mutex>& /*lock*/,
                 Instant at) const override {
    OfThisThread() = std::max(OfThisThread(), at);
  }
  static void Advance(Duration by) { OfThisThread() += by; }  // of this thread

 private:
  static Instant& OfThisThread() {
    thread_local Instant now{};
    return now;
  }
};

// A chain of convolutions: layer i has i + 2 output channels and a kernel of 1 x 1 on 4 x 4 pixels.
inline OperatorGraph PretendGraph(std::string name, std::size_t layers) {
  OperatorGraph graph{.name = std::move(name)};
  graph.tensors.push_back({.name = "in", .dims = {1, 4, 4}});
  graph.inputs = {0};
  for (std::size_t i = 0; i < layers; ++i) {
    const auto inputs = static_cast<std::int64_t>(i) + 1;
    auto weights = std::make_shared<Weights>();
    weights->dims = {inputs + 1, inputs, 1, 1};
    weights->values.resize(static_cast<std::size_t>((inputs + 1) * inputs));
    graph.tensors.push_back({.name = std::to_string(i), .dims = {inputs + 1, 4, 4}});
    graph.operators.push_back({.name = "conv" + std::to_string(i),
                               .body = Convolution{.weights = std::move(weights)},
                               .inputs = {static_cast<TensorIndex>(i)},
                               .output = static_cast<TensorIndex>(i + 1)});
  }
  graph.outputs = {static_cast<TensorIndex>(layers)};
  return graph;
}

// What a layer takes, each time that it runs; may also wait or count.
struct PretendLayer {
  const OperatorGraph& graph;
  std::size_t batch = 1;
  std::size_t layer = 0;
};
using PretendTime = std::function<Duration(const PretendLayer&)>;

class PretendProcessor final : public Processor {
 public:
  PretendProcessor(std::string name, PretendTime time)
      : name_(std::move(name)), time_(std::move(time)) {}

  const std::string& name() const override { return name_; }
  Status Enter() override {
    ++entered;
    thread = std::this_thread::get_id();
    return enter;
  }
  Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                              std::size_t batch) override {
    if (graph.name == "impossible") return Fail("conv0 cannot be carried out");
    return std::make_unique<Loaded>(*this, graph, batch);
  }

  bool SharesRunsWith(const Processor& other) const override {
    const auto* const pretend = dynamic_cast<const PretendProcessor*>(&other);
    return pretend != nullptr && shares && pretend->shares;
  }

  Status enter;         // what Enter returns
  bool shares = false;  // its runs with others that do
  int entered = 0;
  std::thread::id thread;  // that entered last

 private:
  class Loaded final : public LoadedNetwork {
   public:
    Loaded(const PretendProcessor& processor, const OperatorGraph& graph, std::size_t batch)
        : processor_(processor), graph_(graph), batch_(batch) {}
    const OperatorGraph& graph() const override { return graph_; }
    std::size_t batch() const override { return batch_; }
    std::string Implementation(std::size_t layer) const override {
      return "pretended " + std::to_string(layer);
    }
    std::unique_ptr<NetworkRun> NewRun() const override { return std::make_unique<Run>(*this); }

   private:
    friend class PretendProcessor;
    const PretendProcessor& processor_;
    const OperatorGraph& graph_;
    std::size_t batch_;
  };

  class Run final : public NetworkRun {
   public:
    explicit Run(const Loaded& network) : network_(network) {
      const TensorDims& dims = network.graph_.tensors[network.graph_.inputs.front()].dims;
      numbers_.resize(network.batch_ * static_cast<std::size_t>(ElementsOf(dims)));
    }
    std::span<float> Input(std::size_t /*index*/) override { return numbers_; }
    std::span<const float> Output(std::size_t /*index*/) override { return numbers_; }
    std::size_t RunLayers(std::size_t first, std::size_t last,
                          const std::atomic<bool>& stop) override {
      for (; first < last && !stop; ++first)
        PretendClock::Advance(network_.processor_.time_({network_.graph_, network_.batch_, first}));
      return first;
    }
    void Save(std::size_t, std::size_t, std::span<float>) const override {}
    void Restore(std::size_t, std::size_t, std::span<const float>) override {}

   private:
    const Loaded& network_;
    std::vector<float> numbers_;
  };

  std::string name_;
  PretendTime time_;
};

}  // namespace fairlead
