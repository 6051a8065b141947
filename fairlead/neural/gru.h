// A gated recurrent unit over a sequence, with one linear head and tanh on its outputs; its weights
// as a file; and its forward pass in plain C++.
//
// For each step, with x the input, h what was remembered (0 at first), gates in PyTorch's order:
//   r = sigmoid(Wir x + bir + Whr h + bhr)        z = sigmoid(Wiz x + biz + Whz h + bhz)
//   n = tanh(Win x + bin + r (Whn h + bhn))       h = (1 - z) n + z h
//   y = tanh(Wy h + by)
//
// Sums run in one order, input by input from the bias on, in single precision without fused
// operations; exponentials are our own. Vector code works on several outputs at a time and never
// reorders a sum, so the same inputs give the same bits on every machine, with or without it.
//
// The file, in words separated by blanks: `fairlead-gru 1 NAME VERSION INPUTS HIDDEN OUTPUTS`, then
// all weights in base64 (RFC 4648, `=` at the end, split over words at will): floats of 4 bytes,
// little-endian, in the order of the members below. NAME and VERSION are of the encoder that the
// network was trained on; who loads a file asks for both.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct GruNetwork {
  std::string name;
  int version = 1;
  int inputs = 0;
  int hidden = 0;
  int outputs = 0;
  std::vector<float> input_weights;   // 3 hidden x inputs: rows of r, of z, of n
  std::vector<float> hidden_weights;  // 3 hidden x hidden
  std::vector<float> input_biases;    // 3 hidden
  std::vector<float> hidden_biases;   // 3 hidden
  std::vector<float> head_weights;    // outputs x hidden
  std::vector<float> head_biases;     // outputs

  friend bool operator==(const GruNetwork&, const GruNetwork&) = default;
};

// Sizes fit, and numbers are finite.
Status CheckGru(const GruNetwork& network);

// `name` and `version` as they must be; an error says which were found.
Result<GruNetwork> ParseGru(std::string_view text, std::string_view name, int version);
std::string FormatGru(const GruNetwork& network);

// Which instructions the forward pass uses. All give the same bits.
enum class VectorCode : unsigned char { kPlain, kAvx2, kAvx512 };
VectorCode BestVectorCode();  // of this machine
bool CanRun(VectorCode code);

// A network made ready to run. Holds scratch: one for each thread.
class GruRunner {
 public:
  // The network has passed CheckGru.
  explicit GruRunner(const GruNetwork& network, VectorCode code = BestVectorCode());

  // Runs over `steps`. Each input is `shared`, which all of them begin with, followed by one row of
  // `rows` (steps x the rest); fills `outputs` (steps x outputs). Computes what is due to `shared`
  // once. Allocates only for longer sequences than before.
  void Run(std::span<const float> shared, std::span<const float> rows, std::size_t steps,
           std::span<float> outputs);

  int inputs() const { return static_cast<int>(inputs_); }
  int outputs() const { return static_cast<int>(outputs_); }

 private:
  // A matrix in the order in which the kernel reads it.
  struct Matrix {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<float> weights;
    std::vector<float> biases;
  };
  struct Shape {
    std::size_t inputs;
    std::size_t groups;  // matrices that stand one behind the other
    std::size_t block;
  };
  static Matrix Arrange(std::span<const float> weights, std::span<const float> biases,
                        const Shape& shape);

  VectorCode code_;
  std::size_t inputs_;
  std::size_t outputs_;
  std::size_t hidden_;
  std::size_t padded_;  // hidden_, up to whole blocks
  Matrix input_;
  Matrix recurrent_;
  Matrix head_;
  std::vector<float> scratch_;
};

}  // namespace fairlead
