// A recipe tied to places in memory, ready to run again and again without allocating anything of
// ours. (oneDNN itself allocates a few words in each call.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/execution/onednn/recipe.h"

namespace fairlead {

// A block of zeroed memory for tensors or weights, on large pages where the system has them: one
// entry of the processor's page table then covers two megabytes.

class MemoryBlock {
 public:
  // Throws std::bad_alloc where there is not enough.
  explicit MemoryBlock(std::size_t bytes);
  ~MemoryBlock();
  MemoryBlock(MemoryBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* bytes(std::size_t offset) const { return data_ + offset; }
  float* floats(std::size_t offset) const { return reinterpret_cast<float*>(data_ + offset); }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A recipe with its code generated; immutable, used by any number of runs.
class CompiledRecipe {
 public:
  explicit CompiledRecipe(const Recipe& recipe);  // not owned

  const Recipe& recipe() const { return *recipe_; }
  // One for each call that is a primitive, null for the others.
  const dnnl::primitive& primitive(std::size_t call) const { return primitives_[call].primitive; }

 private:
  const Recipe* recipe_;
  std::vector<MadePrimitive> primitives_;
};

class BoundRecipe {
 public:
  BoundRecipe(const CompiledRecipe& compiled, const dnnl::engine& engine, RecipePlaces places);

  // On a thread whose team, if it has one, is whole; and leaves it so.
  void Run(const dnnl::stream& stream);

  // Whether a run was seen to leave some threads of the team without work, and to end them.
  bool EndsThreads() const;

 private:
  // Whether a primitive is divided among fewer threads than there are: seen when it runs for the
  // first time.
  enum class Division : std::uint8_t { kUnknown, kAmongAll, kAmongFewer };
  struct BoundPrimitive {
    const_dnnl_primitive_t primitive;
    std::vector<dnnl_exec_arg_t> arguments;
    Division division = Division::kUnknown;
  };

  RecipePlaces places_;
  std::vector<dnnl::memory> memories_;  // that the arguments name
  std::vector<std::variant<BoundPrimitive, const PlainKernel*>> calls_;
};

}  // namespace fairlead
