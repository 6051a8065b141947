#include "fairlead/neural/dense_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 4> kActivations = {"none", "tanh", "relu", "softmax"};
constexpr int kMostUnits = 65'536;  // of a layer
constexpr int kMostLayers = 64;

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  Result<std::string_view> Next() {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t begin = text_.find_first_not_of(kBlank, at_);
    if (begin == std::string_view::npos) return Fail("the network ends too early");
    at_ = std::min(text_.find_first_of(kBlank, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  Status Expect(std::string_view word) {
    ASSIGN_OR_RETURN(const std::string_view found, Next());
    if (found != word) return Fail("'{}' in a network, where '{}' was expected", found, word);
    return {};
  }
  template <typename Number>
  Result<Number> Read(Number low, Number high) {
    ASSIGN_OR_RETURN(const std::string_view word, Next());
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= low) ||
        !(value <= high))
      return Fail("'{}' in a network is no number from {} to {}", word, low, high);
    return value;
  }
  bool AtEnd() const { return text_.find_first_not_of(" \t\r\n", at_) == std::string_view::npos; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<std::vector<double>> ReadNumbers(Words& words, std::size_t count) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const double number, words.Read<double>(-1e300, 1e300));
    numbers.push_back(number);
  }
  return numbers;
}

Result<DenseLayer> ReadLayer(Words& words) {
  RETURN_IF_ERROR(words.Expect("dense"));
  DenseLayer layer;
  ASSIGN_OR_RETURN(layer.inputs, words.Read<int>(1, kMostUnits));
  ASSIGN_OR_RETURN(layer.outputs, words.Read<int>(1, kMostUnits));
  ASSIGN_OR_RETURN(const std::string_view word, words.Next());
  const auto known = std::ranges::find(kActivations, word);
  if (known == kActivations.end()) return Fail("'{}' is no activation of a network", word);
  layer.activation = static_cast<NeuronActivation>(known - kActivations.begin());
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  ASSIGN_OR_RETURN(layer.biases, ReadNumbers(words, outputs));
  ASSIGN_OR_RETURN(layer.weights,
                   ReadNumbers(words, outputs * static_cast<std::size_t>(layer.inputs)));
  return layer;
}

void Activate(NeuronActivation activation, std::vector<double>& values) {
  switch (activation) {
    case NeuronActivation::kNone: return;
    case NeuronActivation::kTanh:
      for (double& value : values) value = std::tanh(value);
      return;
    case NeuronActivation::kRelu:
      for (double& value : values) value = std::max(value, 0.0);
      return;
    case NeuronActivation::kSoftmax: {
      const double most = *std::ranges::max_element(values);
      double sum = 0;
      for (double& value : values) sum += value = std::exp(value - most);
      for (double& value : values) value /= sum;
    }
  }
}

}  // namespace

Status CheckNetwork(const DenseNetwork& network) {
  if (network.layers.empty()) return Fail("network '{}' has no layers", network.name);
  int before = network.layers.front().inputs;
  for (const DenseLayer& layer : network.layers) {
    if (layer.inputs != before || layer.outputs < 1)
      return Fail("network '{}': a layer of {} inputs behind {} outputs", network.name,
                  layer.inputs, before);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    if (layer.biases.size() != outputs ||
        layer.weights.size() != outputs * static_cast<std::size_t>(layer.inputs))
      return Fail("network '{}': a layer with {} biases and {} weights", network.name,
                  layer.biases.size(), layer.weights.size());
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(layer.biases, finite) || !std::ranges::all_of(layer.weights, finite))
      return Fail("network '{}' has a weight that is no number", network.name);
    before = layer.outputs;
  }
  return {};
}

void RunNetwork(const DenseNetwork& network, std::span<const double> inputs,
                std::vector<std::vector<double>>& values) {
  values.resize(network.layers.size());
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const DenseLayer& layer = network.layers[l];
    values[l].assign(layer.biases.begin(), layer.biases.end());
    const double* weight = layer.weights.data();
    for (double& value : values[l]) {
      for (const double input : inputs) value += *weight++ * input;
    }
    Activate(layer.activation, values[l]);
    inputs = values[l];
  }
}

Result<DenseNetwork> ParseNetwork(std::string_view text, std::string_view name, int version) {
  Words words(text);
  RETURN_IF_ERROR(words.Expect("fairlead-network"));
  RETURN_IF_ERROR(words.Expect("1"));
  DenseNetwork network;
  ASSIGN_OR_RETURN(network.name, words.Next());
  ASSIGN_OR_RETURN(network.version, words.Read<int>(0, 1'000'000));
  if (network.name != name || network.version != version)
    return Fail("a network '{}' of version {}, where '{}' of version {} was expected", network.name,
                network.version, name, version);
  ASSIGN_OR_RETURN(const int layers, words.Read<int>(1, kMostLayers));
  for (int l = 0; l < layers; ++l) {
    ASSIGN_OR_RETURN(DenseLayer layer, ReadLayer(words));
    network.layers.push_back(std::move(layer));
  }
  if (!words.AtEnd()) return Fail("something stands behind the network '{}'", network.name);
  RETURN_IF_ERROR(CheckNetwork(network));
  return network;
}

std::string FormatNetwork(const DenseNetwork& network) {
  std::string text = fmt::format("fairlead-network 1 {} {} {}\n", network.name, network.version,
                                 network.layers.size());
  for (const DenseLayer& layer : network.layers) {
    text += fmt::format("dense {} {} {}\n", layer.inputs, layer.outputs,
                        kActivations[static_cast<std::size_t>(layer.activation)]);
    for (std::size_t i = 0; i < layer.biases.size(); ++i)
      text += fmt::format("{}{}", layer.biases[i], i + 1 == layer.biases.size() ? "\n" : " ");
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    for (std::size_t i = 0; i < layer.weights.size(); ++i)
      text += fmt::format("{}{}", layer.weights[i], (i + 1) % inputs == 0 ? "\n" : " ");
  }
  return text;
}

}  // namespace fairlead
