#include "fairlead/interference/slowdown_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"

namespace fairlead {

namespace {

constexpr std::size_t kAboutAll = 15;
constexpr float kNothing = -20;  // the logarithm of what is not there

float Log(double value) { return static_cast<float>(std::log(std::max(value, 2e-9))); }

}  // namespace

Occupant::Occupant(const OccupantSizes& s) {
  const double bytes = s.in_bytes + s.weight_bytes + s.out_bytes;
  as_measured = {Log(s.us),
                 Log(s.macs),
                 Log(s.in_bytes),
                 Log(s.weight_bytes),
                 Log(s.out_bytes),
                 Log(bytes / s.us),
                 Log(s.macs / s.us),
                 Log(s.macs / std::max(bytes, 1.0)),
                 Log(s.least_us / s.us),
                 static_cast<float>(s.convolution),
                 static_cast<float>(s.weight_bytes / std::max(bytes, 1.0))};
  as_neighbour = {Log(bytes / s.us),
                  Log(s.weight_bytes),
                  Log(s.in_bytes),
                  Log(s.out_bytes),
                  Log(s.macs / s.us),
                  Log(s.us),
                  static_cast<float>(s.convolution)};
  const auto part = [](double value) { return static_cast<float>(value); };
  sums = {part(bytes),
          part(s.weight_bytes),
          part(s.in_bytes),
          part(s.out_bytes),
          part(bytes / s.us),
          part(s.weight_bytes / s.us),
          part(s.in_bytes / s.us),
          part(s.out_bytes / s.us),
          part(s.macs / s.us)};
}

std::size_t LayerInputs(std::size_t partitions) {
  return 1 + Occupant::kAsMeasured + partitions * Occupant::kAsNeighbour + kAboutAll;
}

void FillLayerInputs(std::span<const Occupant* const> occupants, std::size_t partition,
                     std::span<float> inputs) {
  CHECK(inputs.size() == LayerInputs(occupants.size()) && occupants[partition] != nullptr);
  const Occupant& measured = *occupants[partition];
  float* next = inputs.data();
  *next++ = static_cast<float>(partition);
  next = std::ranges::copy(measured.as_measured, next).out;
  Occupant::Sums all;
  float number = 0;
  float largest_rate = 0;
  float largest = 0;
  float largest_weights = 0;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) {
      next = std::fill_n(next, Occupant::kAsNeighbour, kNothing);
      continue;
    }
    const Occupant& other = *occupants[p];
    next = std::ranges::copy(other.as_neighbour, next).out;
    ++number;
    all.bytes += other.sums.bytes;
    all.weights += other.sums.weights;
    all.in += other.sums.in;
    all.out += other.sums.out;
    all.byte_rate += other.sums.byte_rate;
    all.weight_rate += other.sums.weight_rate;
    all.in_rate += other.sums.in_rate;
    all.out_rate += other.sums.out_rate;
    all.mac_rate += other.sums.mac_rate;
    largest_rate = std::max(largest_rate, other.sums.byte_rate);
    largest = std::max(largest, other.sums.bytes);
    largest_weights = std::max(largest_weights, other.sums.weights);
  }
  *next++ = number;
  for (const float value :
       {all.byte_rate, all.weights, all.bytes, all.mac_rate, largest_rate, all.out, all.in,
        all.bytes + measured.sums.bytes, all.byte_rate + measured.sums.byte_rate, all.weight_rate,
        all.out_rate, all.in_rate, largest, largest_weights})
    *next++ = std::log(std::max(value, 2e-9F));
}

namespace {

constexpr std::size_t kMostPartitions = 32;
constexpr std::size_t kMostInputs = 256;
constexpr float kAbsent = -20;
constexpr std::size_t kAboutOne = 7;
constexpr std::size_t kAboutOther = 3;
constexpr std::size_t kAboutSums = 3;

float LogOf(double value) { return static_cast<float>(std::log(std::max(value, 2e-9))); }

// Layers weigh as much as they take of the time.
OccupantSizes MeanOf(std::span<const OccupantSizes> layers) {
  OccupantSizes mean{.us = 0, .least_us = 0, .convolution = 0};
  double us = 0;
  for (const OccupantSizes& layer : layers) us += layer.us;
  for (const OccupantSizes& layer : layers) {
    const auto number = static_cast<double>(layers.size());
    mean.us += layer.us / number;
    mean.least_us += layer.least_us / number;
    mean.macs += layer.macs / number;
    mean.in_bytes += layer.in_bytes / number;
    mean.weight_bytes += layer.weight_bytes / number;
    mean.out_bytes += layer.out_bytes / number;
    mean.convolution += layer.convolution * layer.us / us;
  }
  return mean;
}

// All who run slow each other by the same factor where they want more than there is.
double Shared(double bandwidth, double bytes_per_us) {
  return std::max(1.0, bytes_per_us * 1e6 / bandwidth);
}

}  // namespace

