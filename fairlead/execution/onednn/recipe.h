// One way to carry out an operator: calls of oneDNN's primitives or of our own loops, on operands
// in given layouts.
//
// A recipe knows shapes, not numbers: operators of the same shape share theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/execution/onednn/layout.h"

namespace fairlead {

// What a call works on.
struct Operand {
  enum class Kind : std::uint8_t {
    kRead,  // the index-th of GraphOperator::Reads
    kOutput,
    kWeights,  // the index-th of Recipe::weights
    kScratch,
  };
  Kind kind = Kind::kRead;
  std::size_t index = 0;
};

inline constexpr Operand kOutputOperand{Operand::Kind::kOutput, 0};
inline constexpr Operand kScratchOperand{Operand::Kind::kScratch, 0};

// Weights as the recipe wants them, made from the operator's once, at load.
struct PackedWeights {
  // The operator's weights or scale, its bias or shift, or a constant.
  enum class Source : std::uint8_t { kFirst, kSecond, kZeros, kOnes };
  Source source = Source::kFirst;
  dnnl::memory::desc from;  // how the operator's numbers are to be read
  dnnl::memory::desc to;
};

// A primitive with its description, which its code may point into.
struct MadePrimitive {
  std::shared_ptr<const void> description;
  dnnl::primitive primitive;
};

struct PrimitiveCall {
  struct Argument {
    int id = 0;  // DNNL_ARG_...
    dnnl::memory::desc desc;
    Operand operand;
  };
  std::function<MadePrimitive()> make;  // generates the code
  std::vector<Argument> arguments;
};

// Where a recipe's operands lie.
struct RecipePlaces {
  std::vector<float*> reads;  // null: already where it is to be copied to
  float* output = nullptr;
  std::vector<float*> weights;
  std::byte* scratch = nullptr;
};

// Our own loops.
using PlainKernel = std::function<void(const RecipePlaces& places)>;

struct Recipe {
  std::string name;  // oneDNN's word for the implementation, or ours
  std::vector<Layout> wants;
  Layout leaves = Layout::kPlain;
  std::vector<PackedWeights> weights;
  std::vector<std::variant<PrimitiveCall, PlainKernel>> calls;  // in order
  // The output must hold this read's numbers before the first call, which adds to them.
  std::optional<std::size_t> accumulates;
  // The output is the first read itself: there is nothing to do.
  bool passes_on = false;

  std::size_t ScratchBytes() const;
};

}  // namespace fairlead
