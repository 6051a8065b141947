#include "fairlead/execution/onednn/bound_recipe.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "fairlead/execution/onednn/openmp_team.h"

namespace fairlead {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

}  // namespace

MemoryBlock::MemoryBlock(std::size_t bytes) {
  const std::size_t unit = bytes >= kLargePage ? kLargePage : 4096;
  bytes_ = std::max(bytes + unit - 1, unit) / unit * unit;
  void* const block =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  if (unit == kLargePage) madvise(block, bytes_, MADV_HUGEPAGE);  // a wish
  data_ = static_cast<std::byte*>(block);
}

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

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
    primitives_.push_back(primitive == nullptr ? MadePrimitive{} : primitive->make());
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
    BoundPrimitive bound{.primitive = compiled.primitive(i).get(), .arguments = {}};
    for (const auto& argument : std::get<PrimitiveCall>(calls[i]).arguments) {
      memories_.emplace_back(argument.desc, engine, PlaceFor(argument.operand, places_));
      bound.arguments.push_back({argument.id, memories_.back().get()});
    }
    calls_.emplace_back(std::move(bound));
  }
}

void BoundRecipe::Run(const dnnl::stream& stream) {
  for (auto& call : calls_) {
    if (auto* bound = std::get_if<BoundPrimitive>(&call)) {
      if (bound->division != Division::kAmongAll) LoosenTeam();
      const dnnl_status_t status = dnnl_primitive_execute(bound->primitive, stream.get(),
                                                          static_cast<int>(bound->arguments.size()),
                                                          bound->arguments.data());
      dnnl::error::wrap_c_api(status, "a primitive could not be carried out");
      if (bound->division == Division::kAmongAll) continue;
      bound->division = RestoreTeam() > 0 ? Division::kAmongFewer : Division::kAmongAll;
    } else {
      (*std::get<const PlainKernel*>(call))(places_);
    }
  }
}

bool BoundRecipe::EndsThreads() const {
  return std::ranges::any_of(calls_, [](const auto& call) {
    const auto* bound = std::get_if<BoundPrimitive>(&call);
    return bound != nullptr && bound->division == Division::kAmongFewer;
  });
}

}  // namespace fairlead
