#include "fairlead/execution/onednn/cpu_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/execution/onednn/load_limits.h"
#include "fairlead/execution/onednn/openmp_team.h"

namespace fairlead {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t Aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<const Recipe*> ChosenOf(const std::vector<RecipeList>& lists,
                                    const LayoutChoice& choice) {
  std::vector<const Recipe*> chosen;
  for (std::size_t i = 0; i < lists.size(); ++i) chosen.push_back(&(*lists[i])[choice[i]]);
  return chosen;
}

// The operator's own numbers that a recipe packs; null for constants.
const Weights* SourceOf(const GraphOperator& op, PackedWeights::Source source) {
  const bool first = source == PackedWeights::Source::kFirst;
  if (!first && source != PackedWeights::Source::kSecond) return nullptr;
  if (const auto* convolution = std::get_if<Convolution>(&op.body))
    return (first ? convolution->weights : convolution->bias).get();
  if (const auto* linear = std::get_if<Linear>(&op.body))
    return (first ? linear->weights : linear->bias).get();
  const auto& scale = std::get<ChannelScale>(op.body);
  return (first ? scale.scale : scale.shift).get();
}

}  // namespace

// ---- Loading -------------------------------------------------------------------------------

Result<std::unique_ptr<CpuNetwork>> CpuNetwork::Make(std::shared_ptr<const CpuContext> context,
                                                     const OperatorGraph& graph, std::size_t batch,
                                                     const LayerRecipes& recipes,
                                                     const LayoutChoice& choice) {
  try {
    std::unique_ptr<CpuNetwork> network(
        new CpuNetwork(std::move(context), graph, batch, recipes, choice));
    if (network->RunBytes() + network->weight_bytes_ > PhysicalMemory())
      return Fail("network '{}' needs {} MiB at batch {}, more than this machine has", graph.name,
                  (network->RunBytes() + network->weight_bytes_) >> 20, batch);
    network->PackWeights();
    return network;
  } catch (const dnnl::error& error) {
    return Fail("network '{}': oneDNN fails: {}", graph.name, error.what());
  } catch (const std::bad_alloc&) {
    return Fail("network '{}': not enough memory for batch {}", graph.name, batch);
  }
}

CpuNetwork::CpuNetwork(std::shared_ptr<const CpuContext> context, const OperatorGraph& graph,
                       std::size_t batch, const LayerRecipes& recipes, const LayoutChoice& choice)
    : context_(std::move(context)), graph_(graph), batch_(batch), lists_(recipes.lists) {
  const std::vector<const Recipe*> chosen = ChosenOf(lists_, choice);
  storage_ = PlanStorage(graph_, chosen, batch_);
  for (std::size_t layer = 0; layer <= chosen.size(); ++layer)
    live_.push_back(LiveTensorsOf(graph_, storage_, layer));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    layers_.push_back({CompiledRecipe(*chosen[i]), {}});
    scratch_bytes_ = std::max(scratch_bytes_, chosen[i]->ScratchBytes());
    for (const PackedWeights& packed : chosen[i]->weights)
      weight_bytes_ += Aligned(packed.to.get_size());
    CompileConversions(storage_.layers[i].before);
    CompileConversions(storage_.layers[i].after);
  }
}

void CpuNetwork::PackWeights() {
  weights_ = std::make_unique<MemoryBlock>(weight_bytes_);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    for (const PackedWeights& packed : layers_[i].compiled.recipe().weights) {
      float* const place = weights_->floats(offset);
      offset += Aligned(packed.to.get_size());
      layers_[i].weights.push_back(place);
      if (packed.source == PackedWeights::Source::kZeros) continue;  // the block is
      if (packed.source == PackedWeights::Source::kOnes) {
        std::fill_n(place, packed.to.get_size() / sizeof(float), 1.0F);
        continue;
      }
      const Weights* const source = SourceOf(graph_.operators[i], packed.source);
      CHECK(source->values.size() * sizeof(float) == packed.from.get_size());
      // oneDNN does not write to what it reads.
      dnnl::memory from(packed.from, context_->engine, const_cast<float*>(source->values.data()));
      dnnl::memory to(packed.to, context_->engine, place);
      LoosenTeam();
      dnnl::reorder(from, to).execute(context_->stream, from, to);
      RestoreTeam();
    }
  }
}

CpuNetwork::ConversionKey CpuNetwork::KeyOf(const Conversion& conversion) const {
  const TensorVersion& from = storage_.versions[conversion.from];
  const TensorVersion& to = storage_.versions[conversion.to];
  return {graph_.tensors[from.tensor].dims, from.layout, to.layout};
}

