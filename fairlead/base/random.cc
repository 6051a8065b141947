#include "fairlead/base/random.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "fairlead/base/check.h"

namespace fairlead {

namespace {

std::uint64_t SplitMix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t run_seed, std::string_view name) {
  std::uint64_t mixed = StableHash(name);
  mixed ^= SplitMix(run_seed);
  for (std::uint64_t& word : state_) word = SplitMix(mixed);
}

std::uint64_t RandomStream::Bits() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }

double RandomStream::UniformPositive() { return 1.0 - Uniform(); }

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  CHECK(bound > 0);
  const std::uint64_t rejected = -bound % bound;  // 2^64 mod bound: the biased low end
  std::uint64_t bits = Bits();
  while (bits < rejected) bits = Bits();
  return bits % bound;
}

double RandomStream::Exponential(double mean) { return -std::log(UniformPositive()) * mean; }

double RandomStream::Pareto(double shape, double scale) {
  return scale / std::pow(UniformPositive(), 1.0 / shape);
}

double RandomStream::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(UniformPositive()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

std::size_t RandomStream::Weighted(std::span<const double> weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  CHECK(total > 0);
  double point = Uniform() * total;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    if (point < weights[i]) return i;
    point -= weights[i];
  }
  return weights.size() - 1;
}

}  // namespace fairlead
