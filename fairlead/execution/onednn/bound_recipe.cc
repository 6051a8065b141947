#include "fairlead/execution/onednn/bound_recipe.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/onednn/memory_block.h"

namespace fairlead {
namespace {

float* PlaceFor(const Operand& operand, const RecipePlaces& places) {
  switch (operand.kind) {
    case Operand::Kind::kRead: return places.reads[operand.index];
    case Operand::Kind::kOutput: return places.output;
    case Operand::Kind::kWeights: return places.weights[operand.index];
    case Operand::Kind::kScratch: return reinterpret_cast<float*>(places.scratch);
  }
  return nullptr;
}

}  // namespace

CompiledRecipe::CompiledRecipe(const Recipe& recipe) : recipe_(&recipe) {
  for (const auto& call : recipe.calls) {
    const auto* primitive = std::get_if<PrimitiveCall>(&call);
    primitives_.push_back(primitive == nullptr ? dnnl::primitive()
                                               : dnnl::primitive(primitive->description.get()));
  }
}

BoundRecipe::BoundRecipe(const CompiledRecipe& compiled, const dnnl::engine& engine,
                         RecipePlaces places)
    : places_(std::move(places)) {
  const auto& calls = compiled.recipe().calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (const auto* kernel = std::get_if<PlainKernel>(&calls[i])) {
      calls_.emplace_back(kernel);
      continue;
    }
    BoundPrimitive bound{compiled.primitive(i).get(), {}};
    for (const auto& argument : std::get<PrimitiveCall>(calls[i]).arguments) {
      memories_.emplace_back(argument.desc, engine, PlaceFor(argument.operand, places_));
      bound.arguments.push_back({argument.id, memories_.back().get()});
    }
    calls_.emplace_back(std::move(bound));
  }
}

void BoundRecipe::Run(const dnnl::stream& stream) const {
  for (const auto& call : calls_) {
    if (const auto* bound = std::get_if<BoundPrimitive>(&call)) {
      const dnnl_status_t status = dnnl_primitive_execute(bound->primitive, stream.get(),
                                                          static_cast<int>(bound->arguments.size()),
                                                          bound->arguments.data());
      dnnl::error::wrap_c_api(status, "a primitive could not be carried out");
    } else {
      (*std::get<const PlainKernel*>(call))(places_.reads, places_.output);
    }
  }
}

double TimeRecipe(const CompiledRecipe& compiled, const dnnl::engine& engine,
                  const dnnl::stream& stream, std::span<const std::size_t> read_bytes,
                  std::size_t output_bytes, double best) {
  constexpr double kHopeless = 3;  // times slower, and slow: not worth another run
  constexpr double kSlow = 1e6;
  constexpr int kFewest = 4;
  constexpr int kMost = 40;
  constexpr double kLongest = 12e6;  // nanoseconds for all
  if (compiled.recipe().calls.empty()) return 0;
  std::vector<MemoryBlock> blocks;
  RecipePlaces places;
  const auto allocate = [&](std::size_t bytes) {
    blocks.emplace_back(bytes);
    return blocks.back().floats(0);
  };
  for (std::size_t bytes : read_bytes) places.reads.push_back(allocate(bytes));
  places.output = allocate(output_bytes);
  for (const PackedWeights& weights : compiled.recipe().weights)
    places.weights.push_back(allocate(weights.to.get_size()));
  places.scratch = reinterpret_cast<std::byte*>(allocate(compiled.recipe().ScratchBytes()));

  const BoundRecipe bound(compiled, engine, std::move(places));
  const Stopwatch total;
  bound.Run(stream);
  double least = static_cast<double>(total.ElapsedNanoseconds());
  if (least > kSlow && least > kHopeless * best) return least;
  for (int i = 0; i < kMost; ++i) {
    const Stopwatch one;
    bound.Run(stream);
    least = std::min(least, static_cast<double>(one.ElapsedNanoseconds()));
    if (i + 1 >= kFewest && static_cast<double>(total.ElapsedNanoseconds()) > kLongest) break;
  }
  return least;
}

}  // namespace fairlead
