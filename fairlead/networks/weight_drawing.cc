#include "fairlead/networks/weight_drawing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "fairlead/base/random.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {
namespace {

constexpr double kShift = 0.1;   // biases and shifts are within this
constexpr double kSpread = 0.2;  // scales are this far from equal

// Of the numbers in a tensor.
struct Moments {
  double mean = 0;
  double variance = 1;

  double MeanSquare() const { return mean * mean + variance; }
};

Moments FromSquare(double mean, double mean_square) {
  return {mean, std::max(0.0, mean_square - mean * mean)};
}

Moments MomentsOf(const std::vector<float>& values) {
  double sum = 0;
  double squares = 0;
  for (float value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  return FromSquare(sum / count, squares / count);
}

// If what goes in is distributed normally: the integrals as sums.
Moments After(const Activation& activation, const Moments& in) {
  constexpr double kStep = 0.05;
  constexpr int kSteps = 100;  // to five deviations
  double weights = 0;
  double sum = 0;
  double squares = 0;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double z = i * kStep;
    const double weight = std::exp(-z * z / 2);
    const double value = ReferenceValue(activation, in.mean + z * std::sqrt(in.variance));
    weights += weight;
    sum += weight * value;
    squares += weight * value * value;
  }
  return FromSquare(sum / weights, squares / weights);
}

Moments Together(BinaryKind kind, const Moments& a, const Moments& b) {
  switch (kind) {
    case BinaryKind::kAdd: return {a.mean + b.mean, a.variance + b.variance};
    case BinaryKind::kSubtract: return {a.mean - b.mean, a.variance + b.variance};
    case BinaryKind::kMultiply: return FromSquare(a.mean * b.mean, a.MeanSquare() * b.MeanSquare());
    default: return a;
  }
}

class WeightDrawer {
 public:
  WeightDrawer(OperatorGraph graph, std::uint64_t seed)
      : graph_(std::move(graph)), seed_(seed), moments_(graph_.tensors.size()) {}

  OperatorGraph Draw() {
    for (GraphOperator& op : graph_.operators) {
      RandomStream random(seed_, "weights/" + op.name);
      FillConstants(op, random);
      Moments moments = std::visit([&](auto& body) { return Fill(body, op, random); }, op.body);
      for (const PostOperation& post : op.then) moments = AfterPost(post, moments);
      moments_[op.output] = moments;
    }
    return std::move(graph_);
  }

 private:
  const Moments& In(const GraphOperator& op) const { return moments_[op.inputs[0]]; }

  Moments AfterPost(const PostOperation& post, const Moments& moments) const {
    if (const auto* added = std::get_if<AddedTensor>(&post))
      return Together(BinaryKind::kAdd, moments, moments_[added->tensor]);
    return After(std::get<Activation>(post), moments);
  }

  // Uniform between the two.
  void Fill(WeightsPointer& weights, double low, double high, RandomStream& random) {
    if (weights == nullptr || !weights->values.empty()) return;
    WeightsPointer& known = drawn_[weights];
    if (known == nullptr) {
      Weights drawn{.dims = weights->dims, .values = {}};
      drawn.values.resize(static_cast<std::size_t>(ElementsOf(drawn.dims)));
      for (float& value : drawn.values)
        value = static_cast<float>(low + (high - low) * random.Uniform());
      known = std::make_shared<const Weights>(std::move(drawn));
    }
    weights = known;
  }

  // Constants that the operator reads: what is added is small, all else is near 1.
  void FillConstants(const GraphOperator& op, RandomStream& random) {
    const auto* binary = std::get_if<Binary>(&op.body);
    const bool added = binary != nullptr &&
                       (binary->kind == BinaryKind::kAdd || binary->kind == BinaryKind::kSubtract);
    for (TensorIndex input : op.inputs) {
      WeightsPointer& constant = graph_.tensors[input].constant;
      if (constant == nullptr) continue;
      Fill(constant, added ? -kShift : 1 - kSpread, added ? kShift : 1 + kSpread, random);
      moments_[input] = MomentsOf(constant->values);
    }
  }

  // Weights, of which `fan_in` are multiplied by inputs and added up, and the bias.
  Moments FillLayer(WeightsPointer& weights, WeightsPointer& bias, std::int64_t fan_in,
                    const Moments& in, RandomStream& random) {
    const double variance = 1 / (static_cast<double>(fan_in) * std::max(in.MeanSquare(), 1e-6));
    const double bound = std::sqrt(3 * variance);
    Fill(weights, -bound, bound, random);
    Fill(bias, -kShift, kShift, random);
    return {};
  }

  Moments Fill(Convolution& body, const GraphOperator& op, RandomStream& random) {
    const TensorDims& dims = body.weights->dims;
    const std::int64_t inputs = body.transposed ? dims[0] / body.groups : dims[1];
    return FillLayer(body.weights, body.bias, inputs * dims[2] * dims[3], In(op), random);
  }
  Moments Fill(Linear& body, const GraphOperator& op, RandomStream& random) {
    return FillLayer(body.weights, body.bias, body.weights->dims[1], In(op), random);
  }
  Moments Fill(ChannelScale& body, const GraphOperator& op, RandomStream& random) {
    const double scale = 1 / std::sqrt(std::max(In(op).MeanSquare(), 1e-6));
    Fill(body.scale, (1 - kSpread) * scale, (1 + kSpread) * scale, random);
    Fill(body.shift, -kShift, kShift, random);
    return {In(op).mean * scale, In(op).variance * scale * scale};
  }
  Moments Fill(const Activation& body, const GraphOperator& op, RandomStream&) const {
    return After(body, In(op));
  }
  Moments Fill(const Binary& body, const GraphOperator& op, RandomStream&) const {
    return Together(body.kind, In(op), moments_[op.inputs[1]]);
  }
  Moments Fill(const Concatenation&, const GraphOperator& op, RandomStream&) const {
    double elements = 0;
    double sum = 0;
    double squares = 0;
    for (TensorIndex input : op.inputs) {
      const auto size = static_cast<double>(ElementsOf(graph_.tensors[input].dims));
      elements += size;
      sum += size * moments_[input].mean;
      squares += size * moments_[input].MeanSquare();
    }
    return FromSquare(sum / elements, squares / elements);
  }
  template <typename Other>
  Moments Fill(const Other&, const GraphOperator& op, RandomStream&) const {
    return In(op);
  }

  OperatorGraph graph_;
  std::uint64_t seed_;
  std::vector<Moments> moments_;
  std::map<WeightsPointer, WeightsPointer> drawn_;  // by what they take the place of
};

}  // namespace

OperatorGraph DrawWeights(OperatorGraph graph, std::uint64_t seed) {
  return WeightDrawer(std::move(graph), seed).Draw();
}

}  // namespace fairlead