void CpuNetwork::CompileConversions(const std::vector<Conversion>& conversions) {
  for (const Conversion& conversion : conversions) {
    const ConversionKey key = KeyOf(conversion);
    if (conversions_.contains(key)) continue;
    const auto& [dims, from, to] = key;
    std::unique_ptr<Recipe>& recipe = conversion_recipes_[key];
    recipe = std::make_unique<Recipe>(ConversionRecipe(context_->engine, dims, batch_, from, to));
    conversions_.emplace(key, CompiledRecipe(*recipe));
    scratch_bytes_ = std::max(scratch_bytes_, recipe->ScratchBytes());
  }
}

const CompiledRecipe& CpuNetwork::CompiledConversion(const Conversion& conversion) const {
  return conversions_.at(KeyOf(conversion));
}

std::string CpuNetwork::Implementation(std::size_t layer) const {
  const PlacedLayer& placed = storage_.layers[layer];
  const Recipe& recipe = layers_[layer].compiled.recipe();
  std::string text = placed.nothing_to_do ? "nothing to do" : recipe.name;
  text += fmt::format(" {}", Name(recipe.leaves));
  for (const Conversion& conversion : placed.before)
    text += fmt::format(", reorders from {}", Name(storage_.versions[conversion.from].layout));
  return text;
}

std::int64_t CpuNetwork::TouchedBytes(std::size_t layer) const {
  const PlacedLayer& placed = storage_.layers[layer];
  const Recipe& recipe = layers_[layer].compiled.recipe();
  std::size_t bytes = 0;
  const auto touch = [&](VersionIndex version) { bytes += storage_.versions[version].bytes; };
  for (const auto* conversions : {&placed.before, &placed.after}) {
    for (const Conversion& conversion : *conversions) {
      touch(conversion.from);
      touch(conversion.to);
    }
  }
  if (!placed.nothing_to_do) {
    for (const VersionIndex read : placed.reads) touch(read);
    touch(placed.output);
    for (const PackedWeights& packed : recipe.weights) bytes += packed.to.get_size();
    bytes += recipe.ScratchBytes();
  }
  return static_cast<std::int64_t>(bytes);
}

// ---- Running -------------------------------------------------------------------------------

class CpuRun final : public NetworkRun {
 public:
  explicit CpuRun(const CpuNetwork& network) : network_(network), memory_(network.RunBytes()) {
    for (std::size_t layer = 0; layer < network.layers_.size(); ++layer) Bind(layer);
    for (VersionIndex constant : network.storage_.constants) FillConstant(constant);
  }

  std::span<float> Input(std::size_t index) override {
    const VersionIndex version = network_.storage_.inputs[index];
    return {Place(version), ElementsIn(version)};
  }
  std::span<const float> Output(std::size_t index) override {
    const VersionIndex version = network_.storage_.outputs[index];
    return {Place(version), ElementsIn(version)};
  }

  std::size_t RunLayers(std::size_t first, std::size_t last,
                        const std::atomic<bool>& stop) override {
    for (std::size_t layer = first; layer < last; ++layer) {
      if (stop.load(std::memory_order_relaxed)) return layer;
      for (BoundRecipe& step : steps_[layer]) step.Run(network_.context_->stream);
    }
    return last;
  }

  void Save(std::size_t layer, std::size_t sample, std::span<float> numbers) const override {
    float* to = numbers.data();
    for (const LiveTensor& live : network_.live_[layer]) {
      if (live.constant) continue;
      const VersionIndex version = live.versions.front();
      CopySample(DimsOf(live), LayoutOf(version), Sample(version, sample), Layout::kPlain, to);
      to += ElementsOf(DimsOf(live));
    }
  }

  void Restore(std::size_t layer, std::size_t sample, std::span<const float> numbers) override {
    const float* from = numbers.data();
    for (const LiveTensor& live : network_.live_[layer]) {
      if (live.constant) {
        RestoreConstant(live, sample);
        continue;
      }
      for (VersionIndex version : live.versions)
        CopySample(DimsOf(live), Layout::kPlain, from, LayoutOf(version), Sample(version, sample));
      from += ElementsOf(DimsOf(live));
    }
  }