LayerSequence::LayerSequence(std::span<const OccupantSizes> all, double us, double weight_bytes)
    : mean(MeanOf(all)),
      log_us(LogOf(us)),
      log_weights(LogOf(weight_bytes)),
      weights(static_cast<float>(weight_bytes)),
      layers_share(0) {
  double sum = 0;
  for (const OccupantSizes& layer : all) sum += layer.us;
  for (const OccupantSizes& layer : all) {
    layers.emplace_back(layer);
    shares.push_back(static_cast<float>(layer.us / sum));
  }
  layers_share = static_cast<float>(sum / us);
}

LayerSequence KnownNetwork::On(std::size_t partition) const {
  double weights = 0;
  for (const OccupantSizes& layer : layers[partition]) weights += layer.weight_bytes;
  return {layers[partition], us[partition], weights};
}

Result<std::optional<SlowdownModel>> SlowdownModel::Parse(std::string_view text) {
  if (text == "none") return std::optional(None());
  constexpr std::string_view kConstant = "constant:";
  if (text.starts_with(kConstant)) {
    ASSIGN_OR_RETURN(const double factor, ParseNumber(text.substr(kConstant.size())));
    if (factor < 1 || factor > 1000) return Fail("'{}': expected a factor from 1 to 1000", text);
    return std::optional(Constant(factor));
  }
  constexpr std::string_view kShared = "shared-bandwidth:";
  if (text.starts_with(kShared)) {
    ASSIGN_OR_RETURN(const std::int64_t bandwidth, ParseBandwidth(text.substr(kShared.size())));
    return std::optional(SharedBandwidth(static_cast<double>(bandwidth)));
  }
  return std::optional<SlowdownModel>();
}

double SlowdownModel::OfLayer(std::span<const Occupant* const> occupants,
                              std::size_t partition) const {
  const auto busy =
      std::ranges::count_if(occupants, [](const auto* one) { return one != nullptr; });
  switch (kind_) {
    case Kind::kNone: return 1;
    case Kind::kConstant: return busy > 1 ? number_ : 1;
    case Kind::kSharedBandwidth: {
      double rate = 0;
      for (const Occupant* occupant : occupants)
        if (occupant != nullptr) rate += double{occupant->sums.byte_rate};
      return Shared(number_, rate);
    }
    case Kind::kLearned: break;
  }
  CHECK(occupants.size() == partitions_);
  if (busy == 1 || of_layers_.regressor == nullptr) return 1;
  std::array<float, kMostInputs> inputs;
  const std::span<float> used = std::span(inputs).first(LayerInputs(partitions_));
  FillLayerInputs(occupants, partition, used);
  return std::exp(of_layers_.regressor->Predict(used));
}

std::size_t NetworkInputs(std::size_t partitions) {
  return kAboutOne + partitions * kAboutOther + kAboutSums;
}

void FillNetworkInputs(std::span<const LayerSequence* const> occupants, std::size_t partition,
                       double integrated, std::span<float> inputs) {
  const LayerSequence& own = *occupants[partition];
  float* next = inputs.data();
  float busy = 0;
  float rates = 0;
  float weights = 0;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) continue;
    ++busy;
    rates += occupants[p]->mean.sums.byte_rate;
    weights += occupants[p]->weights;
  }
  for (const float value : {static_cast<float>(partition), LogOf(integrated), own.log_us,
                            own.log_weights, own.mean.as_neighbour[0], own.layers_share, busy})
    *next++ = value;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (p == partition || occupants[p] == nullptr) {
      next = std::fill_n(next, kAboutOther, kAbsent);
      continue;
    }
    *next++ = occupants[p]->mean.as_neighbour[0];
    *next++ = occupants[p]->log_weights;
    *next++ = occupants[p]->log_us;
  }
  *next++ = LogOf(rates);
  *next++ = LogOf(weights);
  *next++ = LogOf(weights + own.weights);
}

