#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <utility>

#include "fairlead/neural/gru.h"

namespace fairlead {
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
