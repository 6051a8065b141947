// The arithmetic of a GRU, for GruRunner alone.
#pragma once

#include <cstddef>

#include "fairlead/neural/gru.h"

namespace fairlead {

// Outputs of a block of the large matrices, and of the head.
inline constexpr std::size_t kGruBlock = 64;
inline constexpr std::size_t kGruLanes = 16;

// A matrix in the order in which it is read: blocks of outputs, and in each input by input.
struct GruMatrix {
  const float* weights;
  std::size_t inputs;
  std::size_t outputs;  // whole blocks
};

struct GruWork {
  // Of the inputs: what all steps share comes first.
  GruMatrix input;
  const float* input_biases;
  const float* shared;
  std::size_t shared_inputs;
  const float* rows;  // steps x the other inputs
  std::size_t steps;
  GruMatrix recurrent;
  const float* recurrent_biases;
  // In blocks of kGruLanes.
  GruMatrix head;
  const float* head_biases;
  std::size_t outputs;  // without the padding
  std::size_t hidden;   // with it
  float* shared_sums;   // 3 hidden: scratch
  float* input_sums;    // 3 hidden: scratch
  float* gates;         // 3 hidden: scratch
  float* state;         // hidden: scratch
  float* head_sums;     // head.outputs: scratch
  float* answers;       // steps x outputs
};

// The machine must be able to.
void RunGru(const GruWork& work, VectorCode code);

}  // namespace fairlead