double SlowdownModel::OfSequence(std::span<const LayerSequence* const> occupants,
                                 std::size_t partition, Correction correction) const {
  CHECK(occupants.size() <= kMostPartitions && occupants[partition] != nullptr);
  std::array<const Occupant*, kMostPartitions> others{};
  const std::span<const Occupant*> used = std::span(others).first(occupants.size());
  bool alone = true;
  for (std::size_t p = 0; p < occupants.size(); ++p) {
    if (occupants[p] == nullptr) continue;
    used[p] = &occupants[p]->mean;
    alone = alone && p == partition;
  }
  if (kind_ != Kind::kLearned) return OfLayer(used, partition);
  if (alone) return 1;
  const LayerSequence& own = *occupants[partition];
  double integrated = 0;
  if (of_layers_.regressor == nullptr) {
    integrated = 1;
  } else {
    for (std::size_t i = 0; i < own.layers.size(); ++i) {
      used[partition] = &own.layers[i];
      integrated += double{own.shares[i]} * OfLayer(used, partition);
    }
  }
  if (correction == Correction::kNone || of_networks_.regressor == nullptr) return integrated;
  std::array<float, kMostInputs> inputs;
  const std::span<float> about = std::span(inputs).first(NetworkInputs(partitions_));
  FillNetworkInputs(occupants, partition, integrated, about);
  return std::exp(of_networks_.regressor->Predict(about));
}

// Learned slowdown models as files:
//
//   fairlead slowdown 1
//   partitions 4
//   layers boosting 120 34567      (learner, numbers in, bytes of text that follow)
//   ...
//   networks boosting 30 4567
//   ...
//   known 2 50 100 60 60 squeezenet (layers, µs on each partition, name)
//   1e6 1000 500 250 1 10 20 12 12  (of a layer: operations; bytes in, of weights, out; whether it
//   ...                             is a convolution; µs on each partition)

namespace {

constexpr std::string_view kFirstLine = "fairlead slowdown 1";
constexpr std::size_t kMostPartitionsInFile = 32;
constexpr std::size_t kMostKnownLayers = 100'000;

void WritePart(std::string& text, std::string_view what, std::size_t width,
               const LearnedPart& part) {
  if (part.regressor == nullptr) return;
  std::string numbers;
  part.regressor->Write(numbers);
  text += fmt::format("{} {} {} {}\n{}", what, part.learner, width, numbers.size(), numbers);
}

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view TakeWord(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

Result<std::size_t> TakeNumber(std::string_view& line, std::string_view what) {
  const std::string_view word = TakeWord(line);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    return Fail("'{}' where the number of {} was expected", word, what);
  return std::size_t{number};
}

void WriteKnown(std::string& text, const KnownNetwork& network) {
  const auto& layers = network.layers;
  text += fmt::format("known {} {} {}\n", layers.front().size(), fmt::join(network.us, " "),
                      network.name);
  for (std::size_t i = 0; i < layers.front().size(); ++i) {
    const OccupantSizes& layer = layers.front()[i];
    text += fmt::format("{} {} {} {} {}", layer.macs, layer.in_bytes, layer.weight_bytes,
                        layer.out_bytes, layer.convolution);
    for (const auto& on_partition : layers) text += fmt::format(" {}", on_partition[i].us);
    text += '\n';
  }
}

Result<double> TakeReal(std::string_view& line, double least) {
  const std::string_view word = TakeWord(line);
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || !(number >= least) ||
      !std::isfinite(number))
    return Fail("'{}' where a number of at least {} was expected", word, least);
  return number;
}

Result<std::vector<double>> TakeReals(std::string_view& line, std::size_t count, double least) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const double number, TakeReal(line, least));
    numbers.push_back(number);
  }
  return numbers;
}

