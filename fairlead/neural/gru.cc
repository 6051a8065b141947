#include "fairlead/neural/gru.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/neural/gru_kernel.h"

namespace fairlead {
namespace {

constexpr std::size_t kGates = 3;

std::size_t RoundUp(std::size_t number, std::size_t to) { return (number + to - 1) / to * to; }

}  // namespace

Status CheckGru(const GruNetwork& network) {
  if (network.inputs < 1 || network.hidden < 1 || network.outputs < 1)
    return Fail("network '{}' has {} inputs, {} hidden units and {} outputs", network.name,
                network.inputs, network.hidden, network.outputs);
  const auto inputs = static_cast<std::size_t>(network.inputs);
  const auto hidden = static_cast<std::size_t>(network.hidden);
  const auto outputs = static_cast<std::size_t>(network.outputs);
  if (network.input_weights.size() != kGates * hidden * inputs ||
      network.hidden_weights.size() != kGates * hidden * hidden ||
      network.input_biases.size() != kGates * hidden ||
      network.hidden_biases.size() != kGates * hidden ||
      network.head_weights.size() != outputs * hidden || network.head_biases.size() != outputs)
    return Fail(
        "network '{}': its weights are not as many as {} inputs, {} hidden units and {} "
        "outputs need",
        network.name, inputs, hidden, outputs);
  for (const auto* numbers :
       {&network.input_weights, &network.hidden_weights, &network.input_biases,
        &network.hidden_biases, &network.head_weights, &network.head_biases}) {
    if (!std::ranges::all_of(*numbers, [](float number) { return std::isfinite(number); }))
      return Fail("network '{}' has a weight that is no number", network.name);
  }
  return {};
}

// `groups` matrices that stand one behind the other, each padded to whole blocks of `block`.
GruRunner::Matrix GruRunner::Arrange(std::span<const float> weights, std::span<const float> biases,
                                     const Shape& shape) {
  const std::size_t outputs = biases.size() / shape.groups;
  const std::size_t padded = RoundUp(outputs, shape.block);
  Matrix matrix{.inputs = shape.inputs,
                .outputs = shape.groups * padded,
                .weights = std::vector<float>(shape.groups * padded * shape.inputs),
                .biases = std::vector<float>(shape.groups * padded)};
  for (std::size_t o = 0; o < biases.size(); ++o) {
    const std::size_t at = o / outputs * padded + o % outputs;
    matrix.biases[at] = biases[o];
    float* const block = &matrix.weights[at / shape.block * shape.block * shape.inputs];
    for (std::size_t i = 0; i < shape.inputs; ++i)
      block[i * shape.block + at % shape.block] = weights[o * shape.inputs + i];
  }
  return matrix;
}

GruRunner::GruRunner(const GruNetwork& network, VectorCode code)
    : code_(code),
      inputs_(static_cast<std::size_t>(network.inputs)),
      outputs_(static_cast<std::size_t>(network.outputs)),
      hidden_(static_cast<std::size_t>(network.hidden)),
      padded_(RoundUp(hidden_, kGruBlock)),
      input_(Arrange(network.input_weights, network.input_biases, {inputs_, kGates, kGruBlock})),
      recurrent_(
          Arrange(network.hidden_weights, network.hidden_biases, {hidden_, kGates, kGruBlock})),
      head_(Arrange(network.head_weights, network.head_biases, {hidden_, 1, kGruLanes})),
      scratch_(3 * kGates * padded_ + padded_ + head_.outputs) {
  CHECK(CanRun(code));
}

void GruRunner::Run(std::span<const float> shared, std::span<const float> rows, std::size_t steps,
                    std::span<float> outputs) {
  CHECK(shared.size() <= inputs_ && rows.size() == steps * (inputs_ - shared.size()) &&
        outputs.size() == steps * outputs_);
  float* const scratch = scratch_.data();
  const std::size_t gates = kGates * padded_;
  RunGru({.input = {input_.weights.data(), input_.inputs, input_.outputs},
          .input_biases = input_.biases.data(),
          .shared = shared.data(),
          .shared_inputs = shared.size(),
          .rows = rows.data(),
          .steps = steps,
          .recurrent = {recurrent_.weights.data(), recurrent_.inputs, recurrent_.outputs},
          .recurrent_biases = recurrent_.biases.data(),
          .head = {head_.weights.data(), head_.inputs, head_.outputs},
          .head_biases = head_.biases.data(),
          .outputs = outputs_,
          .hidden = padded_,
          .shared_sums = scratch,
          .input_sums = scratch + gates,
          .gates = scratch + 2 * gates,
          .state = scratch + 3 * gates,
          .head_sums = scratch + 3 * gates + padded_,
          .answers = outputs.data()},
         code_);
}

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDigits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kMostGruUnits = 4096;
constexpr std::size_t kLineLength = 120;

class GruWords {
 public:
  explicit GruWords(std::string_view text) : text_(text) {}
  std::string_view Next() {
    const std::size_t begin = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
    at_ = std::min(text_.find_first_of(kBlanks, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  Result<int> Number(int low, int high) {
    const std::string_view word = Next();
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < low || value > high)
      return Fail("'{}' in a network is no number from {} to {}", word, low, high);
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// By character; -1: none.
constexpr std::array<std::int8_t, 256> kValues64 = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits64.size(); ++i)
    values[static_cast<unsigned char>(kDigits64[i])] = static_cast<std::int8_t>(i);
  return values;
}();

// All words from here on.
Result<std::vector<std::uint8_t>> DecodeBase64(GruWords& words, std::size_t bytes) {
  std::vector<std::uint8_t> decoded;
  decoded.reserve(bytes);
  std::uint32_t bits = 0;
  int held = 0;
  bool ended = false;
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    for (const char digit : word) {
      if (digit == '=') {
        ended = true;
        continue;
      }
      const int value = kValues64[static_cast<unsigned char>(digit)];
      if (value < 0 || ended) return Fail("the weights of a network are no base64");
      bits = bits << 6 | static_cast<std::uint32_t>(value);
      held += 6;
      if (held < 8) continue;
      held -= 8;
      if (decoded.size() == bytes) return Fail("a network has more weights than its size says");
      decoded.push_back(static_cast<std::uint8_t>(bits >> held & 0xFFU));
    }
  }
  if (decoded.size() != bytes)
    return Fail("the network ends too early: {} of {} bytes of weights", decoded.size(), bytes);
  return decoded;
}

void EncodeBase64(const std::vector<std::uint8_t>& bytes, std::string& text) {
  std::size_t column = 0;
  const auto put = [&](char digit) {
    text += digit;
    if (++column % kLineLength == 0) text += '\n';
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t bits = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (left > 1) bits |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (left > 2) bits |= bytes[i + 2];
    put(kDigits64[bits >> 18]);
    put(kDigits64[bits >> 12 & 63U]);
    put(left > 1 ? kDigits64[bits >> 6 & 63U] : '=');
    put(left > 2 ? kDigits64[bits & 63U] : '=');
  }
  if (column % kLineLength != 0) text += '\n';
}

// All weights of a network in the order of the file.
template <typename Network>
auto ArraysOf(Network& network) {
  return std::array{&network.input_weights, &network.hidden_weights, &network.input_biases,
                    &network.hidden_biases, &network.head_weights,   &network.head_biases};
}

std::array<std::size_t, 6> SizesOf(const GruNetwork& network) {
  const auto inputs = static_cast<std::size_t>(network.inputs);
  const auto hidden = static_cast<std::size_t>(network.hidden);
  const auto outputs = static_cast<std::size_t>(network.outputs);
  return {3 * hidden * inputs, 3 * hidden * hidden, 3 * hidden,
          3 * hidden,          outputs * hidden,    outputs};
}

}  // namespace

Result<GruNetwork> ParseGru(std::string_view text, std::string_view name, int version) {
  GruWords words(text);
  if (words.Next() != "fairlead-gru" || words.Next() != "1")
    return Fail("this is no network: it does not begin with 'fairlead-gru 1'");
  GruNetwork network;
  network.name = words.Next();
  ASSIGN_OR_RETURN(network.version, words.Number(0, 1'000'000));
  if (network.name != name || network.version != version)
    return Fail(
        "a network for the encoder '{}' of version {}, where '{}' of version {} was expected",
        network.name, network.version, name, version);
  ASSIGN_OR_RETURN(network.inputs, words.Number(1, kMostGruUnits));
  ASSIGN_OR_RETURN(network.hidden, words.Number(1, kMostGruUnits));
  ASSIGN_OR_RETURN(network.outputs, words.Number(1, kMostGruUnits));
  const std::array<std::size_t, 6> sizes = SizesOf(network);
  std::size_t floats = 0;
  for (const std::size_t size : sizes) floats += size;
  // Who says that there are many has to have them: 16 digits are 12 bytes.
  if (text.size() < floats * 16 / 3) return Fail("the network ends too early");
  ASSIGN_OR_RETURN(const std::vector<std::uint8_t> bytes, DecodeBase64(words, 4 * floats));
  std::size_t at = 0;
  const auto arrays = ArraysOf(network);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    arrays[a]->resize(sizes[a]);
    for (float& number : *arrays[a]) {
      std::uint32_t bits = 0;
      for (int b = 0; b < 4; ++b) bits |= static_cast<std::uint32_t>(bytes[at++]) << (8 * b);
      number = std::bit_cast<float>(bits);
    }
  }
  RETURN_IF_ERROR(CheckGru(network));
  return network;
}

std::string FormatGru(const GruNetwork& network) {
  std::string text = fmt::format("fairlead-gru 1 {} {} {} {} {}\n", network.name, network.version,
                                 network.inputs, network.hidden, network.outputs);
  std::vector<std::uint8_t> bytes;
  for (const auto* array : ArraysOf(network)) {
    for (const float number : *array) {
      const auto bits = std::bit_cast<std::uint32_t>(number);
      for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
  EncodeBase64(bytes, text);
  return text;
}

}  // namespace fairlead
