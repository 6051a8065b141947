// Chooses how each step of a network is carried out, such that all steps together, and the changes
// of layout between them, take the least time.
//
// Layouts are numbers here; what they mean is the executor's business. Each option of a step wants
// its operands in certain layouts and leaves its result in one. A tensor that is wanted in another
// layout than it has is converted once for all that want it so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fairlead {

inline constexpr std::size_t kMostLayouts = 4;

struct StepOption {
  std::vector<std::uint8_t> wants;  // the layout of each operand
  std::uint8_t leaves = 0;          // the layout of the result
  double nanoseconds = 0;
};

struct ChoosingStep {
  std::vector<std::uint32_t> reads;  // tensors; may repeat
  std::uint32_t writes = 0;
  std::vector<StepOption> options;  // at least one
};

struct LayoutProblem {
  std::vector<ChoosingStep> steps;  // in order
  std::size_t tensors = 0;
  std::vector<std::uint32_t> plain;  // inputs and outputs of the network: in layout 0
  // Of converting a tensor; 0 where both layouts are the same bytes.
  std::function<double(std::uint32_t tensor, std::uint8_t from, std::uint8_t to)> conversion;
};

// One option for each step.
using LayoutChoice = std::vector<std::size_t>;

double TimeOf(const LayoutProblem& problem, const LayoutChoice& choice);

struct RatedChoice {
  LayoutChoice choice;
  double nanoseconds = 0;  // its TimeOf
};

// Good choices, the best first, none twice: descents, step by step, from a uniform start for each
// layout and from the fastest option of each step. Each takes time in proportion to the options, a
// few times over.
std::vector<RatedChoice> GoodChoices(const LayoutProblem& problem);

}  // namespace fairlead