  bool CopyFrom(const NetworkRun& from, std::size_t layer, std::size_t from_sample,
                std::size_t sample) override {
    const auto* const other = dynamic_cast<const CpuRun*>(&from);
    if (other == nullptr || &other->network_.graph_ != &network_.graph_) return false;
    const std::vector<LiveTensor>& theirs = other->network_.live_[layer];
    auto their = theirs.begin();
    for (const LiveTensor& live : network_.live_[layer]) {
      if (live.constant) {
        RestoreConstant(live, sample);
        continue;
      }
      while (their->tensor != live.tensor) ++their;
      for (VersionIndex version : live.versions) {
        const VersionIndex source = other->Nearest(*their, LayoutOf(version));
        CopySample(DimsOf(live), other->LayoutOf(source), other->Sample(source, from_sample),
                   LayoutOf(version), Sample(version, sample));
      }
    }
    return true;
  }

 private:
  float* Place(VersionIndex version) const {
    return memory_.floats(network_.storage_.versions[version].offset);
  }
  std::size_t ElementsIn(VersionIndex version) const {
    return network_.storage_.versions[version].bytes / sizeof(float);
  }
  float* Sample(VersionIndex version, std::size_t sample) const {
    return Place(version) + sample * (ElementsIn(version) / network_.batch_);
  }

  void Bind(std::size_t layer) {
    const PlacedLayer& placed = network_.storage_.layers[layer];
    const CpuNetwork::Layer& loaded = network_.layers_[layer];
    std::vector<BoundRecipe>& steps = steps_.emplace_back();
    const auto convert = [&](const Conversion& conversion) {
      steps.emplace_back(network_.CompiledConversion(conversion), network_.context_->engine,
                         RecipePlaces{.reads = {Place(conversion.from)},
                                      .output = Place(conversion.to),
                                      .scratch = Scratch()});
    };
    for (const Conversion& conversion : placed.before) convert(conversion);
    if (placed.copies_addend) {
      const VersionIndex addend = placed.reads[*loaded.compiled.recipe().accumulates];
      steps.push_back(Copy(addend, placed.output));
    }
    if (!placed.nothing_to_do) {
      RecipePlaces places{
          .output = Place(placed.output), .weights = loaded.weights, .scratch = Scratch()};
      for (std::size_t i = 0; i < placed.reads.size(); ++i)
        places.reads.push_back(placed.in_place[i] ? nullptr : Place(placed.reads[i]));
      steps.emplace_back(loaded.compiled, network_.context_->engine, std::move(places));
    }
    for (const Conversion& conversion : placed.after) convert(conversion);
  }

  BoundRecipe Copy(VersionIndex from, VersionIndex to) {
    const std::size_t elements = ElementsIn(from);
    auto recipe = std::make_unique<Recipe>();
    recipe->calls.emplace_back(PlainKernel([elements](const RecipePlaces& places) {
      std::copy_n(places.reads[0], elements, places.output);
    }));
    copies_.push_back(std::move(recipe));
    return {CompiledRecipe(*copies_.back()), network_.context_->engine,
            RecipePlaces{.reads = {Place(from)}, .output = Place(to)}};
  }

  // One that a layer before the boundary has converted.
  void RestoreConstant(const LiveTensor& live, std::size_t sample) {
    for (VersionIndex version : live.versions) {
      if (network_.storage_.versions[version].pinned) continue;
      CopySample(DimsOf(live), Layout::kPlain,
                 network_.graph_.tensors[live.tensor].constant->values.data(), LayoutOf(version),
                 Sample(version, sample));
    }
  }

  std::byte* Scratch() const { return memory_.bytes(network_.storage_.bytes); }

  // The same for every sample.
  void FillConstant(VersionIndex version) {
    const GraphTensor& tensor = network_.graph_.tensors[network_.storage_.versions[version].tensor];
    for (std::size_t sample = 0; sample < network_.batch_; ++sample)
      std::ranges::copy(tensor.constant->values, Sample(version, sample));
  }

  const TensorDims& DimsOf(const LiveTensor& live) const {
    return network_.graph_.tensors[live.tensor].dims;
  }
  Layout LayoutOf(VersionIndex version) const { return network_.storage_.versions[version].layout; }

  // The version that is the quickest to copy from.
  VersionIndex Nearest(const LiveTensor& live, Layout layout) const {
    const auto same =
        std::ranges::find_if(live.versions, [&](VersionIndex v) { return LayoutOf(v) == layout; });
    return same == live.versions.end() ? live.versions.front() : *same;
  }

  const CpuNetwork& network_;
  const MemoryBlock memory_;
  std::vector<std::vector<BoundRecipe>> steps_;  // of each layer
  std::vector<std::unique_ptr<Recipe>> copies_;
};

std::unique_ptr<NetworkRun> CpuNetwork::NewRun() const { return std::make_unique<CpuRun>(*this); }

}  // namespace fairlead
