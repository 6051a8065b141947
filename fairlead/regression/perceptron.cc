#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/regression/learners.h"

namespace fairlead {
namespace {

// Sums in groups of eight that stay in registers.
void Forward(const Perceptron::Layer& layer, const float* in, float* out, bool last) {
  constexpr std::size_t kGroup = 8;
  if (last) {
    float sum = layer.biases[0];
    for (std::size_t i = 0; i < layer.inputs; ++i) sum += layer.weights[i] * in[i];
    out[0] = sum;
    return;
  }
  for (std::size_t begin = 0; begin < layer.outputs; begin += kGroup) {
    std::array<float, kGroup> sums;
    std::copy_n(&layer.biases[begin], kGroup, sums.begin());
    const float* weights = &layer.weights[begin];
    for (std::size_t i = 0; i < layer.inputs; ++i, weights += layer.outputs) {
      for (std::size_t k = 0; k < kGroup; ++k) sums[k] += weights[k] * in[i];
    }
    for (std::size_t k = 0; k < kGroup; ++k) out[begin + k] = std::max(sums[k], 0.0F);
  }
}

}  // namespace

Perceptron::Perceptron(Scaling scaling, std::array<Layer, kLayers> layers)
    : scaling_(std::move(scaling)), layers_(std::move(layers)) {
  CHECK(scaling_.width() == layers_[0].inputs && layers_[2].outputs == 1);
  for (const Layer& layer : layers_) CHECK(layer.inputs <= kWidest);
}

float Perceptron::Predict(std::span<const float> input) const {
  std::array<float, kWidest> scaled;
  std::array<float, kWidest> first;
  std::array<float, kWidest> second;
  float out = 0;
  scaling_.Apply(input, scaled);
  Forward(layers_[0], scaled.data(), first.data(), false);
  Forward(layers_[1], first.data(), second.data(), false);
  Forward(layers_[2], second.data(), &out, true);
  return out;
}

void Perceptron::Write(std::string& text) const {
  scaling_.Write(text);
  for (const Layer& layer : layers_) {
    WriteNumbers(text, "weights", layer.weights);
    WriteNumbers(text, "biases", layer.biases);
  }
}

Result<std::unique_ptr<Regressor>> Perceptron::Read(std::size_t width, std::string_view text) {
  NumberReader reader(text);
  ASSIGN_OR_RETURN(Scaling scaling, Scaling::Read(width, reader));
  std::array<Layer, kLayers> layers;
  std::size_t inputs = width;
  for (std::size_t l = 0; l < kLayers; ++l) {
    ASSIGN_OR_RETURN(layers[l].weights, reader.Numbers("weights"));
    ASSIGN_OR_RETURN(layers[l].biases, reader.Numbers("biases"));
    layers[l].inputs = inputs;
    layers[l].outputs = layers[l].biases.size();
    const bool last = l + 1 == kLayers;
    if (inputs > kWidest || layers[l].weights.size() != inputs * layers[l].outputs ||
        (last ? layers[l].outputs != 1 : layers[l].outputs == 0 || layers[l].outputs % 8 != 0))
      return Fail("layer {} has {} weights and {} biases for {} inputs", l,
                  layers[l].weights.size(), layers[l].biases.size(), inputs);
    inputs = layers[l].outputs;
  }
  RETURN_IF_ERROR(reader.End());
  return std::unique_ptr<Regressor>(
      std::make_unique<Perceptron>(std::move(scaling), std::move(layers)));
}

// How perceptrons learn.

namespace {

constexpr std::size_t kHidden = 64;
constexpr std::size_t kBatch = 32;
constexpr int kEpochs = 40;
constexpr float kFirstStep = 2e-3F;
constexpr float kDecay = 1e-2F;        // of weights, by each step's share
constexpr float kBendOfError = 0.05F;  // errors beyond pull less than in proportion
constexpr float kOfTargets = 10;       // targets are brought to about 1

// One layer while it learns: its weights with their gradients and Adam's two averages, and what
// went through it for each row of a batch.
struct LearningLayer {
  Perceptron::Layer dense;
  std::vector<float> gradient;  // weights, then biases
  std::vector<float> first;
  std::vector<float> second;
  std::vector<float> out;    // row by row
  std::vector<float> error;  // at the outputs

  LearningLayer(std::size_t inputs, std::size_t outputs, RandomStream& random)
      : dense{inputs, outputs, {}, std::vector<float>(outputs, 0)} {
    const double deviation = std::sqrt(2.0 / static_cast<double>(inputs));
    for (std::size_t i = 0; i < inputs * outputs; ++i)
      dense.weights.push_back(static_cast<float>(deviation * random.Normal()));
    gradient.resize(dense.weights.size() + outputs);
    first.resize(gradient.size());
    second.resize(gradient.size());
    out.resize(kBatch * outputs);
    error.resize(kBatch * outputs);
  }

  void Forward(const float* in, std::size_t rows, bool last) {
    const std::size_t width = dense.outputs;
    for (std::size_t r = 0; r < rows; ++r) {
      float* to = &out[r * width];
      std::ranges::copy(dense.biases, to);
      for (std::size_t i = 0; i < dense.inputs; ++i) {
        const float value = in[r * dense.inputs + i];
        if (value == 0) continue;
        const float* weights = &dense.weights[i * width];
        for (std::size_t o = 0; o < width; ++o) to[o] += weights[o] * value;
      }
      if (last) continue;
      for (std::size_t o = 0; o < width; ++o) to[o] = std::max(to[o], 0.0F);
    }
  }

