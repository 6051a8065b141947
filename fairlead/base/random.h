// Named random streams with our own samplers.
//
// A stream is seeded from the run's seed and its name ("arrivals/tenant=3", "policy"), so drawing
// more in one place never shifts another. Samplers are ours because the standard library's
// distributions differ between libraries; they use + - * / and sqrt, and log, cos and pow where the
// distribution needs them.
//
// Generator: xoshiro256** (Blackman and Vigna, 2018), seeded by SplitMix64 over an FNV-1a hash.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fairlead {

// A hash that is the same number on every machine and with every library, which std::hash is not:
// for names of files, keys on disk and seeds. FNV-1a with 64 bits (Fowler, Noll and Vo).
constexpr std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

class RandomStream {
 public:
  RandomStream(std::uint64_t run_seed, std::string_view name);

  std::uint64_t Bits();                       // 64 random bits
  double Uniform();                           // in [0, 1)
  double UniformPositive();                   // in (0, 1]
  std::uint64_t Below(std::uint64_t bound);   // in [0, bound), unbiased; bound > 0
  double Exponential(double mean);            // mean > 0
  double Pareto(double shape, double scale);  // >= scale; shape > 0
  double Normal();                            // mean 0, deviation 1
  // An index with probability proportional to its weight; weights >= 0, not all 0.
  std::size_t Weighted(std::span<const double> weights);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace fairlead
