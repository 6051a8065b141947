// Written once for vectors of any width, and compiled for each instruction set. Lanes are outputs
// and never meet, so every output is the same sum in the same order everywhere.
#include "fairlead/neural/gru_kernel.h"

#include <algorithm>
#include <cstdint>

namespace fairlead {
namespace {

// Vectors of a width, and integers beside them.
template <std::size_t width>
struct Vectors {
  static constexpr std::size_t kWidth = width;
  using Lanes [[gnu::vector_size(4 * width), gnu::aligned(4), gnu::may_alias]] = float;
  using IntLanes [[gnu::vector_size(4 * width), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
  static_assert(kGruBlock % (4 * width) == 0 && kGruLanes % width == 0);
};

// Vectors are handed over by reference: how they would be passed by value depends on the machine.
#define FAIRLEAD_KERNEL \
  template <typename V> \
  [[gnu::always_inline]] inline

FAIRLEAD_KERNEL typename V::Lanes& At(float* numbers) {
  return *reinterpret_cast<typename V::Lanes*>(numbers);
}
FAIRLEAD_KERNEL const typename V::Lanes& At(const float* numbers) {
  return *reinterpret_cast<const typename V::Lanes*>(numbers);
}

// sums = start + weights x inputs for four vectors of a block, input by input; `sums` may be
// `start`. With four, one addition need not wait for the one before.
FAIRLEAD_KERNEL void MultiplyFour(const float* weights, const float* start, const float* inputs,
                                  std::size_t count, float* sums) {
  constexpr std::size_t kWidth = V::kWidth;
  typename V::Lanes a = At<V>(start);
  typename V::Lanes b = At<V>(start + kWidth);
  typename V::Lanes c = At<V>(start + 2 * kWidth);
  typename V::Lanes d = At<V>(start + 3 * kWidth);
  for (std::size_t i = 0; i < count; ++i, weights += kGruBlock) {
    const float x = inputs[i];
    a += At<V>(weights) * x;
    b += At<V>(weights + kWidth) * x;
    c += At<V>(weights + 2 * kWidth) * x;
    d += At<V>(weights + 3 * kWidth) * x;
  }
  At<V>(sums) = a;
  At<V>(sums + kWidth) = b;
  At<V>(sums + 2 * kWidth) = c;
  At<V>(sums + 3 * kWidth) = d;
}

// The same for all blocks, with inputs `first` to `first + count` of the matrix.
FAIRLEAD_KERNEL void Multiply(const GruMatrix& matrix, const float* start, const float* inputs,
                              std::size_t first, std::size_t count, float* sums) {
  for (std::size_t at = 0; at < matrix.outputs; at += 4 * V::kWidth) {
    const std::size_t block = at / kGruBlock * kGruBlock;
    MultiplyFour<V>(matrix.weights + block * matrix.inputs + first * kGruBlock + (at - block),
                    start + at, inputs, count, sums + at);
  }
}

// e to the power of x, to about 1e-7 of it: 2 to a whole number times a polynomial.
FAIRLEAD_KERNEL void Exponential(const typename V::Lanes& x, typename V::Lanes& result) {
  using Lanes = typename V::Lanes;
  using IntLanes = typename V::IntLanes;
  constexpr float kMost = 87;  // beyond that, single precision ends
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912;  // adding 1.5 x 2^23 rounds to a whole number
  const Lanes most = Lanes{} + kMost;
  Lanes t = x > most ? most : x;
  t = t < -most ? -most : t;
  const Lanes power = (t * kLog2E + kRounder) - kRounder;
  const Lanes r = (t - power * kLn2High) - power * kLn2Low;
  Lanes p = Lanes{} + 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const IntLanes scale = (__builtin_convertvector(power, IntLanes) + 127) << 23;
  result = p * __builtin_bit_cast(Lanes, scale);
}

FAIRLEAD_KERNEL void Sigmoid(const typename V::Lanes& x, typename V::Lanes& result) {
  typename V::Lanes e;
  Exponential<V>(-x, e);
  result = 1.0F / (1.0F + e);
}

FAIRLEAD_KERNEL void Tanh(const typename V::Lanes& x, typename V::Lanes& result) {
  typename V::Lanes e;
  Exponential<V>(x + x, e);
  result = 1.0F - 2.0F / (1.0F + e);
}

FAIRLEAD_KERNEL void Remember(const GruWork& work) {
  const std::size_t hidden = work.hidden;
  for (std::size_t at = 0; at < hidden; at += V::kWidth) {
    typename V::Lanes r;
    typename V::Lanes z;
    typename V::Lanes n;
    Sigmoid<V>(At<V>(work.input_sums + at) + At<V>(work.gates + at), r);
    Sigmoid<V>(At<V>(work.input_sums + hidden + at) + At<V>(work.gates + hidden + at), z);
    Tanh<V>(At<V>(work.input_sums + 2 * hidden + at) + r * At<V>(work.gates + 2 * hidden + at), n);
    typename V::Lanes& state = At<V>(work.state + at);
    state = (1.0F - z) * n + z * state;
  }
}

FAIRLEAD_KERNEL void Answer(const GruWork& work, float* answer) {
  for (std::size_t at = 0; at < work.head.outputs; at += V::kWidth) {
    typename V::Lanes sum = At<V>(work.head_biases + at);
    const std::size_t block = at / kGruLanes * kGruLanes;
    const float* weights = work.head.weights + block * work.head.inputs + (at - block);
    for (std::size_t i = 0; i < work.head.inputs; ++i, weights += kGruLanes)
      sum += At<V>(weights) * work.state[i];
    Tanh<V>(sum, At<V>(work.head_sums + at));
  }
  std::copy_n(work.head_sums, work.outputs, answer);
}

FAIRLEAD_KERNEL void RunAll(const GruWork& work) {
  const std::size_t own = work.input.inputs - work.shared_inputs;
  std::fill_n(work.state, work.hidden, 0.0F);
  Multiply<V>(work.input, work.input_biases, work.shared, 0, work.shared_inputs, work.shared_sums);
  for (std::size_t step = 0; step < work.steps; ++step) {
    Multiply<V>(work.input, work.shared_sums, work.rows + step * own, work.shared_inputs, own,
                work.input_sums);
    Multiply<V>(work.recurrent, work.recurrent_biases, work.state, 0, work.recurrent.inputs,
                work.gates);
    Remember<V>(work);
    Answer<V>(work, work.answers + step * work.outputs);
  }
}

#undef FAIRLEAD_KERNEL

void RunPlain(const GruWork& work) { RunAll<Vectors<4>>(work); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void RunAvx2(const GruWork& work) { RunAll<Vectors<8>>(work); }
[[gnu::target("avx512f")]] void RunAvx512(const GruWork& work) { RunAll<Vectors<16>>(work); }
#endif

}  // namespace

void RunGru(const GruWork& work, VectorCode code) {
#if defined(__x86_64__)
  if (code == VectorCode::kAvx512) return RunAvx512(work);
  if (code == VectorCode::kAvx2) return RunAvx2(work);
#endif
  if (code == VectorCode::kPlain) RunPlain(work);
}

bool CanRun(VectorCode code) {
#if defined(__x86_64__)
  if (code == VectorCode::kAvx512) return __builtin_cpu_supports("avx512f");
  if (code == VectorCode::kAvx2) return __builtin_cpu_supports("avx2");
#endif
  return code == VectorCode::kPlain;
}

VectorCode BestVectorCode() {
  if (CanRun(VectorCode::kAvx512)) return VectorCode::kAvx512;
  return CanRun(VectorCode::kAvx2) ? VectorCode::kAvx2 : VectorCode::kPlain;
}

}  // namespace fairlead
