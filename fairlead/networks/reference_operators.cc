#include "fairlead/networks/reference_operators.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/networks/reference_bodies.h"

namespace fairlead {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double Clip(double x, double low, double high) { return std::min(std::max(x, low), high); }

void Apply(const Activation& activation, ExactValues& values) {
  for (double& value : values) value = ReferenceValue(activation, value);
}

void AddTo(ExactValues& values, std::span<const float> added) {
  CHECK(added.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += double{added[i]};
}

// The tensors of one sample on its way through a graph.
class SampleRun {
 public:
  SampleRun(const OperatorGraph& graph, std::int64_t sample,
            const std::vector<std::vector<float>>& inputs)
      : graph_(graph), computed_(graph.tensors.size()), views_(graph.tensors.size()) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (graph.tensors[i].constant != nullptr) views_[i] = graph.tensors[i].constant->values;
    }
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const auto size = static_cast<std::size_t>(ElementsOf(graph.tensors[graph.inputs[i]].dims));
      views_[graph.inputs[i]] =
          std::span(inputs[i]).subspan(static_cast<std::size_t>(sample) * size, size);
    }
  }

  void Run() {
    for (const GraphOperator& op : graph_.operators) {
      std::vector<SampleView> reads;
      for (TensorIndex tensor : op.Reads())
        reads.push_back({graph_.tensors[tensor].dims, views_[tensor]});
      computed_[op.output] = ReferenceSample(op, reads, graph_.tensors[op.output].dims);
      views_[op.output] = computed_[op.output];
    }
  }

  std::span<const float> Values(TensorIndex tensor) const { return views_[tensor]; }

 private:
  const OperatorGraph& graph_;
  std::vector<std::vector<float>> computed_;
  std::vector<std::span<const float>> views_;
};

}  // namespace

ExactValues Exact(const Opaque& body, SampleViews /*inputs*/, const TensorDims& /*dims*/) {
  CHECK_MSG(false, body.type);
  return {};
}

double ReferenceValue(const Activation& activation, double x) {
  const double alpha = activation.alpha;
  const double beta = activation.beta;
  switch (activation.kind) {
    case ActivationKind::kRelu: return std::max(x, 0.0);
    case ActivationKind::kLeakyRelu: return x < 0 ? alpha * x : x;
    case ActivationKind::kClip: return Clip(x, alpha, beta);
    case ActivationKind::kSigmoid: return Sigmoid(x);
    case ActivationKind::kHardSigmoid: return Clip(alpha * x + beta, 0, 1);
    case ActivationKind::kHardSwish: return x * Clip(x / 6 + 0.5, 0, 1);
    case ActivationKind::kSilu: return x * Sigmoid(x);
    case ActivationKind::kTanh: return std::tanh(x);
    case ActivationKind::kElu: return x < 0 ? alpha * std::expm1(x) : x;
    case ActivationKind::kGelu: return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
    case ActivationKind::kExp: return std::exp(x);
    case ActivationKind::kSqrt: return std::sqrt(x);
    case ActivationKind::kAbs: return std::abs(x);
    case ActivationKind::kLinear: return alpha * x + beta;
  }
  return x;
}

std::vector<float> ReferenceSample(const GraphOperator& op, std::span<const SampleView> reads,
                                   const TensorDims& dims) {
  const SampleViews inputs = reads.first(op.inputs.size());
  SampleViews added = reads.subspan(op.inputs.size());
  ExactValues values =
      std::visit([&](const auto& body) { return Exact(body, inputs, dims); }, op.body);
  for (const PostOperation& post : op.then) {
    if (const auto* activation = std::get_if<Activation>(&post)) {
      Apply(*activation, values);
    } else {
      AddTo(values, added.front().values);
      added = added.subspan(1);
    }
  }
  CHECK(static_cast<std::int64_t>(values.size()) == ElementsOf(dims));
  return {values.begin(), values.end()};
}

std::vector<std::vector<float>> ReferenceOutputs(const OperatorGraph& graph, std::int64_t batch,
                                                 const std::vector<std::vector<float>>& inputs) {
  CHECK(inputs.size() == graph.inputs.size());
  std::vector<std::vector<float>> outputs(graph.outputs.size());
  for (std::int64_t sample = 0; sample < batch; ++sample) {
    SampleRun run(graph, sample, inputs);
    run.Run();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const float> values = run.Values(graph.outputs[i]);
      outputs[i].insert(outputs[i].end(), values.begin(), values.end());
    }
  }
  return outputs;
}

}  // namespace fairlead