  // Adds to the gradient, and hands the error at the inputs on, where somebody wants it.
  void Backward(const float* in, std::size_t rows, float* error_in) {
    const std::size_t width = dense.outputs;
    float* biases = &gradient[dense.weights.size()];
    for (std::size_t r = 0; r < rows; ++r) {
      const float* from = &error[r * width];
      for (std::size_t o = 0; o < width; ++o) biases[o] += from[o];
      for (std::size_t i = 0; i < dense.inputs; ++i) {
        const float value = in[r * dense.inputs + i];
        if (value == 0) {
          if (error_in != nullptr) error_in[r * dense.inputs + i] = 0;
          continue;
        }
        float* weights = &gradient[i * width];
        for (std::size_t o = 0; o < width; ++o) weights[o] += from[o] * value;
        if (error_in == nullptr) continue;
        float sum = 0;
        for (std::size_t o = 0; o < width; ++o) sum += dense.weights[i * width + o] * from[o];
        error_in[r * dense.inputs + i] = sum;
      }
    }
  }

  void Step(float step, float bias_1, float bias_2) {
    const std::size_t count = dense.weights.size();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      first[i] = 0.9F * first[i] + 0.1F * gradient[i];
      second[i] = 0.999F * second[i] + 0.001F * gradient[i] * gradient[i];
      const float change = first[i] / bias_1 / (std::sqrt(second[i] / bias_2) + 1e-8F);
      float& value = i < count ? dense.weights[i] : dense.biases[i - count];
      value -= step * (change + (i < count ? kDecay * value : 0));
      gradient[i] = 0;
    }
  }
};

class Training {
 public:
  Training(const Examples& examples, const FitOptions& options)
      : examples_(examples),
        options_(options),
        scaling_(examples),
        random_(options.seed, "perceptron"),
        layers_{LearningLayer(examples.width, kHidden, random_),
                LearningLayer(kHidden, kHidden, random_), LearningLayer(kHidden, 1, random_)},
        scaled_(examples.inputs.size()) {
    for (std::size_t row = 0; row < examples.size(); ++row)
      scaling_.Apply(examples.Row(row), std::span(scaled_).subspan(row * examples.width));
  }

  std::unique_ptr<Regressor> Run() {
    std::vector<std::size_t> order(examples_.size());
    std::iota(order.begin(), order.end(), 0);
    const double steps =
        kEpochs * std::ceil(static_cast<double>(order.size()) / static_cast<double>(kBatch));
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random_.Below(i)]);
      for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
        const double done = steps_ / steps;
        Learn(std::span(order).subspan(begin, std::min(kBatch, order.size() - begin)),
              kFirstStep * static_cast<float>(0.5 * (1 + std::cos(std::numbers::pi * done))));
      }
      options_.progress(static_cast<double>(epoch + 1) / kEpochs);
    }
    for (float& weight : layers_[2].dense.weights) weight /= kOfTargets;
    for (float& bias : layers_[2].dense.biases) bias /= kOfTargets;
    return std::make_unique<Perceptron>(
        scaling_, std::array{layers_[0].dense, layers_[1].dense, layers_[2].dense});
  }

 private:
  void Learn(std::span<const std::size_t> rows, float step) {
    batch_.clear();
    for (const std::size_t row : rows) {
      const auto begin = scaled_.begin() + static_cast<std::ptrdiff_t>(row * examples_.width);
      batch_.insert(batch_.end(), begin, begin + static_cast<std::ptrdiff_t>(examples_.width));
    }
    layers_[0].Forward(batch_.data(), rows.size(), false);
    layers_[1].Forward(layers_[0].out.data(), rows.size(), false);
    layers_[2].Forward(layers_[1].out.data(), rows.size(), true);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float error = layers_[2].out[r] - kOfTargets * examples_.targets[rows[r]];
      const float bent = error / (kOfTargets * kBendOfError);
      layers_[2].error[r] = error / std::sqrt(1 + bent * bent) / static_cast<float>(rows.size());
    }
    layers_[2].Backward(layers_[1].out.data(), rows.size(), layers_[1].error.data());
    layers_[1].Backward(layers_[0].out.data(), rows.size(), layers_[0].error.data());
    layers_[0].Backward(batch_.data(), rows.size(), nullptr);
    ++steps_;
    const auto bias_1 = static_cast<float>(1 - std::pow(0.9, steps_));
    const auto bias_2 = static_cast<float>(1 - std::pow(0.999, steps_));
    for (LearningLayer& layer : layers_) layer.Step(step, bias_1, bias_2);
  }

  const Examples& examples_;
  const FitOptions& options_;
  Scaling scaling_;
  RandomStream random_;
  std::array<LearningLayer, Perceptron::kLayers> layers_;
  std::vector<float> scaled_;
  std::vector<float> batch_;
  double steps_ = 0;
};

}  // namespace

std::unique_ptr<Regressor> FitPerceptron(const Examples& examples, const FitOptions& options) {
  return Training(examples, options).Run();
}

}  // namespace fairlead