Result<KnownNetwork> ReadKnown(std::string_view head, std::size_t partitions,
                               std::string_view& text) {
  constexpr double kLeastUs = 1e-6;
  KnownNetwork network;
  ASSIGN_OR_RETURN(const std::size_t layers, TakeNumber(head, "layers"));
  if (layers < 1 || layers > kMostKnownLayers)
    return Fail("{} layers; expected 1 to {}", layers, kMostKnownLayers);
  ASSIGN_OR_RETURN(network.us, TakeReals(head, partitions, kLeastUs));
  network.name = head;
  network.layers.resize(partitions);
  for (std::size_t i = 0; i < layers; ++i) {
    std::string_view line = TakeLine(text);
    ASSIGN_OR_RETURN(const auto sizes, TakeReals(line, 5, 0));
    ASSIGN_OR_RETURN(const auto us, TakeReals(line, partitions, kLeastUs));
    for (std::size_t p = 0; p < partitions; ++p) {
      network.layers[p].push_back({.us = us[p],
                                   .least_us = std::ranges::min(us),
                                   .macs = sizes[0],
                                   .in_bytes = sizes[1],
                                   .weight_bytes = sizes[2],
                                   .out_bytes = sizes[3],
                                   .convolution = sizes[4]});
    }
  }
  return network;
}

Result<LearnedPart> ReadPart(std::string_view head, std::size_t width, std::string_view& text) {
  LearnedPart part;
  part.learner = TakeWord(head);
  ASSIGN_OR_RETURN(const Learner* learner, FindLearner(part.learner));
  ASSIGN_OR_RETURN(const std::size_t inputs, TakeNumber(head, "inputs"));
  ASSIGN_OR_RETURN(const std::size_t bytes, TakeNumber(head, "bytes"));
  if (inputs != width) return Fail("{} inputs; this version makes {}", inputs, width);
  if (bytes > text.size()) return Fail("the file ends too early");
  ASSIGN_OR_RETURN(part.regressor, learner->read(width, text.substr(0, bytes)));
  text.remove_prefix(bytes);
  return part;
}

Result<SlowdownModel> ReadModel(std::string_view text) {
  const std::string_view first = TakeLine(text);
  if (first != kFirstLine)
    return Fail("the first line is not '{}': no slowdown model, or of another version", kFirstLine);
  std::string_view line = TakeLine(text);
  if (TakeWord(line) != "partitions") return Fail("the second line does not name partitions");
  ASSIGN_OR_RETURN(const std::size_t partitions, TakeNumber(line, "partitions"));
  if (partitions < 1 || partitions > kMostPartitionsInFile)
    return Fail("{} partitions; expected 1 to {}", partitions, kMostPartitionsInFile);
  SlowdownModel model = SlowdownModel::Learned(partitions);
  std::vector<KnownNetwork> known;
  while (!text.empty()) {
    line = TakeLine(text);
    const std::string_view what = TakeWord(line);
    if (what == "layers" && model.of_layers().regressor == nullptr) {
      ASSIGN_OR_RETURN(LearnedPart part, ReadPart(line, LayerInputs(partitions), text));
      model.SetLayers(std::move(part));
    } else if (what == "networks" && model.of_networks().regressor == nullptr) {
      ASSIGN_OR_RETURN(LearnedPart part, ReadPart(line, NetworkInputs(partitions), text));
      model.SetNetworks(std::move(part));
    } else if (what == "known") {
      ASSIGN_OR_RETURN(KnownNetwork network, ReadKnown(line, partitions, text));
      known.push_back(std::move(network));
    } else {
      return Fail("'{}' where layers, networks or what is known of one was expected", what);
    }
  }
  model.SetKnown(std::move(known));
  return model;
}

}  // namespace

std::string SlowdownModel::Write() const {
  std::string text = fmt::format("{}\npartitions {}\n", kFirstLine, partitions_);
  WritePart(text, "layers", LayerInputs(partitions_), of_layers_);
  WritePart(text, "networks", NetworkInputs(partitions_), of_networks_);
  for (const KnownNetwork& network : known_) WriteKnown(text, network);
  return text;
}

Result<SlowdownModel> SlowdownModel::Read(const std::string& file, std::string_view text) {
  auto model = ReadModel(text);
  if (!model.has_value()) return Fail("{}: {}", file, model.error().message);
  return model;
}

}  // namespace fairlead
