// A processor for tests: it computes small graphs of linear functions and sums in plain loops,
// tells what was asked of it, and waits or throws where a test wants that.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/execution/live_tensors.h"
#include "fairlead/execution/processor.h"

namespace fairlead {

struct FakeBehaviour {
  std::atomic<int> entered = 0;
  std::atomic<int> carried = 0;  // layers
  std::atomic<int> saved = 0;
  std::atomic<int> restored = 0;
  std::atomic<int> copied = 0;                          // from others
  bool shares = false;                                  // its runs with others that do
  bool copies = false;                                  // right from others
  Status enter;                                         // what Enter answers
  std::function<void(std::size_t layer)> before_layer;  // may wait or throw
};

class FakeRun final : public NetworkRun {
 public:
  FakeRun(const OperatorGraph& graph, std::size_t batch, FakeBehaviour& behaviour)
      : graph_(graph), batch_(batch), behaviour_(behaviour) {
    for (const GraphTensor& tensor : graph.tensors)
      values_.emplace_back(static_cast<std::size_t>(ElementsOf(tensor.dims)) * batch);
    for (std::size_t layer = 0; layer <= graph.operators.size(); ++layer)
      live_.push_back(LiveTensors(graph, layer));
  }

  std::span<float> Input(std::size_t index) override { return values_[graph_.inputs[index]]; }
  std::span<const float> Output(std::size_t index) override {
    return values_[graph_.outputs[index]];
  }

  std::size_t RunLayers(std::size_t first, std::size_t last,
                        const std::atomic<bool>& stop) override {
    for (std::size_t layer = first; layer < last; ++layer) {
      if (stop) return layer;
      if (behaviour_.before_layer) behaviour_.before_layer(layer);
      Compute(graph_.operators[layer]);
      ++behaviour_.carried;
      Spoil(layer + 1);
    }
    return last;
  }

  void Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const override {
    ++behaviour_.saved;
    std::size_t at = 0;
    for (TensorIndex tensor : live_[layer]) {
      const std::size_t size = values_[tensor].size() / batch_;
      const auto begin = values_[tensor].begin() + static_cast<std::ptrdiff_t>(sample * size);
      std::copy_n(begin, size, numbers.begin() + static_cast<std::ptrdiff_t>(at));
      at += size;
    }
    CHECK(at == numbers.size());
  }
  void Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) override {
    ++behaviour_.restored;
    std::size_t at = 0;
    for (TensorIndex tensor : live_[layer]) {
      const std::size_t size = values_[tensor].size() / batch_;
      const auto begin = values_[tensor].begin() + static_cast<std::ptrdiff_t>(sample * size);
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(at), size, begin);
      at += size;
    }
    CHECK(at == numbers.size());
  }

  bool CopyFrom(const NetworkRun& from, std::size_t layer, std::size_t from_sample,
                std::size_t sample) override {
    const auto& other = dynamic_cast<const FakeRun&>(from);
    if (!behaviour_.copies) return false;
    ++behaviour_.copied;
    for (TensorIndex tensor : live_[layer]) {
      const std::size_t size = values_[tensor].size() / batch_;
      std::copy_n(other.values_[tensor].begin() + static_cast<std::ptrdiff_t>(from_sample * size),
                  size, values_[tensor].begin() + static_cast<std::ptrdiff_t>(sample * size));
    }
    return true;
  }

 private:
  void Compute(const GraphOperator& op) {
    std::vector<float>& out = values_[op.output];
    const std::vector<float>& in = values_[op.inputs[0]];
    if (const auto* function = std::get_if<Activation>(&op.body)) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = function->alpha * in[i] + function->beta;
    } else {
      const std::vector<float>& other = values_[op.inputs[1]];
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i] + other[i];
    }
  }
  // What no later layer needs may be overwritten, as it is where memory is shared.
  void Spoil(std::size_t layer) {
    for (TensorIndex tensor = 0; tensor < values_.size(); ++tensor) {
      const bool kept = std::ranges::find(live_[layer], tensor) != live_[layer].end() ||
                        std::ranges::find(graph_.inputs, tensor) != graph_.inputs.end();
      if (!kept) std::ranges::fill(values_[tensor], -1e9F);
    }
  }

  const OperatorGraph& graph_;
  std::size_t batch_;
  FakeBehaviour& behaviour_;
  std::vector<std::vector<float>> values_;      // by tensor
  std::vector<std::vector<TensorIndex>> live_;  // by boundary
};

class FakeNetwork final : public LoadedNetwork {
 public:
  FakeNetwork(const OperatorGraph& graph, std::size_t batch, FakeBehaviour& behaviour)
      : graph_(graph), batch_(batch), behaviour_(behaviour) {}

  const OperatorGraph& graph() const override { return graph_; }
  std::size_t batch() const override { return batch_; }
  std::string Implementation(std::size_t /*layer*/) const override { return "fake"; }
  std::unique_ptr<NetworkRun> NewRun() const override {
    return std::make_unique<FakeRun>(graph_, batch_, behaviour_);
  }

 private:
  const OperatorGraph& graph_;
  std::size_t batch_;
  FakeBehaviour& behaviour_;
};

class FakeProcessor final : public Processor {
 public:
  // The behaviour is not owned and outlives the processor.
  FakeProcessor(std::string name, FakeBehaviour& behaviour)
      : name_(std::move(name)), behaviour_(behaviour) {}

  const std::string& name() const override { return name_; }
  Status Enter() override {
    ++behaviour_.entered;
    return behaviour_.enter;
  }
  Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                              std::size_t batch) override {
    for (const GraphOperator& op : graph.operators) {
      if (!std::holds_alternative<Activation>(op.body) && !std::holds_alternative<Binary>(op.body))
        return Fail("{}: {} is not for fakes", op.name, NameOf(op.body));
    }
    return std::make_unique<FakeNetwork>(graph, batch, behaviour_);
  }
  bool SharesRunsWith(const Processor& other) const override {
    return behaviour_.shares && dynamic_cast<const FakeProcessor&>(other).behaviour_.shares;
  }

 private:
  std::string name_;
  FakeBehaviour& behaviour_;
};

// So many layers on three numbers, each of which needs the results of the two before: two tensors
// are alive at most boundaries. The output's numbers are (x, y, z) times some factor.
inline OperatorGraph FakeGraph(std::string name, std::size_t layers) {
  OperatorGraph graph{.name = std::move(name)};
  const auto add_tensor = [&] {
    graph.tensors.push_back({.name = std::to_string(graph.tensors.size()), .dims = {3}});
    return static_cast<TensorIndex>(graph.tensors.size() - 1);
  };
  TensorIndex before = add_tensor();
  TensorIndex last = before;
  graph.inputs = {before};
  for (std::size_t i = 0; i < layers; ++i) {
    GraphOperator op{.name = std::to_string(i)};
    if (i == 0) {
      op.body = Activation{.kind = ActivationKind::kLinear, .alpha = 2, .beta = 0};
      op.inputs = {last};
    } else {
      op.body = Binary{.kind = BinaryKind::kAdd};
      op.inputs = {before, last};
    }
    op.output = add_tensor();
    before = last;
    last = op.output;
    graph.operators.push_back(std::move(op));
  }
  graph.outputs = {last};
  return graph;
}

// The factor: 2, 3, 5, 8, 13, ...
inline float FakeFactor(std::size_t layers) {
  float before = 1;
  float last = 2;
  for (std::size_t i = 1; i < layers; ++i) before = std::exchange(last, before + last);
  return last;
}

}  // namespace fairlead
